"""One dataset, by any of its names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any, cast

import msgspec

from headwater.graph.annotations.described import Described
from headwater.graph.assets.column_kinds import How
from headwater.graph.current.newest_facets import newest_facets
from headwater.graph.current.schemas import current_schema, schema_uses
from headwater.graph.current.sides import is_written
from headwater.graph.facts import (
    Assertion,
    Evidence,
    Quality,
    Rename,
    Role,
    SchemaVersion,
    Shape,
    ShapeDataset,
    Symlink,
)
from headwater.lineage.answer.entity_records import AliasName, ColumnSource, DatasetEntity, LastAttempt, Use
from headwater.lineage.answer.text_types import Relevance
from headwater.lineage.answer.values import latest_value, moment, newer, stamped, status_name, uuid_of
from headwater.lineage.entities.annotations import described_of
from headwater.lineage.entities.existence import Existence, existence_of
from headwater.lineage.entities.hidden import hidden_of
from headwater.lineage.entities.overlay_facets import overlay_facets
from headwater.lineage.entities.retracted import retracted_since
from headwater.lineage.entities.rhythm import rhythm_of
from headwater.lineage.entities.run_items import run_id
from headwater.lineage.entities.schemas import described_fields, keyed, read_fields, schema_history
from headwater.lineage.flows.completion import completed_columns
from headwater.lineage.flows.transformation import in_order
from headwater.lineage.lists.listing import list_runs
from headwater.openlineage.naming import is_exact
from headwater.store.read.aliases import Aliases
from headwater.store.read.lists.runs import RunFilter
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Name, Reader
from headwater.store.read.runs.attempts import Attempts
from headwater.store.read.summaries import Summaries

__all__ = ["assertion_of", "dataset_entity"]

_JOBS_SHOWN = 200
_RUNS_SHOWN = 10


def dataset_entity(reader: Reader, tenant: int, name: Name) -> DatasetEntity:
    """A dataset, with all its names taken together."""
    aliases = Aliases(reader, tenant)
    aliases.learn([name.id])
    ids = aliases.group(name.id)
    names = reader.names(tenant, ids)
    shown = names.get(aliases.canonical(name.id), name)
    parts = reader.facts(tenant, ShapeDataset, dataset=ids)
    shapes = {shape.shape: shape for shape in reader.facts(tenant, Shape, shape={part.shape for part in parts})}
    evidence = {item.shape: item for item in reader.facts(tenant, Evidence, shape=set(shapes))}
    parts.sort(key=lambda part: (_last(evidence, part), part.role == Role.OUTPUT), reverse=True)
    jobs = reader.names(tenant, {shape.job for shape in shapes.values() if shape.job})
    by_role: dict[int, set[str]] = defaultdict(set)
    writing: set[str] = set()
    for part in parts:
        job = shapes[part.shape].job if part.shape in shapes else None
        if job in jobs:
            by_role[part.role].add(jobs[job].node_id)
            if _writes(part):
                writing.add(jobs[job].node_id)
    uses = schema_uses(parts, evidence)
    versions = {item.schema: item for item in reader.facts(tenant, SchemaVersion, schema={use.schema for use in uses})}
    holds = current_schema(uses)
    version = versions.get(holds[0]) if holds else None
    facets = newest_facets(part.facets for part in parts)
    if is_exact(shown.namespace):
        facets |= overlay_facets(reader, tenant, ids)
    about = described_of(tenant, Lookup(reader.engine), {shown.id: ids}).get(shown.id) or Described()
    state = existence_of(Attempts(reader.engine).outcomes(tenant, ids), parts, shapes, evidence)
    runs = list_runs(reader, tenant, RunFilter(datasets=ids), "-first_seen", None, _RUNS_SHOWN)
    readers, writers = sorted(by_role[Role.INPUT]), sorted(writing)
    return DatasetEntity(
        kind="dataset",
        id=shown.node_id,
        key=shown.key,
        namespace=shown.namespace,
        name=shown.name,
        title=about.title,
        url=about.url,
        location=f"location:{shown.namespace}",
        aliases=sorted(other.node_id for other in names.values() if other.id != shown.id),
        links=_links(reader, tenant, ids, names, shown),
        reference_only=all(part.role == Role.REFERENCE for part in parts),
        exists=state.exists,
        created_at=moment(state.created_at),
        dropped_at=moment(state.dropped_at),
        truncated_at=moment(state.truncated_at),
        retracted_at=retracted_since(tenant, Lookup(reader.engine), {shown.id: ids}).get(shown.id),
        first_seen=_earliest(item.first_seen for item in evidence.values()),
        last_seen=stamped(newer(*(item.last for item in evidence.values()))),
        description=about.description,
        tags=about.tags,
        owners=about.owners,
        schema=keyed(shown.id, described_fields(read_fields(version.fields if version else None), about)),
        schema_id=holds[0].hex() if holds else None,
        schema_relevance=cast("Relevance", holds[1]) if holds else None,
        schema_versions=len(uses),
        schema_history=schema_history(uses, versions),
        use=_use(reader, tenant, ids, state, len(readers), len(writers), _writing(parts, shapes)),
        written_by=writers[:_JOBS_SHOWN],
        changed_by=sorted(by_role[Role.OUTPUT] - writing)[:_JOBS_SHOWN],
        read_by=readers[:_JOBS_SHOWN],
        named_by=sorted(by_role[Role.REFERENCE])[:_JOBS_SHOWN],
        columns=_columns(reader, tenant, aliases, ids, {part.shape for part in parts if part.role != Role.INPUT}),
        column_tags=about.column_tags,
        hidden=hidden_of(reader, tenant, shown.namespace, ids),
        runs_total=runs.total,
        runs=runs.items,
        facets=facets,
        assertions=[
            assertion_of(check)
            for check in sorted(reader.facts(tenant, Assertion, dataset=ids), key=lambda item: item.failed or (b"", 0))
        ],
        quality=_quality(reader.facts(tenant, Quality, dataset=ids)),
    )


def assertion_of(check: Assertion) -> dict[str, Any]:
    failed = latest_value(check.failed)
    values = {"name": check.name, "column": check.column, "severity": check.severity, "run": uuid_of(check.run)}
    return {**{key: value for key, value in values.items() if value}, "success": None if failed is None else not failed}


def _writes(part: ShapeDataset) -> bool:
    return part.role == Role.OUTPUT and is_written(int(part.types or 0))


def _writing(parts: Iterable[ShapeDataset], shapes: Mapping[bytes, Shape]) -> list[bytes]:
    """Jobs that write the dataset, up to a limit, the most recent first."""
    jobs = (shapes[part.shape].job for part in parts if _writes(part) and part.shape in shapes)
    return list(dict.fromkeys(job for job in jobs if job is not None))[:_JOBS_SHOWN]


def _use(
    reader: Reader,
    tenant: int,
    ids: frozenset[bytes],
    state: Existence,
    readers: int,
    writers: int,
    jobs: Collection[bytes],
) -> Use:
    runs = Summaries(reader.engine).dataset_runs(tenant, ids)
    newest = Attempts(reader.engine).newest_write(tenant, ids)
    return Use(
        readers=readers,
        writers=writers,
        last_read=moment(state.read_at),
        last_written=moment(state.written_at),
        last_attempt=LastAttempt(at=moment(newest.at), run=run_id(newest.run), status=status_name(newest.status))
        if newest is not None
        else None,
        every_ms=rhythm_of(Lookup(reader.engine), tenant, jobs),
        read_runs=runs.get(Role.INPUT, 0),
        write_runs=runs.get(Role.OUTPUT, 0),
    )


def _links(
    reader: Reader, tenant: int, ids: frozenset[bytes], names: dict[bytes, Name], shown: Name
) -> list[AliasName]:
    """Why other names are names of this dataset."""
    found = {
        (names[link.target].node_id, link.type or "SYMLINK")
        for link in reader.facts(tenant, Symlink, source=ids)
        if link.target in names
    }
    found |= {
        (names[link.source].node_id, "RENAME")
        for link in reader.facts(tenant, Rename, target=ids)
        if link.source in names
    }
    found = {link for link in found if link[0] != shown.node_id}
    explained = {node for node, _ in found} | {shown.node_id}
    found |= {(name.node_id, "ADDRESS") for name in names.values() if name.node_id not in explained}
    keys = {name.node_id: name.key for name in names.values()}
    return [AliasName(node, keys[node], kind) for node, kind in sorted(found)]


def _columns(
    reader: Reader, tenant: int, aliases: Aliases, ids: frozenset[bytes], shapes: set[bytes]
) -> list[ColumnSource]:
    """Where the columns of a dataset come from."""
    listed, _ = completed_columns(reader, tenant, Lookup(reader.engine), aliases, shapes)
    edges = {edge for columns in listed.values() for edge in columns.edges() if edge[1][0] in ids}
    aliases.learn(source for (source, _), _, _ in edges)
    names = reader.names(tenant, {aliases.canonical(source) for (source, _), _, _ in edges})
    found: dict[tuple[str, str, str], set[How]] = defaultdict(set)
    for (source, column), (_, target), how in edges:
        origin = names.get(aliases.canonical(source))
        if origin is not None:
            found[target, origin.node_id, column].add(how)
    return [
        ColumnSource(
            column=target,
            source=source,
            source_column=column,
            type=how.type,
            subtype=how.subtype,
            masking=how.masking,
            stated=how.stated or None,
            expression=how.expression or None,
        )
        for (target, source, column), hows in sorted(found.items())
        for how in in_order(hows)
    ]


def _quality(found: list[Quality]) -> dict[str, Any] | None:
    if not found:
        return None
    newest = max(found, key=lambda item: (item.rows or (b"", 0))[0])
    columns = latest_value(newest.columns)
    return {
        "rows": latest_value(newest.rows),
        "bytes": latest_value(newest.bytes),
        "columns": msgspec.json.decode(columns) if columns else {},
        "run": uuid_of(newest.run),
    }


def _earliest(times: Iterable[int | None]) -> str | None:
    return moment(min((time for time in times if time is not None), default=None))


def _last(evidence: dict[bytes, Evidence], part: ShapeDataset) -> bytes:
    item = evidence.get(part.shape)
    return item.last if item and item.last else b""
