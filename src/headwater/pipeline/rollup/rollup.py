"""All derived rows out of all facts, as `headwater.graph.rollup.rollup`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from pyspark.sql import DataFrame

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
from headwater.pipeline.rollup.summarize import place_runs, summaries_of
from headwater.pipeline.rollup.totals import (
    dataset_days,
    job_dataset_days,
    job_datasets,
    own_totals,
    placed_totals,
    run_totals,
)
from headwater.pipeline.rollup.usage import job_days, sql_uses

__all__ = ["NEEDED", "roll_up"]

NEEDED: dict[type[Fact], tuple[str, ...]] = {
    Run: ("tenant", "run", "job", "activity", "parent_run", "status", "first_seen", "started_at", "ended_at"),
    RunShape: ("tenant", "run", "shape", "first_seen", "last_seen"),
    RunDataset: ("tenant", "run", "dataset", "role", "rows", "bytes", "files"),
    Shape: ("tenant", "shape", "origin", "sql"),
    ShapeDataset: ("tenant", "shape", "dataset", "role", "schema", "types"),
}
"""The facts that are read, and of their columns those that matter: none of the wide ones."""


def roll_up(read: Callable[[type[Fact]], DataFrame], kept: ExitStack) -> dict[type[Derived], DataFrame]:
    """Frames of every kind. Frames that several of them share are cached by Spark until `kept` is closed."""

    def keep(frame: DataFrame) -> DataFrame:
        persisted = frame.persist()
        kept.callback(persisted.unpersist)
        return persisted

    links, shapes = keep(read(RunShape)), keep(read(Shape))
    placed = keep(place_runs(read(Run)))
    totals = keep(placed_totals(own_totals(links, shapes, read(ShapeDataset), read(RunDataset)), placed))
    days = keep(job_dataset_days(totals))
    return {
        RunSummary: summaries_of(placed),
        RunTotal: run_totals(totals),
        JobDatasetDay: days,
        JobDataset: job_datasets(days),
        DatasetDay: dataset_days(days),
        JobDay: job_days(placed, days),
        SqlUse: sql_uses(placed, links, shapes),
    }
