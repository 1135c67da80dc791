"""Impact of a change or removal: affected datasets and jobs, nearest first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from headwater.graph.annotations.tags import carries
from headwater.graph.facts import NodeKind
from headwater.graph.shortest_paths import before, count_paths
from headwater.graph.walk import Walk, walk
from headwater.lineage.assets.affected_metrics import MetricFinder, Place
from headwater.lineage.entities.annotations import described_of, tagged
from headwater.lineage.entities.hidden import hidden_nodes
from headwater.lineage.entities.retracted import retracted_since
from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.lineage.flows.collapsed_jobs import collapsed_start
from headwater.lineage.flows.completion import completed_columns
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.flows.step import Step, node_at
from headwater.lineage.impact.last_use import last_used
from headwater.lineage.names.start import Start, find_start
from headwater.lineage.walk.by_column import column_id, column_node, column_starts
from headwater.lineage.walk.by_job import node_of
from headwater.lineage.walk.columns.column_walk import ColumnFlow, masked_of
from headwater.lineage.walk.lineage import freshness
from headwater.lineage.walk.options import Options
from headwater.lineage.walk.start_nodes import start_nodes
from headwater.openlineage.times import format_time
from headwater.store.read.lookup import looking
from headwater.store.read.reader import Name, Reader
from headwater.store.read.runs.totals import progress
from headwater.store.read.shapes.contents import Column
from headwater.store.read.shapes.current_shapes import ALWAYS, Window

__all__ = ["FIELDS", "ORDERS", "impact"]

_N = TypeVar("_N")
FIELDS = (
    "id",
    "kind",
    "namespace",
    "name",
    "column",
    "distance",
    "paths",
    "transformations",
    "masking_seen",
    "masked",
    "owners",
    "last_used",
    "masking_unknown",
    "key",
    "dataset_type",
    "is_end",
    "source",
    "retracted_at",
)
_WRITTEN = (
    "SELECT DISTINCT p.dataset FROM shape s JOIN shape_dataset p ON p.tenant = s.tenant AND p.shape = s.shape "
    "WHERE s.tenant = ? AND s.job {ids} AND p.[role] = 2"
)
ORDERS = ("distance", "paths", "id", "kind", "last_used")


def impact(
    reader: Reader,
    tenant: int,
    name: str | None = None,
    *,
    tag: str | None = None,
    masked: bool | None = None,
    by_column: bool | None = None,
    depth: int = 50,
    order: str = "distance",
    limit: int = 10_000,
    window: Window = ALWAYS,
    metrics: MetricFinder | None = None,
) -> dict[str, Any]:
    """Everything downstream of one dataset or column, or of all that carry a tag.

    `metrics` finds the metrics of catalogs among that. They are those of now, so there are none as of a moment.
    """
    options = Options(window=window, depth=depth, node_limit=limit)
    options.check()
    if order.removeprefix("-") not in ORDERS:
        raise BadQuestion(
            f"Nothing is sorted by {order!r}.",
            path="?order",
            hint=f"Use {', '.join(ORDERS)}, or one of them after a `-`.",
        )
    if (name is None) == (tag is None):
        raise BadQuestion(
            "Either `name` or `tag` is needed.", path="?name", hint="For example ?name=shop.public.orders."
        )
    start = find_start(reader, tenant, name) if name is not None else None
    with looking(reader.engine) as lookup:
        flow = Flow(reader, tenant, lookup=lookup, window=window)
        columns = ColumnFlow(reader, tenant, flow, notes_opaque=True)
        if start is None or start.kind == "column" or by_column or masked is not None:
            first = _column_starts(reader, tenant, flow, columns, start, tag)
            entries, more, reached = _of_columns(reader, tenant, flow, columns, first, options, masked)
        else:
            nodes = start_nodes(reader, tenant, flow, start)
            whole = collapsed_start(flow, start, nodes)
            if whole is not None:
                nodes = sorted(whole.all_jobs)
            inner = whole.inner if whole else frozenset()
            entries, more, reached = _of_nodes(reader, tenant, flow, nodes, options, inner)
        known = freshness(progress(lookup))
        breaking = metrics.find(tenant, flow.aliases, reached) if metrics and window.as_of is None else []
    _sort(entries, order)
    told = {"affected": entries, "metrics": msgspec.to_builtins(breaking), **more, "freshness": known}
    return {"of": start.shown if start else f"tag:{tag}", **told}


def _sort(entries: list[dict[str, Any]], sort: str) -> None:
    """Sorts in place; items without a value come last in both orders."""
    key = sort.removeprefix("-")
    entries.sort(key=lambda entry: str(entry["id"]))
    known = [entry for entry in entries if entry[key] is not None]
    unknown = [entry for entry in entries if entry[key] is None]
    known.sort(key=lambda entry: entry[key], reverse=sort.startswith("-"))
    entries[:] = known + unknown


def _column_starts(
    reader: Reader, tenant: int, flow: Flow, columns: ColumnFlow, start: Start | None, tag: str | None
) -> list[Column]:
    if start is not None:
        return column_starts(flow, columns, start)
    found: set[Column] = set()
    carrying = tagged(tenant, flow.lookup, flow.aliases, tag or "")
    hidden = hidden_nodes(reader, tenant, flow.lookup, aliases=flow.aliases)
    whole = {node for node, described in carrying.items() if carries(described.tags, (tag or "",))} - hidden
    names = reader.names(tenant, whole)
    jobs = {node for node, item in names.items() if item.kind is NodeKind.JOB}
    written = _written(tenant, flow, {member for job in jobs for member in flow.aliases.group(job)})
    for dataset in (names.keys() - jobs) | (written - hidden):
        found |= {(dataset, column) for column in columns.of_dataset(dataset) or ("",)}
    for dataset, described in carrying.items():
        if dataset not in hidden:
            tags = described.column_tags.items()
            found |= {(dataset, column) for column, own in tags if carries(own, (tag or "",))}
    if not found:
        raise NodeNotFound(
            f"Nothing carries the tag {tag!r}.", hint="A tag is written KEY or KEY=VALUE; GET /api/v2/tags lists them."
        )
    return sorted(found)


def _written(tenant: int, flow: Flow, jobs: set[bytes]) -> set[bytes]:
    """Outputs of these jobs; a tag on a job counts for its outputs."""
    rows = flow.lookup.rows(_WRITTEN, tenant, jobs)
    flow.aliases.learn(row[0] for row in rows)
    return {flow.aliases.canonical(row[0]) for row in rows}


def _of_columns(
    reader: Reader,
    tenant: int,
    flow: Flow,
    columns: ColumnFlow,
    first: list[Column],
    options: Options,
    wanted: bool | None,
) -> tuple[list[dict[str, Any]], dict[str, Any], Mapping[Place, int]]:
    found = walk(first, columns.downstream, depth=options.depth, node_limit=options.node_limit)
    masking = masked_of(found, first, columns.down)
    masked = masking.masked
    preceding = before(found)
    transformations_of = count_paths(found, preceding)
    kinds = _kinds(
        found,
        preceding,
        {
            (one, other): {(how.subtype, bool(how.masking)) for how in stated.transformation.hows}
            for one, others in columns.down.items()
            for other, stated in others.items()
        },
    )
    about = _About(reader, tenant, flow, {dataset for dataset, _ in found.depths}, options.window.as_of)
    leading, sources = {near for near, _ in found.edges}, _sources(found, preceding)
    entries = [
        {
            **column_node(about.names[column[0]], column[1], depth),
            "distance": depth,
            "paths": transformations_of[column],
            **_seen(kinds[column]),
            "masked": masked[column],
            "masking_unknown": column in masking.unknown,
            **about.of(column[0]),
            "is_end": column not in leading,
            "source": about.text(sources[column]),
        }
        for column, depth in found.depths.items()
        if depth and column[0] in about.shown and (wanted is None or masked[column] is wanted)
    ]
    opaque = {job for jobs in columns.opaque.values() for job in jobs}
    jobs = {job: name.node_id for job, name in reader.names(tenant, opaque).items()}
    silent = [
        {"dataset": about.names[dataset].node_id, "jobs": sorted(jobs[job] for job in doers if job in jobs)}
        for dataset, doers in columns.opaque.items()
        if dataset in about.names
    ]
    more = {
        **_cut(found, lambda column: about.names.get(column[0])),
        "without_columns": sorted(silent, key=lambda item: str(item["dataset"])),
        "masking_unknown": sum(column[0] in about.names for column in masking.unknown),
    }
    reached = {
        column: depth
        for column, depth in found.depths.items()
        if not depth or wanted is None or masked[column] is wanted
    }
    return _listed(entries), more, reached


def _of_nodes(
    reader: Reader, tenant: int, flow: Flow, first: list[bytes], options: Options, inner: frozenset[bytes]
) -> tuple[list[dict[str, Any]], dict[str, Any], Mapping[Place, int]]:
    """Things downstream of these nodes, without those inside them."""
    found = walk(first, flow.downstream, depth=options.depth, node_limit=options.node_limit)
    preceding = before(found)
    transformations_of = count_paths(found, preceding)
    kinds = _kinds(found, preceding, _stated_between(reader, tenant, flow, found))
    about = _About(reader, tenant, flow, set(map(node_at, found.depths)), options.window.as_of)
    leading, sources = {node_at(near) for near, _ in found.edges}, _sources(found, preceding)
    entries: dict[bytes, dict[str, Any]] = {}
    for step, depth in found.depths.items():
        node = node_at(step)
        if not depth or node not in about.shown or node in first or node in inner:
            continue
        entry = entries.get(node)
        if entry is None:
            described = {**node_of(about.names[node], depth), "column": None, "distance": depth}
            entries[node] = {
                **described,
                "paths": transformations_of[step],
                **_seen(kinds[step]),
                "masked": None,
                "masking_unknown": False,
                **about.of(node),
                "is_end": node not in leading,
                "source": about.text((node_at(sources[step]), "")),
            }
        elif entry["distance"] == depth:
            entry["paths"] += transformations_of[step]
            seen = _seen(kinds[step] | {(kind, entry["masking_seen"]) for kind in entry["transformations"]})
            entry |= seen
    cut = _cut(found, lambda step: about.names.get(node_at(step)))
    reached: dict[Place, int] = {}
    for step, depth in found.depths.items():
        reached.setdefault((node_at(step), ""), depth)  # in the order of their depths
    return _listed(list(entries.values())), {**cut, "without_columns": [], "masking_unknown": 0}, reached


def _stated_between(
    reader: Reader, tenant: int, flow: Flow, found: Walk[Step]
) -> dict[tuple[Step, Step], set[tuple[str, bool]]]:
    """Column edges that jobs state between the reached datasets, by the edge from job to output."""
    reached = set(map(node_at, found.depths))
    counting = flow.shapes_into({node for node in reached if not flow.is_job(node)})
    shapes = {shape for listed in counting.values() for shape in listed}
    bodies = flow.applying.bodies(shapes)
    listed, _ = completed_columns(reader, tenant, flow.lookup, flow.aliases, shapes)
    shown = flow.aliases.canonical
    by_target: dict[tuple[bytes, bytes], set[tuple[str, bool]]] = defaultdict(set)
    for shape, edges in listed.items():
        job = bodies[shape].job if shape in bodies else None
        for (source, _), transformations_of in edges.down.items() if job is not None else ():
            if shown(source) not in reached:
                continue
            for (target, _), hows in transformations_of:
                if shape in counting.get(shown(target), ()):
                    key = shown(job or b""), shown(target)
                    by_target[key].update((how.subtype, bool(how.masking)) for how in hows)
    return {(near, far): by_target.get((node_at(near), node_at(far)), set()) for near, far in found.edges}


def _sources(found: Walk[_N], preceding: Mapping[_N, list[_N]]) -> dict[_N, _N]:
    """By node, the start from which a shortest way leads to it."""
    sources: dict[_N, _N] = {}
    for node, depth in found.depths.items():  # in the order of their depths
        nearer = preceding[node] if depth else []
        sources[node] = min((sources[near] for near in nearer), key=repr) if nearer else node
    return sources


def _kinds(
    found: Walk[_N], preceding: Mapping[_N, list[_N]], described: Mapping[tuple[_N, _N], set[tuple[str, bool]]]
) -> dict[_N, set[tuple[str, bool]]]:
    """Kinds of transformation on the shortest ways to each node."""
    kinds: dict[_N, set[tuple[str, bool]]] = {}
    for node in found.depths:  # in the order of their depths
        kinds[node] = set()
        for near in preceding[node]:
            kinds[node] |= kinds[near] | described.get((near, node), set())
    return kinds


def _seen(kinds: set[tuple[str, bool]]) -> dict[str, Any]:
    return {
        "transformations": sorted({subtype for subtype, _ in kinds}),
        "masking_seen": any(masks for _, masks in kinds),
    }


def _listed(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: entry[name] for name in FIELDS} for entry in entries]


def _cut(found: Walk[_N], name_of: Callable[[_N], Name | None]) -> dict[str, Any]:
    left_out: dict[str, int] = defaultdict(int)
    for node, count in found.left_out.items():
        name = name_of(node)
        if name is not None:
            left_out[name.node_id] += count
    return {"truncated": found.truncated, "left_out": dict(left_out), "complete": not found.unasked}


class _About:
    """Names, owners and last use of all that was reached."""

    def __init__(self, reader: Reader, tenant: int, flow: Flow, nodes: set[bytes], as_of: int | None) -> None:
        self.names = reader.names(tenant, nodes)
        self._groups = {node: flow.aliases.group(node) for node in nodes}
        members = {member for group in self._groups.values() for member in group}
        self._described = described_of(tenant, flow.lookup, self._groups)
        self._retracted = retracted_since(tenant, flow.lookup, self._groups, as_of)
        hidden = hidden_nodes(reader, tenant, flow.lookup, as_of=as_of, aliases=flow.aliases)
        self.shown = self.names.keys() - hidden
        """Those that nobody hid; the walk passes through the others."""
        self._used = last_used(tenant, flow.lookup, members)

    def of(self, node: bytes) -> dict[str, Any]:
        described = self._described.get(node)
        used = max((self._used[member] for member in self._groups[node] if member in self._used), default=None)
        return {
            "owners": sorted(described.owners) if described is not None else [],
            "last_used": None if used is None else format_time(used),
            "dataset_type": described.type if described is not None else None,
            "retracted_at": self._retracted.get(node),
        }

    def text(self, column: Column) -> str | None:
        """The id of a dataset, or of one of its columns."""
        name = self.names.get(column[0])
        return None if name is None else column_id(name, column[1]) if column[1] else name.node_id
