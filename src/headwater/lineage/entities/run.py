"""One run or operation: status, inputs and outputs, parents and parts."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from headwater.graph.current.paired_operations import creates_as_select, pairs_of
from headwater.graph.current.run_around import MOST_LEVELS
from headwater.graph.facts import (
    Activity,
    Assertion,
    Role,
    Run,
    RunDataset,
    RunShape,
    Shape,
    ShapeDataset,
    SqlText,
)
from headwater.lineage.answer.entity_records import RunDatasetItem, RunEntity
from headwater.lineage.answer.values import latest_value, output_types
from headwater.lineage.entities.dataset import assertion_of
from headwater.lineage.entities.run_items import run_id, run_items, run_members
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.flows.shared_measures import counted_twice, take_off
from headwater.lineage.walk.run_row import doing_of
from headwater.store.read.aliases import Aliases
from headwater.store.read.lists.runs import RunCatalog, RunFilter
from headwater.store.read.lookup import looking
from headwater.store.read.reader import Reader
from headwater.store.read.runs.parts import parts_of
from headwater.store.read.runs.previous_run import previous_run
from headwater.store.read.runs.totals import Key, Total

__all__ = ["run_entity"]

_CHILDREN_SHOWN = 100
_MOST_PARTS = 2000
_DOERS_SHOWN = 20


def run_entity(reader: Reader, tenant: int, run_key: bytes, text: str) -> RunEntity:
    """A run or operation by its id."""
    found = reader.facts(tenant, Run, run=run_key)
    if not found:
        raise NodeNotFound(f"There is no run {text[:200]}.", hint="`headwater show JOB` lists runs.")
    run = found[0]
    below = {kind: _below(reader, tenant, run_key, kind) for kind in (Activity.RUN, Activity.OPERATION)}
    parts, is_cut = parts_of(reader.engine, tenant, run_key, _MOST_PARTS)
    parents = run_items(reader, tenant, _parents(reader, tenant, run))
    uses = _Uses(reader, tenant, run_key, parts)
    own = [shape.sql for shape in uses.shapes_of(run_key) if shape.sql]
    statement = reader.facts(tenant, SqlText, sql=own[0]) if own else []
    return RunEntity(
        **run_members(reader, tenant, [run])[0],
        previous=_previous(reader, tenant, run),
        parent_job=parents[0].job if parents else None,
        parents=parents,
        children_total=below[Activity.RUN][1],
        children=run_items(reader, tenant, below[Activity.RUN][0]),
        operations_total=below[Activity.OPERATION][1],
        operations=run_items(reader, tenant, below[Activity.OPERATION][0]),
        parts_total=len(parts),
        is_cut=is_cut,
        inputs=uses.items(Role.INPUT),
        outputs=uses.items(Role.OUTPUT),
        sql=statement[0].text if statement else None,
        assertions=[assertion_of(check) for check in reader.facts(tenant, Assertion, run=run_key)],
    )


def _below(reader: Reader, tenant: int, run_key: bytes, activity: Activity) -> tuple[list[Run], int]:
    """Children of one kind, the earliest first, and their number. A child that is run and operation counts as both."""
    wanted = RunFilter(activity=activity, parents=frozenset((run_key,)))
    page = RunCatalog(reader.engine).runs(tenant, wanted, descending=False, after=None, limit=_CHILDREN_SHOWN)
    ids = [row[0] for row in page.rows]
    by_id = {run.run: run for run in reader.facts(tenant, Run, run=ids)}
    return [by_id[item] for item in ids], page.total


def _previous(reader: Reader, tenant: int, run: Run) -> str | None:
    """The run of the same job before this one."""
    if run.job is None or run.first_seen is None:
        return None
    aliases = Aliases(reader, tenant)
    aliases.learn([run.job])
    found = previous_run(reader.engine, tenant, aliases.group(run.job), run.first_seen, run.run)
    return run_id(found) if found is not None else None


def _parents(reader: Reader, tenant: int, run: Run) -> list[Run]:
    """The parent, its parent, and so on; a ring ends where it began."""
    found: list[Run] = []
    met, above = {run.run}, run.parent_run
    while above is not None and above not in met and len(found) < MOST_LEVELS:
        met.add(above)
        known = reader.facts(tenant, Run, run=above)
        if not known:
            break
        found += known
        above = known[0].parent_run
    return found


class _Uses:
    """Inputs and outputs of a run and its parts together. All names of a dataset are one."""

    def __init__(self, reader: Reader, tenant: int, run: bytes, parts: Collection[bytes]) -> None:
        self._run, runs = run, {run, *parts}
        self._links = reader.facts(tenant, RunShape, run=runs)
        shapes = {link.shape for link in self._links}
        self._shapes = {shape.shape: shape for shape in reader.facts(tenant, Shape, shape=shapes)}
        self._parts: dict[bytes, list[ShapeDataset]] = {}
        for part in reader.facts(tenant, ShapeDataset, shape=shapes):
            self._parts.setdefault(part.shape, []).append(part)
        self._aliases = Aliases(reader, tenant)
        self._aliases.learn({part.dataset for listed in self._parts.values() for part in listed})
        self._names = reader.names(
            tenant, {self._aliases.canonical(part.dataset) for listed in self._parts.values() for part in listed}
        )
        self._measured = reader.facts(tenant, RunDataset, run=runs)
        self._twice = self._counted_twice(reader, tenant, parts)

    def _counted_twice(self, reader: Reader, tenant: int, parts: Collection[bytes]) -> dict[Key, Total]:
        """Figures that both operations of one act report."""
        doings = [doing_of(part) for part in reader.facts(tenant, Run, run=parts) if part.name]
        if not any(creates_as_select(doing.name) for doing in doings):
            return {}
        written: dict[bytes, set[bytes]] = {}
        for link in self._links:
            for part in self._parts.get(link.shape, ()):
                if part.role == Role.OUTPUT:
                    written.setdefault(link.run, set()).add(self._aliases.canonical(part.dataset))
        acts = {creation: (insert, self._run) for creation, insert in pairs_of(doings, written)}
        with looking(reader.engine) as lookup:
            return counted_twice(Flow(reader, tenant, lookup=lookup), acts)

    def shapes_of(self, run: bytes) -> list[Shape]:
        links = sorted((link for link in self._links if link.run == run), key=lambda link: link.last_seen or 0)
        return [self._shapes[link.shape] for link in reversed(links) if link.shape in self._shapes]

    def items(self, role: Role) -> list[RunDatasetItem]:
        found: dict[bytes, _Use] = {}
        for link in sorted(self._links, key=lambda link: (link.last_seen or 0, link.shape)):
            for part in self._parts.get(link.shape, ()):
                dataset = self._aliases.canonical(part.dataset)
                if part.role == role and dataset in self._names:
                    found.setdefault(dataset, _Use()).add(link.run, part)
        for item in self._measured:
            use = found.get(self._aliases.canonical(item.dataset))
            if item.role == role and use is not None:
                use.measured.append(item)
        figures = {(self._run, dataset, int(role)): use.total() for dataset, use in found.items()}
        take_off(figures, self._twice)
        items = [self._item(dataset, use, figures[self._run, dataset, int(role)]) for dataset, use in found.items()]
        return sorted(items, key=lambda item: item.dataset)

    def _item(self, dataset: bytes, use: _Use, figure: Total) -> RunDatasetItem:
        newest = max((item.version for item in use.measured if item.version), default=None)
        subset = latest_value(max((item.subset for item in use.measured if item.subset), default=None))
        doers = sorted(use.runs)
        return RunDatasetItem(
            dataset=self._names[dataset].node_id,
            key=self._names[dataset].key,
            by=[run_id(run) for run in doers[:_DOERS_SHOWN]],
            by_total=len(doers),
            types=output_types(use.types),
            rows=figure.rows,
            bytes=figure.bytes,
            files=figure.files,
            version=latest_value(newest),
            subset=msgspec.json.decode(subset) if subset else None,
            schema=use.schema.hex() if use.schema else None,
        )


class _Use:
    """How one dataset was used."""

    def __init__(self) -> None:
        self.runs: set[bytes] = set()
        self.types = 0
        self.schema: bytes | None = None
        self.measured: list[RunDataset] = []

    def total(self) -> Total:
        found = Total()
        for item in self.measured:
            found.add(item.rows, item.bytes, item.files, None, None)
        return found

    def add(self, run: bytes, part: ShapeDataset) -> None:
        self.runs.add(run)
        self.types |= part.types or 0
        self.schema = part.schema or self.schema  # in the order of time: the newest that was said
