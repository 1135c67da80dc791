"""All that is known of one run or operation: how it went, what it read and wrote, and what is above and below it."""

from __future__ import annotations

import msgspec

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
from headwater.lineage.answers import RunDatasetItem, RunEntity
from headwater.lineage.dataset import assertion_of
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.shown import output_types, run_item, run_members, said
from headwater.store.catalog import Catalog, RunFilter
from headwater.store.read import Name, Reader

__all__ = ["run_entity"]

_CHILDREN_SHOWN = 100
_MOST_PARENTS = 20


def run_entity(reader: Reader, tenant: int, run_id: bytes, text: str, *, as_operation: bool = False) -> RunEntity:
    """A run by its id, as a run or as an operation."""
    found = reader.facts(tenant, Run, run=run_id)
    if not found:
        raise NodeNotFound(f"There is no run {text}.", hint="`headwater show JOB` lists the newest runs of a job.")
    run = found[0]
    links = reader.facts(tenant, RunShape, run=run_id)
    parts = reader.facts(tenant, ShapeDataset, shape={link.shape for link in links})
    shapes = reader.facts(tenant, Shape, shape={link.shape for link in links})
    measured = {(item.dataset, item.role): item for item in reader.facts(tenant, RunDataset, run=run_id)}
    below = {kind: _below(reader, tenant, run_id, kind) for kind in (Activity.RUN, Activity.OPERATION)}
    parents = _parents(reader, tenant, run)
    others = [run, *parents, *below[Activity.RUN][0], *below[Activity.OPERATION][0]]
    names = reader.names(tenant, {part.dataset for part in parts} | {item.job for item in others if item.job})
    sql = next((shape.sql for shape in shapes if shape.sql), None)
    statement = reader.facts(tenant, SqlText, sql=sql) if sql else []
    return RunEntity(
        **run_members(run, names, as_operation=as_operation),
        kind="operation" if as_operation else "run",
        parent_job=names[parents[0].job].node_id if parents and parents[0].job in names else None,
        parents=[run_item(item, names) for item in parents],
        children_total=below[Activity.RUN][1],
        children=[run_item(item, names) for item in below[Activity.RUN][0]],
        operations_total=below[Activity.OPERATION][1],
        operations=[run_item(item, names, as_operation=True) for item in below[Activity.OPERATION][0]],
        inputs=_datasets(parts, Role.INPUT, names, measured),
        outputs=_datasets(parts, Role.OUTPUT, names, measured),
        sql=statement[0].text if statement else None,
        assertions=[assertion_of(check) for check in reader.facts(tenant, Assertion, run=run_id)],
    )


def _below(reader: Reader, tenant: int, run_id: bytes, activity: Activity) -> tuple[list[Run], int]:
    """Children of one kind, the earliest first, and how many there are. What is both is shown as both."""
    wanted = RunFilter(activity=activity, parents=frozenset((run_id,)))
    page = Catalog(reader.engine).runs(tenant, wanted, descending=False, after=None, limit=_CHILDREN_SHOWN)
    ids = [row[0] for row in page.rows]
    by_id = {run.run: run for run in reader.facts(tenant, Run, run=ids)}
    return [by_id[item] for item in ids], page.total


def _parents(reader: Reader, tenant: int, run: Run) -> list[Run]:
    """The parent, its parent, and so on; a ring ends where it began."""
    found: list[Run] = []
    met, above = {run.run}, run.parent_run
    while above is not None and above not in met and len(found) < _MOST_PARENTS:
        met.add(above)
        known = reader.facts(tenant, Run, run=above)
        if not known:
            break
        found += known
        above = known[0].parent_run
    return found


def _datasets(
    parts: list[ShapeDataset],
    role: Role,
    names: dict[bytes, Name],
    measured: dict[tuple[bytes, int], RunDataset],
) -> list[RunDatasetItem]:
    types: dict[bytes, int] = {}
    schemas: dict[bytes, bytes] = {}
    for part in parts:
        if part.role == role and part.dataset in names:
            types[part.dataset] = types.get(part.dataset, 0) | (part.types or 0)
            if part.schema:
                schemas[part.dataset] = part.schema
    found = []
    for dataset in sorted(types, key=lambda node: names[node].node_id):
        item, schema = measured.get((dataset, int(role))), schemas.get(dataset)
        subset = said(item.subset) if item else None
        found.append(
            RunDatasetItem(
                dataset=names[dataset].node_id,
                types=output_types(types[dataset]),
                rows=item.rows if item else None,
                bytes=item.bytes if item else None,
                files=item.files if item else None,
                version=said(item.version) if item else None,
                subset=msgspec.json.decode(subset) if subset else None,
                schema=schema.hex() if schema else None,
            )
        )
    return found
