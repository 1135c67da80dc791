"""Which runs, or operations inside them, read and wrote which datasets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from headwater.graph.current.flows import JobShapes, named_in, sources_of, targets_named
from headwater.graph.current.paired_operations import creates_as_select, pairs_of
from headwater.graph.current.run_around import CLIMB_LIMIT, parent_of, run_around
from headwater.graph.current.shape_body import ShapeBody
from headwater.graph.facts import Activity, Role
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.walk.inner_datasets import inner_of
from headwater.lineage.walk.options import Options
from headwater.lineage.walk.run_row import RunRow, RunStep, deciding_failures, doing_of
from headwater.store.read.runs.part_runs import MOST_STARTS, runs_below
from headwater.store.read.runs.totals import Key, Total

__all__ = ["RunFlow", "add_up"]

_COLUMNS = "run, job, parent_run, activity, status, started_at, ended_at, [name], first_seen, last_seen"
_WINDOW = "u.first_seen <= ? AND u.last_seen >= ?"
_SAYING = (
    f"SELECT {', '.join('u.' + name for name in _COLUMNS.split(', '))} FROM run_shape r "
    "JOIN run u ON u.tenant = r.tenant AND u.run = r.run "
    f"WHERE r.tenant = ? AND r.shape = ? AND r.first_seen <= ? AND {_WINDOW} "
    "ORDER BY r.first_seen DESC, r.run DESC LIMIT ?"
)
_COUNT_SAYING = (
    "SELECT COUNT(*) FROM run_shape r JOIN run u ON u.tenant = r.tenant AND u.run = r.run "
    f"WHERE r.tenant = ? AND r.shape = ? AND r.first_seen <= ? AND {_WINDOW}"
)
_OF_JOB = (
    f"SELECT {_COLUMNS} FROM run WHERE tenant = ? AND job = ? AND first_seen <= ? AND last_seen >= ? "
    "ORDER BY first_seen DESC LIMIT ?"
)
_COUNT_OF_JOB = "SELECT COUNT(*) FROM run WHERE tenant = ? AND job = ? AND first_seen <= ? AND last_seen >= ?"
_BY_ID = f"SELECT {_COLUMNS} FROM run WHERE tenant = ? AND run {{ids}}"
_CHILDREN = f"SELECT {_COLUMNS} FROM run WHERE tenant = ? AND parent_run {{ids}}"
_BEFORE = (
    f"SELECT {_COLUMNS} FROM run WHERE tenant = ? AND job = ? AND first_seen <= ? AND last_seen < ? "
    "ORDER BY first_seen DESC LIMIT ?"
)
_SHAPES_OF_RUNS = (
    "SELECT run, shape, first_seen, last_seen FROM run_shape WHERE tenant = ? AND run {ids} AND first_seen <= ?"
)
_NOTHING: frozenset[bytes] = frozenset()


class RunFlow:
    """Neighbours of datasets and runs, for one question.

    A run is one node with all operations inside it, but a walk passes through it operation by operation: inputs of one
    do not flow into outputs of another.
    """

    def __init__(self, tenant: int, flow: Flow, options: Options, *, by_run: bool) -> None:
        self._tenant, self._flow, self._by_run = tenant, flow, by_run
        self._window = options.window
        self._since, self._until = options.window.bounds
        self._limit = options.node_limit
        self.rows: dict[bytes, RunRow] = {}
        self.members: dict[bytes, set[bytes]] = {}
        """By run, itself and the operations inside it."""
        self.types: dict[tuple[bytes, bytes], int] = defaultdict(int)
        """By run and dataset, the types of output."""
        self.inner: dict[bytes, set[bytes]] = {}
        """By run that stands for all that is inside it: the datasets that only its parts use."""
        self.runs_left_out = 0
        """Of the job that is asked for, older runs that were not looked at."""
        self.is_cut = False
        """Not all parts of such runs were looked at."""
        self.inputs: set[tuple[bytes, bytes]] = set()
        """By run and dataset, the inputs that events name as such, and not only as sources of columns."""
        self.cut: dict[RunStep, int] = {}
        """At which datasets how many runs were not looked at."""
        self.seen: dict[tuple[bytes, bytes, Role], tuple[int, int]] = {}
        """By run, dataset and role, the first and last time."""
        self._asked: set[bytes] = set()
        """Runs that are asked for themselves, whenever they were."""
        self._inside: dict[bytes, bytes] = {}
        """By run or operation, the node that stands for it."""
        self._failing: dict[bytes, set[bytes]] = {}
        """By dataset that was written, the runs that failed and count all the same."""
        self._said: dict[tuple[bytes, bytes], tuple[int, int]] = {}
        """By run and shape, the first and last time."""
        self._records: dict[bytes, JobShapes] = {}
        """By run or operation, its own records."""

    def downstream(self, steps: list[RunStep]) -> Mapping[RunStep, set[RunStep]]:
        return self._neighbours(steps, down=True)

    def upstream(self, steps: list[RunStep]) -> Mapping[RunStep, set[RunStep]]:
        return self._neighbours(steps, down=False)

    def of_jobs(self, jobs: Iterable[bytes]) -> list[bytes]:
        """The runs of these jobs in the window, newest first, as nodes."""
        found = [row for job in jobs for row in self._runs_of(job)]
        return list(dict.fromkeys(self._owners(found).values()))

    def says(self, run: bytes, shapes: Collection[bytes]) -> bool:
        """Whether a run, or an operation inside it, stated one of these."""
        self.learn_members([run])
        return any(shapes_of_runs & set(shapes) for shapes_of_runs in self._shapes_of_runs(self.members[run]).values())

    def below(self, runs: Collection[bytes]) -> list[bytes]:
        """Runs as nodes, and all runs (or operations) inside them, however deep."""
        self.learn(runs)
        self._asked.update(runs)
        inside = runs_below(self._flow.lookup, self._tenant, runs, self._window).parts
        self.learn(inside)
        first = [self.rows[run] for run in runs if run in self.rows]
        rows = [self.rows[part] for part in inside if part in self.rows]
        if not self._by_run:
            rows = [row for row in rows if Activity.OPERATION in Activity(row.activity or 0)]
        return list(dict.fromkeys(self._owners([*first, *rows]).values()))

    def collapse(self, runs: Collection[bytes]) -> None:
        """Make each of these one node together with all that is inside it, however deep."""
        self.learn(runs)
        self._asked.update(runs)
        below = runs_below(self._flow.lookup, self._tenant, runs, self._window)
        for part in below.parts:
            owner = below.owner[part]
            self.members.setdefault(owner, {owner}).add(part)
            self._inside[part] = owner
        self.learn(below.parts)
        self.is_cut = below.is_cut
        for owner in {below.owner[part] for part in below.parts}:
            self._learn_records(self.members[owner])
            self.inner[owner] = inner_of(self._flow, [self._records[member] for member in self.members[owner]])

    def acts(self, runs: Iterable[bytes]) -> dict[bytes, tuple[bytes, bytes]]:
        """Operations inside these runs that are one act, as creation: (insert, run)."""
        found: dict[bytes, tuple[bytes, bytes]] = {}
        for run in runs:
            rows = [self.rows[member] for member in self.members.get(run, ()) if member in self.rows]
            doings = [doing_of(row) for row in rows if row.name]
            if not any(creates_as_select(doing.name) for doing in doings):
                continue
            written = {
                doing.run: {
                    self._flow.aliases.canonical(part.dataset)
                    for body in self._records[doing.run].runs.values()
                    for part in body.outputs
                }
                for doing in doings
                if doing.run in self._records
            }
            found |= {creation: (insert, run) for creation, insert in pairs_of(doings, written)}
        return found

    def _neighbours(self, steps: list[RunStep], *, down: bool) -> Mapping[RunStep, set[RunStep]]:
        found: dict[RunStep, set[RunStep]] = {step: set() for step in steps}
        datasets = {step.node for step in steps if not step.is_run}
        for dataset, runs in self._uses_of(datasets, down=down).items():
            found[RunStep(dataset, is_run=False)] = {RunStep(run, is_run=True, behalf=dataset) for run in runs}
        for step, ends in self._datasets([step for step in steps if step.is_run], down=down).items():
            found[step] = {RunStep(dataset, is_run=False) for dataset in ends}
        return found

    def _uses_of(self, datasets: Collection[bytes], *, down: bool) -> dict[bytes, set[bytes]]:
        """By dataset, the runs that read (or wrote) it."""
        flow = self._flow
        members, uses_of = flow.uses_of(datasets, down=down)
        bodies = flow.applying.bodies({shape for _, shape in uses_of})
        shapes: dict[bytes, set[bytes]] = defaultdict(set)
        for member, shape in uses_of:
            body = bodies.get(shape)
            if body is None or body.job is None or not flow.applying.wants(body):
                continue
            if down or member in body.writes or any(member == target for _, target in body.stated):
                shapes[members[member]].add(shape)
        found: dict[bytes, set[bytes]] = {}
        for dataset, listed in shapes.items():
            rows = [row for shape in sorted(listed) for row in self._saying(shape, dataset)]
            if not down:
                rows = self._that_wrote(dataset, rows, listed)
            found[dataset] = set(self._owners(rows).values())
        return found

    def _that_wrote(self, dataset: bytes, rows: Collection[RunRow], shapes: Collection[bytes]) -> list[RunRow]:
        """Those that did not fail, and of a job of which all failed the newest."""
        failed = {row.run for row in rows if row.has_failed(self._until)}
        said = self._shapes_of_runs(failed)
        began = {run: min(self._said[run, shape][0] for shape in said[run] if shape in shapes) for run in failed}
        self._failing[dataset] = deciding_failures(rows, self._until, began)
        return [row for row in rows if row.run not in failed or row.run in self._failing[dataset]]

    def _without_failures(
        self, found: Mapping[tuple[RunStep, bytes], set[bytes]], *, down: bool
    ) -> Mapping[tuple[RunStep, bytes], set[bytes]]:
        """By step, and run or operation in it, its outputs (or inputs), without failed writes."""
        failed = {
            key: ends
            for key, ends in found.items()
            if key[0].behalf is not None and (row := self.rows.get(key[1])) is not None and row.has_failed(self._until)
        }
        if not failed:
            return found
        targets = {end for ends in failed.values() for end in ends} if down else set()
        self._flow.aliases.learn(targets)
        shown = {end: self._flow.aliases.canonical(end) for end in targets}
        self._uses_of({end for end in shown.values() if end not in self._failing}, down=False)
        less: dict[tuple[RunStep, bytes], set[bytes]] = {}
        for (step, member), ends in failed.items():
            wrote = {
                end for end in ends if member in self._failing.get(shown[end] if down else step.behalf or b"", _NOTHING)
            }
            less[step, member] = wrote
        return {**found, **less}

    def _saying(self, shape: bytes, dataset: bytes) -> list[RunRow]:
        """The newest runs in the window with a shape."""
        values = self._tenant, shape, self._until, self._until, self._since
        found = self._keep(self._flow.lookup.all(_SAYING, *values, self._limit))
        if len(found) >= self._limit:
            ((count,),) = self._flow.lookup.all(_COUNT_SAYING, *values)
            step = RunStep(dataset, is_run=False)
            if count > len(found):
                self.cut[step] = self.cut.get(step, 0) + count - len(found)
        return found

    def _runs_of(self, job: bytes) -> list[RunRow]:
        """The newest runs of a job in the window, by their own times or those of their parts."""
        values = self._tenant, job, self._until, self._since
        rows = self._flow.lookup.all(_OF_JOB, *values, self._limit)
        if len(rows) >= self._limit:
            ((count,),) = self._flow.lookup.all(_COUNT_OF_JOB, *values)
            self.runs_left_out += count - len(rows)
        found = self._keep(rows)
        if self._window.since is not None:
            before = self._keep(
                self._flow.lookup.all(_BEFORE, self._tenant, job, self._until, self._since, MOST_STARTS)
            )
            below = runs_below(self._flow.lookup, self._tenant, [row.run for row in before], self._window)
            going_on = {below.owner[part] for part in below.parts}
            found += [row for row in before if row.run in going_on]
        return found

    def _datasets(self, steps: Collection[RunStep], *, down: bool) -> dict[RunStep, set[bytes]]:
        """Outputs (or inputs) of runs: all, or the flows of the dataset that led to them."""
        runs = {step.node for step in steps}
        self.learn_members(runs)
        self._learn_records({member for run in runs for member in self.members[run]})
        found: dict[tuple[RunStep, bytes], set[bytes]] = {}
        for step in steps:
            behalf = _NOTHING if step.behalf is None else self._flow.aliases.group(step.behalf)
            for member in self.members[step.node] & self._records.keys():
                record = self._records[member]
                own = self.all_ends(record.runs.values(), down=down)
                found[step, member] = set(own if step.behalf is None else self.ends(record, behalf, down=down))
        raw: dict[RunStep, set[bytes]] = {step: set() for step in steps}
        for (step, _), ends in self._without_failures(found, down=down).items():
            raw[step] |= ends
        self._flow.aliases.learn({end for ends in raw.values() for end in ends})
        shown = self._flow.aliases.canonical
        return {
            step: set(map(shown, ends)) - (self.inner.get(step.node, _NOTHING) if step.behalf is None else _NOTHING)
            for step, ends in raw.items()
        }

    @staticmethod
    def all_ends(bodies: Iterable[ShapeBody], *, down: bool) -> Iterable[bytes]:
        for body in bodies:
            yield from (part.dataset for part in (body.outputs if down else body.inputs))
            yield from (edge[1] if down else edge[0] for edge in body.stated)
            yield from (body.writes if down else (*body.reads, *body.references))

    @staticmethod
    def ends(record: JobShapes, behalf: Collection[bytes], *, down: bool) -> Iterable[bytes]:
        if not down:
            return sources_of(record, behalf)
        named = targets_named(record, behalf)
        return {target for target in named if not sources_of(record, [target]).isdisjoint(behalf)}

    def records_of(self, runs: Collection[bytes]) -> dict[bytes, JobShapes]:
        """Records of these runs themselves, without those outside the window."""
        self._learn_records(runs)
        return {run: self._records[run] for run in runs if run in self._records}

    def _learn_records(self, runs: Collection[bytes]) -> None:
        """Load records of these runs up to the end of the window; none for runs outside it."""
        unknown = [run for run in runs if run not in self._records]
        shapes_of_runs = self._shapes_of_runs(unknown)
        bodies = self._flow.applying.bodies({shape for shapes in shapes_of_runs.values() for shape in shapes})
        for run, shapes in shapes_of_runs.items():
            own = {shape: bodies[shape] for shape in shapes if shape in bodies}
            record = JobShapes(run, own, {shape: own.keys() for shape in own})
            record.index()
            self._records[run] = record

    def learn_types(self, runs: Collection[bytes]) -> None:
        """Load types and times of outputs of these runs and their operations."""
        self.learn_members(runs)
        self._learn_records({member for run in runs for member in self.members[run]})
        said = [
            (run, body, self._said[member, body.shape])
            for run in runs
            for member in self.members[run]
            if member in self._records
            for body in self._records[member].runs.values()
        ]
        self._flow.aliases.learn(named_in(body for _, body, _ in said))
        shown = self._flow.aliases.canonical
        for run, body, times in said:
            for part in body.outputs:
                self.types[run, shown(part.dataset)] |= part.types
            self.inputs.update((run, shown(dataset)) for dataset in body.reads)
            for role, down in ((Role.INPUT, False), (Role.OUTPUT, True)):
                for dataset in set(map(shown, self.all_ends([body], down=down))):
                    known = self.seen.get((run, dataset, role), times)
                    self.seen[run, dataset, role] = min(known[0], times[0]), max(known[1], times[1])

    def learn_members(self, runs: Collection[bytes]) -> None:
        unknown = [run for run in runs if run not in self.members]
        self.members |= {run: {run} for run in unknown}
        level = {run: run for run in unknown} if self._by_run else {}
        for _ in range(CLIMB_LIMIT):
            inside = [row for row in self._children(level) if parent_of(row) in level and self._is_in_window(row)]
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
        parents = {row.run: parent_of(row) for row in listed}
        for _ in range(CLIMB_LIMIT + 1):
            above = {parent for parent in parents.values() if parent is not None and parent not in parents}
            self.learn(above)
            known = {run: parent_of(self.rows[run]) for run in above if run in self.rows}
            if not known:
                break
            parents |= known
        owners = {row.run: run_around(row.run, parents) for row in listed}
        return {run: self._inside.get(run) or self._inside.get(owner, owner) for run, owner in owners.items()}

    def _children(self, runs: Collection[bytes]) -> list[RunRow]:
        return self._keep(self._flow.lookup.rows(_CHILDREN, self._tenant, runs))

    def _shapes_of_runs(self, runs: Collection[bytes]) -> dict[bytes, set[bytes]]:
        self.learn(runs)
        found: dict[bytes, set[bytes]] = {run: set() for run in runs}
        out = {run for run in runs if run not in self._asked and not self._is_in_window(self.rows.get(run))}
        for run, shape, first, last in self._flow.lookup.rows(
            _SHAPES_OF_RUNS, self._tenant, found.keys() - out, self._until
        ):
            found[run].add(shape)
            self._said[run, shape] = first, last
        return found

    def _is_in_window(self, row: RunRow | None) -> bool:
        if row is None or self._window.is_always:
            return True
        first, last = row.first_seen, row.last_seen
        return (first is None or first <= self._until) and (last is None or last >= self._since)

    def _keep(self, rows: Iterable[tuple[Any, ...]]) -> list[RunRow]:
        found = [RunRow(*row) for row in rows]
        self.rows |= {row.run: row for row in found}
        return found


def add_up(
    figures: Mapping[Key, Total], members: Mapping[bytes, set[bytes]], roles: Iterable[Role]
) -> dict[Key, Total]:
    """Per run, the sums of its operations."""
    owner = {member: run for run, inside in members.items() for member in inside}
    found: dict[Key, Total] = {}
    for (member, dataset, role), figure in figures.items():
        if member in owner and role in tuple(roles):
            total = found.setdefault((owner[member], dataset, role), Total())
            total.add(figure.rows, figure.bytes, figure.files, figure.types, figure.last_seen)
    return found
