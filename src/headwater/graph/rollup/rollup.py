"""All derived rows of a tenant out of all of its facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from headwater.graph.derived import (
    DatasetDay,
    Derived,
    JobDataset,
    JobDatasetDay,
    JobDay,
    RunSummary,
    RunTotal,
    SqlUse,
)
from headwater.graph.fact import Fact
from headwater.graph.facts import Run, RunDataset, RunShape, Shape, ShapeDataset
from headwater.graph.rollup.summarize import summarize
from headwater.graph.rollup.totals import dataset_days, job_dataset_days, job_datasets, own_totals, run_totals
from headwater.graph.rollup.usage import job_days, sql_uses

__all__ = ["Rows", "roll_up"]

Rows = dict[type[Derived], Sequence[Derived]]
"""Derived rows by their kind."""


def roll_up(tenant: int, read: Callable[[type[Fact]], Iterable[Any]]) -> Rows:
    """`read` gives the facts of a kind, all of this tenant."""
    shapes = {shape.shape: shape for shape in read(Shape)}
    links = list(read(RunShape))
    summaries = summarize(read(Run))
    totals = run_totals(tenant, own_totals(links, shapes, read(ShapeDataset), read(RunDataset)), summaries)
    days = job_dataset_days(tenant, totals.values(), summaries)
    return {
        RunSummary: list(summaries.values()),
        RunTotal: list(totals.values()),
        JobDatasetDay: days,
        JobDataset: job_datasets(tenant, days),
        DatasetDay: dataset_days(tenant, days),
        JobDay: job_days(tenant, summaries, days),
        SqlUse: sql_uses(tenant, summaries, links, shapes),
    }
