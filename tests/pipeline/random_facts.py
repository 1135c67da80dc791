"""Random facts of one tenant: few runs, jobs, shapes and datasets, so that they meet in every way they can."""

from __future__ import annotations

from random import Random

from headwater.graph.fact import Fact
from headwater.graph.facts import (
    Activity,
    Evidence,
    OutputType,
    Role,
    Run,
    RunDataset,
    RunShape,
    RunStatus,
    Shape,
    ShapeDataset,
    ShapeEdge,
)
from headwater.graph.fold import Graph, fold
from headwater.openlineage.event import EventKind
from headwater.openlineage.identity import digest, stamp

HOUR = 3_600_000_000


def ids(kind: str, count: int) -> list[bytes]:
    return [digest(kind, str(number)) for number in range(count)]


def random_facts(random: Random, tenant: int) -> Graph:
    """Facts as interpretation would give them, but with every combination that it may give, and some it will not."""
    runs, jobs, shapes, datasets = ids("run", 9), ids("job", 4), ids("shape", 7), ids("dataset", 5)
    schemas, statements = ids("schema", 3), ids("sql", 3)

    def maybe(value: object, chance: float = 0.7) -> object:
        return value if random.random() < chance else None

    def time() -> int:
        return random.choice([-30, -1, 0, 1, 25, 26, 49, 24 * 20_000]) * HOUR + random.randrange(5)

    facts: list[Fact] = []
    for run in runs:
        if random.random() < 0.9:
            first, second = sorted((time(), time()))
            facts.append(
                Run(
                    tenant,
                    run,
                    job=maybe(random.choice(jobs), 0.9),
                    activity=maybe(Activity(random.randint(0, 3)), 0.9),
                    parent_run=maybe(random.choice(runs)),
                    status=maybe(random.choice(list(RunStatus)), 0.9),
                    first_seen=maybe(first, 0.8),
                    last_seen=second,
                    started_at=maybe(random.choice([first, second])),
                    ended_at=maybe(random.choice([first, second])),
                )
            )
    for shape in shapes:
        if random.random() < 0.95:
            facts.append(
                Shape(
                    tenant,
                    shape,
                    kind=random.choice([EventKind.RUN.value] * 3 + [kind.value for kind in EventKind]),
                    origin=random.choice(["openlineage", "openlineage", "openlineage", "manual", "sql"]),
                    job=maybe(random.choice(jobs), 0.85),
                    subject=maybe(random.choice(datasets), 0.3),
                    sql=maybe(random.choice(statements)),
                )
            )
        facts += [
            ShapeDataset(
                tenant,
                shape,
                random.choice(datasets),
                int(random.choice([Role.INPUT, Role.OUTPUT] * 2 + [Role.SUBJECT, Role.REFERENCE])),
                schema=maybe(random.choice(schemas), 0.6),
                types=maybe(OutputType(1 << random.randrange(10)), 0.6),
                explicit=maybe(1, 0.15),
            )
            for _ in range(random.randint(0, 4))
        ]
        if random.random() < 0.2:
            facts.append(ShapeDataset(tenant, shape, random.choice(jobs), int(Role.JOB)))
        ends = datasets + jobs[:2]
        facts += [
            ShapeEdge(tenant, shape, random.choice(ends), random.choice(ends)) for _ in range(random.randint(0, 2))
        ]
        if random.random() < 0.9:
            last = maybe(stamp(time(), digest(str(random.randrange(3)))), 0.9)
            facts.append(Evidence(tenant, shape, first_seen=maybe(time(), 0.9), last=last))
    for _ in range(14):
        first, second = sorted((time(), time()))
        link = RunShape(
            tenant,
            random.choice(runs),
            random.choice(shapes),
            first_seen=maybe(first, 0.95),
            last_seen=maybe(second, 0.95),
        )
        facts.append(link)
    for _ in range(8):
        counters = [maybe(random.choice([0, 1, 10, 2**62, 2**63 - 2]), 0.6) for _ in range(3)]
        role = random.choice([Role.INPUT, Role.OUTPUT])
        facts.append(RunDataset(tenant, random.choice(runs), random.choice(datasets), int(role), *counters))
    return fold(facts)
