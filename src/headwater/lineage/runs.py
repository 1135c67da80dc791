"""Which runs, or operations inside them, read and wrote which datasets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from msgspec import Struct

from headwater.graph.facts import Activity, Role
from headwater.lineage.flow import Flow
from headwater.lineage.options import Options
from headwater.store.figures import Figure, Key

__all__ = ["RunFlow", "RunRow", "RunStep"]

_COLUMNS = "run, job, parent_run, activity, status, started_at, ended_at, [name], first_seen"
_OF_JOB = (
    f"SELECT {_COLUMNS} FROM run WHERE tenant = ? AND job = ? AND first_seen <= ? AND last_seen >= ? "
    "ORDER BY first_seen DESC LIMIT ?"
)
_COUNT = "SELECT COUNT(*) FROM run WHERE tenant = ? AND job = ? AND first_seen <= ? AND last_seen >= ?"
_BY_ID = f"SELECT {_COLUMNS} FROM run WHERE tenant = ? AND run {{ids}}"
_CHILDREN = f"SELECT {_COLUMNS} FROM run WHERE tenant = ? AND parent_run {{ids}}"
_SAID = "SELECT run, shape FROM run_shape WHERE tenant = ? AND run {ids}"
_FAR = 1 << 62


class RunStep(NamedTuple):
    """A dataset, or a run (or operation)."""

    node: bytes
    is_run: bool


class RunRow(Struct, frozen=True):
    run: bytes
    job: bytes | None
    parent_run: bytes | None
    activity: int | None
    status: int | None
    started_at: int | None
    ended_at: int | None
    name: str | None
    first_seen: int | None

    @property
    def is_run(self) -> bool:
        """Not just an operation of another one."""
        return Activity.RUN in Activity(self.activity or Activity.RUN)


class RunFlow:
    """The neighbours of datasets and runs, for one question."""

    def __init__(self, tenant: int, flow: Flow, options: Options, *, by_run: bool) -> None:
        self._tenant, self._flow, self._by_run = tenant, flow, by_run
        window = options.window
        self._until = _FAR if window.until is None else window.until
        self._since = -_FAR if window.since is None else window.since
        self._limit = options.node_limit
        self.rows: dict[bytes, RunRow] = {}
        self.members: dict[bytes, set[bytes]] = {}
        """By run, itself and the operations inside it."""
        self.types: dict[tuple[bytes, bytes], int] = defaultdict(int)
        """By run and dataset: what was done to the dataset."""
        self.cut: dict[RunStep, int] = {}
        """At which datasets how many runs were not looked at."""

    def downstream(self, steps: list[RunStep]) -> Mapping[RunStep, set[RunStep]]:
        return self._neighbours(steps, down=True)

    def upstream(self, steps: list[RunStep]) -> Mapping[RunStep, set[RunStep]]:
        return self._neighbours(steps, down=False)

    def of_jobs(self, jobs: Iterable[bytes]) -> list[bytes]:
        """The runs of these jobs in the window, newest first, as nodes."""
        found = [row for job in jobs for row in self._runs_of(job, None)]
        return list(dict.fromkeys(self._owners(found).values()))

    def says(self, run: bytes, shapes: Collection[bytes]) -> bool:
        """Whether a run, or an operation inside it, said one of these."""
        self._learn_members([run])
        return any(said & set(shapes) for said in self._said(self.members[run]).values())

    def below(self, run: bytes) -> list[bytes]:
        """A run as a node, and all runs (or operations) inside it, however deep."""
        found, level = {run}, {run}
        self.learn([run])
        while level and len(found) < self._limit:
            level = {row.run for row in self._children(level)} - found
            found |= level
        rows = [self.rows[other] for other in found if other in self.rows]
        if not self._by_run:
            rows = [row for row in rows if row.run == run or Activity.OPERATION in Activity(row.activity or 0)]
        return list(dict.fromkeys([self._owners([self.rows[run]])[run], *self._owners(rows).values()]))

    def _neighbours(self, steps: list[RunStep], *, down: bool) -> Mapping[RunStep, set[RunStep]]:
        found: dict[RunStep, set[RunStep]] = {step: set() for step in steps}
        for dataset, runs in self._touching({step.node for step in steps if not step.is_run}, down=down).items():
            found[RunStep(dataset, is_run=False)] = {RunStep(run, is_run=True) for run in runs}
        for run, datasets in self._datasets({step.node for step in steps if step.is_run}, down=down).items():
            found[RunStep(run, is_run=True)] = {RunStep(dataset, is_run=False) for dataset in datasets}
        return found

    def _touching(self, datasets: Collection[bytes], *, down: bool) -> dict[bytes, set[bytes]]:
        members, touching = self._flow.touching(datasets, down=down)
        bodies = self._flow.held.bodies({shape for _, shape in touching})
        holding = self._flow.holding({shape: body.kind for shape, body in bodies.items()})
        shapes: dict[bytes, set[bytes]] = defaultdict(set)
        jobs: dict[bytes, set[bytes]] = defaultdict(set)
        for member, shape in touching:
            body = bodies.get(shape)
            if body is not None and body.job is not None and shape in holding:
                shapes[members[member]].add(shape)
                jobs[members[member]].add(body.job)
        runs = {job: self._runs_of(job, step) for step, job in _pairs(jobs)}
        said = self._said({row.run for rows in runs.values() for row in rows})
        found: dict[bytes, set[bytes]] = {}
        for dataset, doers in jobs.items():
            rows = [row for job in doers for row in runs[job] if said[row.run] & shapes[dataset]]
            found[dataset] = set(self._owners(rows).values())
        return found

    def _runs_of(self, job: bytes, at: bytes | None) -> list[RunRow]:
        bounds = self._until, self._since
        found = self._keep(self._flow.lookup.all(_OF_JOB, self._tenant, job, *bounds, self._limit))
        if len(found) >= self._limit and at is not None:
            ((count,),) = self._flow.lookup.all(_COUNT, self._tenant, job, *bounds)
            step = RunStep(at, is_run=False)
            if count > len(found):
                self.cut[step] = self.cut.get(step, 0) + count - len(found)
        return found

    def _datasets(self, runs: Collection[bytes], *, down: bool) -> dict[bytes, set[bytes]]:
        self._learn_members(runs)
        said = self._said({member for run in runs for member in self.members[run]})
        bodies = self._flow.held.bodies({shape for shapes in said.values() for shape in shapes})
        ends: dict[bytes, list[tuple[bytes, int]]] = defaultdict(list)
        for run in runs:
            for shape in {shape for member in self.members[run] for shape in said[member]} & set(bodies):
                body = bodies[shape]
                ends[run] += [(part.dataset, part.types) for part in (body.outputs if down else body.inputs)]
                if not down:
                    ends[run] += [(dataset, 0) for dataset in body.references]
        self._flow.aliases.learn({dataset for listed in ends.values() for dataset, _ in listed})
        found: dict[bytes, set[bytes]] = {run: set() for run in runs}
        for run, listed in ends.items():
            for dataset, types in listed:
                shown = self._flow.aliases.canonical(dataset)
                found[run].add(shown)
                self.types[run, shown] |= types
        return found

    def _learn_members(self, runs: Collection[bytes]) -> None:
        unknown = [run for run in runs if run not in self.members]
        self.members |= {run: {run} for run in unknown}
        level = {run: run for run in unknown} if self._by_run else {}
        while level:
            inside = [row for row in self._children(level) if not row.is_run and row.parent_run in level]
            following = {}
            for row in inside:
                owner = level[row.parent_run or b""]
                if row.run not in self.members[owner]:
                    self.members[owner].add(row.run)
                    following[row.run] = owner
            level = following

    def learn(self, runs: Collection[bytes]) -> None:
        unknown = [run for run in runs if run not in self.rows]
        self._keep(self._flow.lookup.rows(_BY_ID, self._tenant, unknown))

    def _owners(self, rows: Iterable[RunRow]) -> dict[bytes, bytes]:
        """By run or operation, the node that it belongs to."""
        listed = list(rows)
        if not self._by_run:
            return {row.run: row.run for row in listed}
        owners = {row.run: row for row in listed}
        for _ in range(8):  # operations lie one or two levels below their run
            parents = {row.parent_run for row in owners.values() if not row.is_run and row.parent_run is not None}
            if not parents:
                break
            self.learn(parents)
            owners = {
                run: self.rows.get(row.parent_run or b"", row) if not row.is_run else row for run, row in owners.items()
            }
        return {run: row.run for run, row in owners.items()}

    def _children(self, runs: Collection[bytes]) -> list[RunRow]:
        return self._keep(self._flow.lookup.rows(_CHILDREN, self._tenant, runs))

    def _said(self, runs: Collection[bytes]) -> dict[bytes, set[bytes]]:
        found: dict[bytes, set[bytes]] = {run: set() for run in runs}
        for run, shape in self._flow.lookup.rows(_SAID, self._tenant, runs):
            found[run].add(shape)
        return found

    def _keep(self, rows: Iterable[tuple[Any, ...]]) -> list[RunRow]:
        found = [RunRow(*row) for row in rows]
        self.rows |= {row.run: row for row in found}
        return found


def _pairs(jobs: Mapping[bytes, set[bytes]]) -> list[tuple[bytes, bytes]]:
    return [(dataset, job) for dataset, doers in jobs.items() for job in doers]


def add_up(
    figures: Mapping[Key, Figure], members: Mapping[bytes, set[bytes]], roles: Iterable[Role]
) -> dict[Key, Figure]:
    """Per run, what the operations inside it measured."""
    owner = {member: run for run, inside in members.items() for member in inside}
    found: dict[Key, Figure] = {}
    for (member, dataset, role), figure in figures.items():
        if member in owner and role in tuple(roles):
            total = found.setdefault((owner[member], dataset, role), Figure())
            total.add(figure.rows, figure.bytes, figure.files, figure.types, figure.last_seen)
    return found
