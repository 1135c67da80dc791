"""Measures that two operations of one act both report; counted once."""

from __future__ import annotations

from collections.abc import Mapping

from headwater.lineage.flows.job_edges import resolved
from headwater.lineage.flows.neighbours import Flow
from headwater.store.read.runs.totals import Key, Total, measured

__all__ = ["counted_twice", "take_off"]


def counted_twice(flow: Flow, acts: Mapping[bytes, tuple[bytes, bytes]]) -> dict[Key, Total]:
    """By node, dataset and role, figures to subtract from the sums.

    Acts are given as creation: (insert, their node).
    """
    runs = {run for creation, (insert, _) in acts.items() for run in (creation, insert)}
    figures = resolved(measured(flow.tenant, flow.lookup, runs), flow, {}) if runs else {}
    found: dict[Key, Total] = {}
    for (run, dataset, role), one in figures.items():
        if run not in acts:
            continue
        insert, node = acts[run]
        other = figures.get((insert, dataset, role))
        if other is not None:
            total = found.setdefault((node, dataset, role), Total())
            total.add(
                _less(one.rows, other.rows), _less(one.bytes, other.bytes), _less(one.files, other.files), 0, None
            )
    return found


def take_off(figures: Mapping[Key, Total], less: Mapping[Key, Total]) -> None:
    for key, much in less.items():
        figure = figures.get(key)
        if figure is not None:
            figure.rows, figure.bytes, figure.files = (
                _without(figure.rows, much.rows),
                _without(figure.bytes, much.bytes),
                _without(figure.files, much.files),
            )


def _without(amount: int | None, much: int | None) -> int | None:
    return amount if amount is None or much is None else max(0, amount - much)


def _less(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else min(one, other)
