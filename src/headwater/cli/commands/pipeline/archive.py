"""`headwater pipeline archive`: the log as Parquet, and old events out of the log."""

from __future__ import annotations

import typer

from headwater.cli.commands.pipeline.run import (
    Spark,
    StoreOptions,
    open_store,
    patience_of,
    print_report,
    started,
    tenants_of,
    waiting_for,
)
from headwater.cli.output.progress import figures, progress_shown
from headwater.cli.output.terminal import say
from headwater.pipeline.archive.folder import open_archive
from headwater.pipeline.jobs import archive
from headwater.pipeline.spark.database_outage import outlast

__all__ = ["run_archive"]


def run_archive(
    folder: str, *, store_options: StoreOptions, spark: Spark, tenant: str | None, retain_days: int | None, wait: str
) -> None:
    waiting = waiting_for(wait)
    settings = open_store(store_options, spark[0])
    tenants_of(settings.store_url, tenant)  # before Spark starts: a wrong code, or folder, is told at once
    open_archive(folder).check_writable()
    with started(spark, "archive") as session, progress_shown("archive", session) as show:

        def once(_: int) -> archive.ArchiveReport:
            return archive.run(
                session,
                settings.store_url,
                folder=folder,
                retain_days=retain_days,
                tenant=tenant,
                progress=lambda done, total, report: show("chunks", done, total, figures(report)),
                waiting=waiting,
            )

        report = outlast(settings.store_url, once, patience_of(settings))
    print_report(report)
    if report.kept:
        say(
            f"{report.kept:,} old events stay in the log: the archive has them not, or not as they are.",
            colour="yellow",
            err=True,
        )
        raise typer.Exit(3)
