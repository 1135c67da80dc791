"""Lineage by runs or operations, each with its own inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from headwater.graph.current.window import NOW
from headwater.graph.facts import Role, RunStatus, Shape
from headwater.graph.walk import Walk, walk
from headwater.lineage.flows.job_edges import figure_members, resolved, type_names
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.flows.shared_measures import counted_twice, take_off
from headwater.lineage.names.start import Start
from headwater.lineage.walk.by_job import node_of
from headwater.lineage.walk.direction import Side
from headwater.lineage.walk.options import Options
from headwater.lineage.walk.run_moment import RunMoment, newest_of
from headwater.lineage.walk.run_row import RunStep
from headwater.lineage.walk.run_walk import RunFlow, add_up
from headwater.lineage.walk.start_nodes import start_nodes
from headwater.openlineage.times import format_time
from headwater.store.read.reader import Name, Reader
from headwater.store.read.runs.totals import Key, Total, measured, totals_of_runs

__all__ = ["run_sides"]


def run_sides(
    reader: Reader, tenant: int, flow: Flow, start: Start, granularity: str, options: Options
) -> tuple[str, dict[str, Side]]:
    by_run = granularity == "RUN"
    runs = RunFlow(tenant, flow, options, by_run=by_run)
    first = _starts(reader, tenant, flow, runs, start, folds=by_run and not options.unfold)
    walks = {
        side: walk(
            first,
            runs.upstream if side == "upstream" else runs.downstream,
            depth=options.depth,
            node_limit=options.node_limit,
        )
        for side in options.sides
    }
    if flow.window.as_of is not None:
        counting = RunMoment(runs, flow, _runs_in(walks.values()))
        walks = {side: counting.restricted(found, down=side == "downstream") for side, found in walks.items()}
    now = RunMoment(runs, Flow(reader, tenant, lookup=flow.lookup, window=NOW), _runs_in(walks.values()))
    reached = {step for found in walks.values() for step in found.depths}
    shown_runs = {step.node for step in reached if step.is_run}
    runs.learn(shown_runs)
    jobs = {row.job for run in shown_runs if (row := runs.rows.get(run)) is not None and row.job is not None}
    names = flow.names({step.node for step in reached if not step.is_run} | jobs)
    runs.learn_types(shown_runs)
    figures = _totals(tenant, flow, runs, shown_runs, by_run=by_run)
    texts = {step: _text(step, names) for step in reached}
    sides = {
        side: _side(found, runs, now, names, texts, figures, down=side == "downstream") for side, found in walks.items()
    }
    if runs.runs_left_out:
        for side in sides.values():
            side.left_out[start.shown] = side.left_out.get(start.shown, 0) + runs.runs_left_out
    shown = texts.get(first[0], start.shown) if first and start.kind in ("dataset", "run", "operation") else start.shown
    return shown or start.shown, sides


def _runs_in(walks: Iterable[Walk[RunStep]]) -> set[bytes]:
    return {step.node for found in walks for step in found.depths if step.is_run}


def _starts(reader: Reader, tenant: int, flow: Flow, runs: RunFlow, start: Start, *, folds: bool) -> list[RunStep]:
    if start.kind in ("run", "operation"):
        if folds and start.kind == "run":
            runs.collapse([start.id])
            return [RunStep(start.id, is_run=True)]
        return [RunStep(run, is_run=True) for run in runs.below([start.id])]
    if start.kind in ("job", "sql"):
        jobs = start_nodes(reader, tenant, flow, start)
        members = {member for job in jobs for member in flow.aliases.group(job)}
        found = runs.of_jobs(sorted(members))
        if start.kind == "job" and flow.window.as_of is not None:
            newest = newest_of(flow, members)
            found = [run for run in found if run in newest]
            runs.runs_left_out = 0
        if start.kind == "sql":
            wanted = {shape.shape for shape in reader.facts(tenant, Shape, sql=start.id)}
            return [RunStep(run, is_run=True) for run in found if runs.says(run, wanted)]
        own = [run for run in found if run in runs.rows and runs.rows[run].job in members]
        if folds:
            runs.collapse(own)
        else:
            found = list(dict.fromkeys([*found, *runs.below(own)]))
        return [RunStep(run, is_run=True) for run in found]
    return [RunStep(node, is_run=False) for node in start_nodes(reader, tenant, flow, start)]


def _totals(tenant: int, flow: Flow, runs: RunFlow, shown: set[bytes], *, by_run: bool) -> dict[Key, Total]:
    if not by_run:
        return resolved(measured(tenant, flow.lookup, shown), flow, {})
    whole = shown & runs.inner.keys()
    summed = totals_of_runs(tenant, flow.lookup, shown - whole) if flow.window.is_always else {}
    missing = shown - {run for run, _, _ in summed}
    members = {run: runs.members.get(run, {run}) for run in missing}
    own = measured(tenant, flow.lookup, {member for inside in members.values() for member in inside})
    found = resolved({**summed, **add_up(own, members, (Role.INPUT, Role.OUTPUT))}, flow, {})
    take_off(found, counted_twice(flow, runs.acts(shown)))
    return found


def _text(step: RunStep, names: dict[bytes, Name]) -> str | None:
    if not step.is_run:
        return names[step.node].node_id if step.node in names else None
    return f"run:{UUID(bytes=step.node)}"


def _side(
    found: Walk[RunStep],
    runs: RunFlow,
    now: RunMoment,
    names: dict[bytes, Name],
    texts: dict[RunStep, str | None],
    figures: dict[Key, Total],
    *,
    down: bool,
) -> Side:
    nodes: dict[str, dict[str, Any]] = {}
    keys: dict[str, bytes] = {}
    for step, depth in found.depths.items():
        text = texts[step]
        if text is not None and text not in nodes:  # nearest first
            nodes[text] = _run_node(text, step, runs, names, depth) if step.is_run else node_of(names[step.node], depth)
            if not step.is_run:
                keys[text] = step.node
    edges: dict[tuple[str, str], dict[str, Any]] = {}
    now.learn(found.depths)
    for near, far in found.edges:
        source, target = (near, far) if down else (far, near)
        one, other = texts[source], texts[target]
        if one is None or other is None:
            continue
        run, dataset = (target, source) if target.is_run else (source, target)
        role = Role.INPUT if target.is_run else Role.OUTPUT
        figure = figures.get((run.node, dataset.node, role))
        is_reference = role is Role.INPUT and (run.node, dataset.node) not in runs.inputs
        kind = Role.REFERENCE.name if is_reference else role.name
        members = {
            "from": one,
            "to": other,
            "kind": kind,
            **figure_members(figure),
            **_times(runs, run.node, dataset.node, role),
            "current": now.counts(run.node, dataset.node, role),
        }
        if role is Role.OUTPUT:
            members["types"] = list(
                type_names(runs.types.get((run.node, dataset.node), 0) | (figure.types if figure else 0))
            )
        edges[one, other] = members
    complete = not (found.unasked or runs.is_cut or runs.runs_left_out)
    left_out: dict[str, int] = {}
    for cut in (found.left_out, runs.cut):
        for step, count in cut.items():
            text = texts.get(step)
            if text is not None and text in nodes:
                left_out[text] = left_out.get(text, 0) + count
    return Side(nodes, edges, left_out, complete=complete and not left_out, keys=keys)


def _times(runs: RunFlow, run: bytes, dataset: bytes, role: Role) -> dict[str, Any]:
    """First and last time at which a run or its parts reported reading or writing a dataset."""
    first, last = runs.seen.get((run, dataset, role), (None, None))
    return {
        "first_seen": None if first is None else format_time(first),
        "last_seen": None if last is None else format_time(last),
    }


def _run_node(text: str, step: RunStep, runs: RunFlow, names: dict[bytes, Name], depth: int) -> dict[str, Any]:
    row = runs.rows.get(step.node)
    kind = "run" if row is None or row.is_run else "operation"
    node: dict[str, Any] = {"id": text, "key": text, "kind": kind, "depth": depth}
    if row is None:
        return node
    if step.node in runs.inner:
        inside = runs.members[step.node] - {step.node} - runs.acts([step.node]).keys()
        node |= {"parts": len(inside), "inner": len(runs.inner[step.node])}
        node |= {"parts_cut": True} if runs.is_cut else {}
    return node | {
        "name": row.name,
        "job": names[row.job].node_id if row.job in names else None,
        "parent": f"run:{UUID(bytes=row.parent_run)}" if row.parent_run else None,
        "status": RunStatus(row.status or 0).name,
        "started_at": None if row.started_at is None else format_time(row.started_at),
        "ended_at": None if row.ended_at is None else format_time(row.ended_at),
    }
