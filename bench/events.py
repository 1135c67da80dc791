"""Events for the benchmarks: 7 KB, 30 column edges, jobs that run again and again.

Made as `headwater demo generate` makes them, though of a simpler world, and, if asked, with facets that never repeat.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec

from headwater.demo.event import Edge, Job, Moment, Table, operation_event

PLACE = "postgres://dwh"
START = 1_750_000_000


def event(job: int, run: uuid.UUID, second: float, event_type: str, *, salt: str = "", columns: int = 30) -> bytes:
    """One Spark-like run event. A salt makes every facet of it one that was never seen before."""
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
        time=datetime.fromtimestamp(START + second, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        run=str(run),
        parent_run=str(uuid.uuid5(uuid.NAMESPACE_URL, f"{job % 100}/{int(second) // 86400}")),
        read=((1000 + job, 4096), (1000 + job, 4096)),
        written=((2000 + job, 8192, 1),),
    )
    return msgspec.json.encode(operation_event(described, moment))


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
