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
    JobFlow,
    RunSummary,
    RunTotal,
    SchemaUse,
    SqlUse,
    TableFlow,
)
from headwater.graph.fact import Fact
from headwater.graph.facts import Evidence, Run, RunDataset, RunShape, Shape, ShapeDataset, ShapeEdge
from headwater.graph.rollup.flows import job_flows, table_flows
from headwater.graph.rollup.schemas import schema_uses
from headwater.graph.rollup.summarize import summarize
from headwater.graph.rollup.totals import dataset_days, job_dataset_days, job_datasets, own_totals, run_totals
from headwater.graph.rollup.usage import job_days, sql_uses

__all__ = ["Rows", "roll_up"]

Rows = dict[type[Derived], Sequence[Derived]]
"""Derived rows by their kind."""


def roll_up(tenant: int, read: Callable[[type[Fact]], Iterable[Any]]) -> Rows:
    """`read` gives the facts of a kind, all of this tenant."""
    shapes = {shape.shape: shape for shape in read(Shape)}
    evidence = {item.shape: item for item in read(Evidence)}
    parts, links = list(read(ShapeDataset)), list(read(RunShape))
    summaries = summarize(read(Run))
    totals = run_totals(tenant, own_totals(links, shapes, parts, read(RunDataset)), summaries)
    days = job_dataset_days(tenant, totals.values(), summaries)
    flows = job_flows(tenant, shapes.values(), parts, read(ShapeEdge), evidence)
    return {
        RunSummary: list(summaries.values()),
        RunTotal: list(totals.values()),
        JobDatasetDay: days,
        JobDataset: job_datasets(tenant, days),
        JobFlow: flows,
        TableFlow: table_flows(tenant, flows),
        SchemaUse: schema_uses(tenant, shapes, parts, evidence),
        DatasetDay: dataset_days(tenant, days),
        JobDay: job_days(tenant, summaries, days),
        SqlUse: sql_uses(tenant, summaries, links, shapes),
    }
