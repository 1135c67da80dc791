"""The events of one tenant as bodies, in the order in which a log would have got them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime

from headwater.demo.event import Moment, application_event, operation_event
from headwater.demo.schedule import ScheduledStep, schedule
from headwater.demo.template import Template, number_slot, text_slot
from headwater.demo.world import World

__all__ = ["disorder", "stream"]

_TEMPLATES = 4_000
"""Templates kept, about 30 MB; others are made again."""
_HELD = 512
_FAILURE = "Job aborted due to stage failure: Task 3 in stage 7.0 failed 4 times"


def stream(seed: str, jobs: int) -> Iterator[bytes]:
    """Events in the order of their time, without end; the same for the same seed."""
    world, chance = World(seed, jobs), random.Random(seed)  # noqa: S311 - invented data
    templates: dict[tuple[object, ...], Template] = {}
    for step in schedule(world, chance):
        state = world.state(step.job, step.round) if step.job is not None else ()
        key = (step.application, step.job, step.type, state)
        template = templates.get(key)
        if template is None:
            if len(templates) >= _TEMPLATES:
                templates.clear()
            template = templates[key] = _template(world, step)
        rows = chance.randrange(1_000, 2_000_000)
        yield template.fill(
            {
                "time": datetime.fromtimestamp(step.time / 1000, UTC).isoformat(timespec="milliseconds")[:-6].encode(),
                "run": step.run,
                "parent": step.parent,
                "rows": b"%d" % rows,
                "bytes": b"%d" % (rows * 97),
                "read": b"%d" % (rows * 3),
                "read_bytes": b"%d" % (rows * 211),
                "files": b"%d" % (1 + rows // 100_000),
            }
        )


def disorder(
    bodies: Iterator[bytes], total: int, chance: random.Random, *, late: float, duplicates: float
) -> Iterator[bytes]:
    """As many lines as asked for, with some held back for long and some sent twice."""
    held: list[bytes] = []
    sent = 0
    while sent + len(held) < total:
        body = next(bodies)
        fate = chance.random()
        if fate < late:
            held.append(body)
        else:
            if fate < late + duplicates and sent + len(held) + 1 < total:
                held.append(body)
            yield body
            sent += 1
        if len(held) > _HELD:
            yield _take(held, chance)
            sent += 1
    while held:
        yield _take(held, chance)


def _take(held: list[bytes], chance: random.Random) -> bytes:
    index = chance.randrange(len(held))
    held[index], held[-1] = held[-1], held[index]
    return held.pop()


def _template(world: World, step: ScheduledStep) -> Template:
    failed = step.type == "FAIL"
    moment = Moment(
        type=step.type,
        time=f"{text_slot('time')}Z",
        run=text_slot("run"),
        parent_run=text_slot("parent"),
        failure=_FAILURE if failed else None,
    )
    if step.job is None:
        return Template(application_event(world.namespace, world.application_name(step.application), moment))
    job = world.job(step.job, step.round)
    read = (number_slot("read"), number_slot("read_bytes"))
    written = (number_slot("rows"), number_slot("bytes"), number_slot("files"))
    ended = step.type == "COMPLETE"
    counted = Moment(
        type=moment.type,
        time=moment.time,
        run=moment.run,
        parent_run=moment.parent_run,
        read=(read,) * len(job.inputs) if ended else (),
        written=(written,) * len(job.outputs) if ended else (),
        failure=moment.failure,
    )
    return Template(operation_event(job, counted))
