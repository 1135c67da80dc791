"""One job: current and earlier inputs and outputs, runs."""

from __future__ import annotations

from headwater.graph.annotations.described import Described
from headwater.graph.current.newest_facets import newest_facets
from headwater.graph.current.window import ALWAYS
from headwater.graph.facts import Dependency, Evidence, Role, Run, Shape, ShapeDataset, SqlText
from headwater.lineage.answer.entity_records import JobEntity, JobVersion
from headwater.lineage.answer.records import UNKNOWN_TYPE
from headwater.lineage.answer.values import moment, newer, stamped, status_name
from headwater.lineage.entities.annotations import described_of
from headwater.lineage.entities.hidden import hidden_of
from headwater.lineage.entities.rhythm import rhythm_of
from headwater.lineage.entities.run_items import run_items
from headwater.lineage.flows.collapsed_jobs import jobs_inside
from headwater.store.read.aliases import Aliases
from headwater.store.read.lists.runs import RunCatalog, RunFilter
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Name, Reader
from headwater.store.read.shapes.newest_shapes import newest_shapes
from headwater.store.read.summaries import Summaries

__all__ = ["job_entity"]

_RUNS_SHOWN = 10
_VERSIONS_SHOWN = 20
_PARTS_SHOWN = 200


def job_entity(reader: Reader, tenant: int, name: Name) -> JobEntity:
    """A job by its name, under all addresses of its location."""
    aliases = Aliases(reader, tenant)
    aliases.learn([name.id])
    ids = aliases.group(name.id)
    lookup = Lookup(reader.engine)
    looked_at, left_out = newest_shapes(lookup, tenant, ids)
    shapes = [shape for shape in reader.facts(tenant, Shape, shape=looked_at) if shape.job in ids]
    evidence = {item.shape: item for item in reader.facts(tenant, Evidence, shape={shape.shape for shape in shapes})}
    shapes.sort(key=lambda shape: _last(evidence, shape), reverse=True)
    parts = reader.facts(tenant, ShapeDataset, shape={shape.shape for shape in shapes})
    aliases.learn(part.dataset for part in parts)
    inside = jobs_inside(lookup, tenant, aliases, name.id, ALWAYS)
    dependencies = reader.facts(tenant, Dependency, target=ids)
    newest = shapes[0] if shapes else Shape(tenant, b"")
    parent = next((shape.parent_job for shape in shapes if shape.parent_job), None)
    related = {aliases.canonical(part.dataset) for part in parts} | {item.source for item in dependencies}
    names = reader.names(tenant, {*related, *ids, *inside.jobs, *([parent] if parent else ())})
    sql = next((shape.sql for shape in shapes if shape.sql), None)
    statement = reader.facts(tenant, SqlText, sql=sql) if sql else []
    runs, counts = _runs(reader, tenant, ids), Summaries(reader.engine).count_runs(tenant, ids)
    facets = newest_facets(shape.facets for shape in shapes)
    about = described_of(tenant, lookup, {name.id: ids}).get(name.id) or Described()

    def datasets(role: Role, within: bytes | None = None) -> list[str]:
        chosen = (part for part in parts if part.role == role and within in (None, part.shape))
        shown = {aliases.canonical(part.dataset) for part in chosen}
        return sorted(names[node].node_id for node in shown if node in names)

    return JobEntity(
        kind="job",
        id=name.node_id,
        key=name.key,
        namespace=name.namespace,
        name=name.name,
        location=f"location:{name.namespace}",
        type=_type(shapes, runs),
        processing=next((shape.processing for shape in shapes if shape.processing), None),
        producer=newest.producer,
        parent=names[parent].node_id if parent in names else None,
        first_seen=moment(name.first_seen),
        last_seen=stamped(newer(*(item.last for item in evidence.values()))),
        description=about.description,
        tags=about.tags,
        owners=about.owners,
        sql=statement[0].text if statement else None,
        parts_total=len(inside.jobs),
        parts=sorted(names[part].node_id for part in inside.jobs if part in names)[:_PARTS_SHOWN],
        runs_left_out=inside.runs_left_out if inside.jobs else 0,
        waits_for=sorted(names[item.source].node_id for item in dependencies if item.source in names),
        inputs=datasets(Role.INPUT),
        outputs=datasets(Role.OUTPUT),
        references=datasets(Role.REFERENCE),
        versions_total=len(shapes) + left_out,
        versions_left_out=left_out,
        versions=[
            JobVersion(
                id=shape.shape.hex(),
                kind=shape.kind,
                first_seen=moment(evidence[shape.shape].first_seen) if shape.shape in evidence else None,
                last_seen=stamped(_last(evidence, shape)),
                inputs=datasets(Role.INPUT, shape.shape),
                outputs=datasets(Role.OUTPUT, shape.shape),
                sql=f"sql:{shape.sql.hex()}" if shape.sql else None,
            )
            for shape in shapes[:_VERSIONS_SHOWN]
        ],
        every_ms=rhythm_of(Lookup(reader.engine), tenant, ids),
        runs_total=sum(counts.values()),
        runs_by_status={status_name(status): count for status, count in sorted(counts.items())},
        runs=run_items(reader, tenant, runs),
        hidden=hidden_of(reader, tenant, name.namespace, ids),
        facets=facets,
    )


def _runs(reader: Reader, tenant: int, ids: frozenset[bytes]) -> list[Run]:
    """The newest runs, be they runs or operations."""
    page = RunCatalog(reader.engine).runs(tenant, RunFilter(jobs=ids), descending=True, after=None, limit=_RUNS_SHOWN)
    newest = [row[0] for row in page.rows]
    found = {run.run: run for run in reader.facts(tenant, Run, run=newest)}
    return [found[run] for run in newest]


def _type(shapes: list[Shape], runs: list[Run]) -> str:
    """Type of a job by its newest events. A session has none of its own: then by its runs."""
    job_types = [shape.job_type for shape in shapes if shape.job_type] or [run.job_type for run in runs if run.job_type]
    return next((kind for kind in job_types if kind != UNKNOWN_TYPE), UNKNOWN_TYPE)


def _last(evidence: dict[bytes, Evidence], shape: Shape) -> bytes:
    item = evidence.get(shape.shape)
    return item.last if item and item.last else b""
