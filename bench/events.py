"""Events for the benchmarks: 7 KB, 30 column edges, jobs that run again and again.

Made as `headwater demo generate` makes them, though of a simpler world, and, if asked, with facets that never repeat,
or even names of datasets that never do.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import Enum
from functools import cache

from headwater.demo.event import DemoEdge, Job, Moment, Table, operation_event
from headwater.demo.template import Template, text_slot

PLACE = "postgres://dwh"
START = 1_750_000_000
COLUMNS = 30


class New(Enum):
    """What of an event was never seen before, besides its run. Jobs are always known."""

    NOTHING = 0
    FACETS = 1
    """Every schema, column lineage and statement."""
    NAMES = 2
    """And the names of all datasets, which are no facets."""


def event(job: int, run: uuid.UUID, second: float, event_type: str, new: New = New.NOTHING, salt: str = "") -> bytes:
    """One Spark-like run event; what is new of it has the salt in its name."""
    if new is New.NOTHING:
        template = _kept_template(job, event_type)
    else:
        template = _template(job, event_type, salt, salt if new is New.NAMES else "")
    time = datetime.fromtimestamp(START + second, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    parent = _parent(job % 100, int(second) // 86400)
    return template.fill({"time": time.encode(), "run": str(run).encode(), "parent": parent})


@cache
def _parent(application: int, day: int) -> bytes:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{application}/{day}")).encode()


@cache
def _kept_template(job: int, event_type: str) -> Template:
    return _template(job, event_type, "", "")


def _template(job: int, event_type: str, column_salt: str, table_salt: str) -> Template:
    """The event without what differs from run to run: its time, its run and its parent's run."""
    fields = [(f"c{index:02d}{column_salt}", "string" if index % 3 else "bigint") for index in range(COLUMNS)]
    sources = tuple(
        Table(PLACE, f"raw.{job % 700:03d}{table_salt}_{letter}", tuple(fields[side::6]))
        for side, letter in enumerate("ab")
    )
    target = Table(PLACE, f"mart.{job:04d}{table_salt}", tuple(fields))
    key = fields[0][0]
    described = Job(
        namespace="spark://cluster",
        application=f"application_{job % 100:03d}",
        name=f"job_{job:05d}",
        number=job,
        inputs=sources,
        outputs=(target,),
        edges=tuple(DemoEdge(name, sources[index % 2], name) for index, (name, _) in enumerate(fields)),
        sql=f"INSERT INTO {target.name} SELECT * FROM {sources[0].name} a JOIN {sources[1].name} b USING ({key})",
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


def stream(jobs: int, seed: int = 1, new: New = New.NOTHING) -> Iterator[bytes]:
    """START and COMPLETE of every job, again and again, shuffled; what is new, each event has anew."""
    chance = random.Random(seed)
    round_number = 0
    while True:
        order = list(range(jobs))
        chance.shuffle(order)
        for place, job in enumerate(order):
            run = _uuid7(START + round_number * 86400 + place, chance)
            salt = f"_{round_number}_{place}"
            second = round_number * 86400 + place
            yield event(job, run, second, "START", new, salt)
            yield event(job, run, second + 30.5, "COMPLETE", new, f"{salt}c")
        round_number += 1


def _uuid7(second: int, chance: random.Random) -> uuid.UUID:
    value = (second * 1000) << 80 | chance.getrandbits(80)
    value = value & ~(0xF << 76) | 7 << 76
    return uuid.UUID(int=value & ~(0b11 << 62) | 0b10 << 62)
