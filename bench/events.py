"""Events for the benchmarks: 7 KB, 30 column edges, jobs that run again and again.

Made as `headwater demo generate` makes them, though of a simpler world, and, if asked, with facets that never repeat.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache

from headwater.demo.event import Edge, Job, Moment, Table, operation_event
from headwater.demo.template import Template, text_slot

PLACE = "postgres://dwh"
START = 1_750_000_000


def event(job: int, run: uuid.UUID, second: float, event_type: str, *, salt: str = "", columns: int = 30) -> bytes:
    """One Spark-like run event. A salt makes every facet of it one that was never seen before."""
    template = _template(job, event_type, salt, columns) if salt else _kept_template(job, event_type, columns)
    time = datetime.fromtimestamp(START + second, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    parent = _parent(job % 100, int(second) // 86400)
    return template.fill({"time": time.encode(), "run": str(run).encode(), "parent": parent})


@cache
def _parent(application: int, day: int) -> bytes:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{application}/{day}")).encode()


@cache
def _kept_template(job: int, event_type: str, columns: int) -> Template:
    return _template(job, event_type, "", columns)


def _template(job: int, event_type: str, salt: str, columns: int) -> Template:
    """The event without what differs from run to run: its time, its run and its parent's run."""
    fields = [(f"c{index:02d}{salt}", "string" if index % 3 else "bigint") for index in range(columns)]
    sources = tuple(
        Table(PLACE, f"raw.{job % 700:03d}{salt}_{letter}", tuple(fields[side::6])) for side, letter in enumerate("ab")
    )
    target = Table(PLACE, f"mart.{job:04d}{salt}", tuple(fields))
    described = Job(
        namespace="spark://cluster",
        application=f"application_{job % 100:03d}",
        name=f"job_{job:05d}",
        number=job,
        inputs=sources,
        outputs=(target,),
        edges=tuple(Edge(name, sources[index % 2], name) for index, (name, _) in enumerate(fields)),
        sql=f"INSERT INTO {target.name} SELECT * FROM {sources[0].name} a JOIN {sources[1].name} b USING (c00)",
    )
    moment = Moment(
        type=event_type,
        time=text_slot("time"),
        run=text_slot("run"),
        parent_run=text_slot("parent"),
        read=((1000 + job, 4096), (1000 + job, 4096)),
        written=((2000 + job, 8192, 1),),
    )
    return Template(operation_event(described, moment))


def stream(jobs: int, seed: int = 1, *, fresh: bool = False) -> Iterator[bytes]:
    """START and COMPLETE of every job, again and again, each round in another order."""
    chance = random.Random(seed)
    round_number = 0
    while True:
        order = list(range(jobs))
        chance.shuffle(order)
        for place, job in enumerate(order):
            run = _uuid7(START + round_number * 86400 + place, chance)
            salt = f"_{round_number}_{place}" if fresh else ""
            second = round_number * 86400 + place
            yield event(job, run, second, "START", salt=salt)
            yield event(job, run, second + 30.5, "COMPLETE", salt=f"{salt}c" if fresh else "")
        round_number += 1


def _uuid7(second: int, chance: random.Random) -> uuid.UUID:
    value = (second * 1000) << 80 | chance.getrandbits(80)
    value = value & ~(0xF << 76) | 7 << 76
    return uuid.UUID(int=value & ~(0b11 << 62) | 0b10 << 62)
