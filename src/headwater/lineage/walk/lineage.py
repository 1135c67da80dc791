"""Nodes upstream and downstream of a dataset, column, job, run, operation or statement."""

from __future__ import annotations

from typing import Any

import msgspec

from headwater.graph.current.window import ALWAYS, NOW, Window
from headwater.lineage.assets.affected_metrics import MetricFinder, Place
from headwater.lineage.entities.retracted import mark_retracted
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.names.start import Start, find_start
from headwater.lineage.walk.by_column import column_sides
from headwater.lineage.walk.by_dataset import dataset_sides
from headwater.lineage.walk.by_hand import mark_by_hand
from headwater.lineage.walk.by_job import job_sides
from headwater.lineage.walk.by_run import run_sides
from headwater.lineage.walk.columns.column_edges import column_lineage
from headwater.lineage.walk.direction import Side
from headwater.lineage.walk.options import Options
from headwater.lineage.walk.symlink_nodes import kept_apart
from headwater.lineage.walk.visibility import filtered
from headwater.openlineage.times import format_time
from headwater.store.read.lookup import looking
from headwater.store.read.reader import Reader
from headwater.store.read.runs.totals import progress

__all__ = ["freshness", "lineage"]

_GRANULARITY = {"column": "COLUMN", "run": "RUN", "operation": "OPERATION"}


def lineage(
    reader: Reader,
    tenant: int,
    name: str,
    *,
    window: Window = ALWAYS,
    metrics: MetricFinder | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Upstream and downstream of the thing with this name, each direction for itself.

    `metrics` finds the metrics of catalogs downstream. They are those of now, so there are none as of a moment.
    """
    wanted = Options(window=window, **options)
    wanted.check()
    start = find_start(reader, tenant, name)
    granularity = wanted.granularity or _GRANULARITY.get(start.kind, "JOB")
    with looking(reader.engine) as lookup:
        flow = Flow(
            reader,
            tenant,
            lookup=lookup,
            window=NOW if wanted.current else window,
            origins=wanted.origins,
            job_types=wanted.job_types,
            shows_hidden=wanted.shows_hidden,
        )
        answer: dict[str, Any] = {"start": start.shown, "granularity": granularity, **_asked(wanted)}
        shown, sides = _sides(reader, tenant, flow, start, granularity, wanted)
        answer["start"] = shown
        for found in sides.values():
            mark_by_hand(flow, found)
        sides = {side: filtered(reader, tenant, flow, found, wanted, {shown}) for side, found in sides.items()}
        for found in sides.values():
            mark_retracted(tenant, flow, found, window.as_of)
        answer["truncated"] = any(found.truncated for found in sides.values())
        if wanted.columns and granularity != "COLUMN":
            answer["column_lineage"] = column_lineage(reader, tenant, flow, sides, indirect=wanted.indirect)
        if wanted.keep_symlinks and granularity != "COLUMN":
            sides = {side: kept_apart(reader, tenant, flow, found) for side, found in sides.items()}
        answer |= {side: found.answer() for side, found in sides.items()}
        if metrics is not None and "downstream" in sides and window.as_of is None:
            found_metrics = metrics.find(tenant, flow.aliases, _places(sides["downstream"]))
            answer["metrics"] = msgspec.to_builtins(found_metrics)
        answer["freshness"] = freshness(progress(lookup))
    return answer


def _places(side: Side) -> dict[Place, int]:
    """Datasets and columns of an answer, with their distances."""
    return {
        (side.keys[text], str(node.get("column") or "")): node["depth"]
        for text, node in side.nodes.items()
        if text in side.keys
    }


def _sides(
    reader: Reader, tenant: int, flow: Flow, start: Start, granularity: str, options: Options
) -> tuple[str, dict[str, Side]]:
    """The id of the start as the answer shows it, and each direction."""
    if granularity == "COLUMN":
        return column_sides(reader, tenant, flow, start, options)
    if granularity in ("RUN", "OPERATION"):
        return run_sides(reader, tenant, flow, start, granularity, options)
    if granularity == "DATASET":
        return dataset_sides(reader, tenant, flow, start, options)
    return job_sides(reader, tenant, flow, start, options)


def _asked(options: Options) -> dict[str, Any]:
    window = options.window
    times = {"since": window.since, "until": window.until, "as_of": window.as_of}
    return {
        "direction": options.direction,
        "depth": options.depth,
        **{name: None if time is None else format_time(time) for name, time in times.items()},
    }


def freshness(stand: dict[str, Any] | None) -> dict[str, Any] | None:
    """Age of the sums: the newest event that the pipeline has summed, and when."""
    if stand is None:
        return None
    times = ("updated_at", "event_received_at")
    return {name: format_time(value) if name in times and value is not None else value for name, value in stand.items()}
