"""`headwater pipeline enrich`: computes missing results of tenants' models."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.commands.pipeline.options import ConfOption, MasterOption, StoreOption, WaitOption
from headwater.cli.options import ConfigOption, DataOption

__all__ = ["register_enrich"]


def register_enrich(app: typer.Typer) -> None:
    app.command("enrich")(enrich)


def enrich(
    data: DataOption = None,
    store: StoreOption = None,
    tenant: Annotated[str | None, typer.Option("--tenant", help="Code of the tenant.")] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Only say what is missing, and about what it costs.")
    ] = False,
    switch_incomplete: Annotated[
        bool,
        typer.Option(
            "--switch-incomplete",
            help="Put a new model in force although it failed on some texts; those are tried again as tasks.",
        ),
    ] = False,
    wait: WaitOption = "10s",
    master: MasterOption = "local[*]",
    conf: ConfOption = None,
    config: ConfigOption = None,
) -> None:
    """Compute missing embeddings and summaries, of one tenant or of all; then a new model becomes active.

    Existing results are never requested again. A spent budget ends it; it continues when it is run again.
    """
    import msgspec

    from headwater.cli.commands.administration.model import say_estimates
    from headwater.cli.commands.pipeline.run import (
        open_store,
        patience_of,
        print_report,
        started,
        tenants_of,
        waiting_for,
    )
    from headwater.cli.output.progress import progress_shown
    from headwater.cli.output.terminal import say
    from headwater.models.enrich import Enrichment
    from headwater.models.wiring import make_work
    from headwater.pipeline.jobs import enrich as job
    from headwater.pipeline.spark.database_outage import outlast
    from headwater.store.sql_store import SqlStore

    waiting = waiting_for(wait)
    settings = open_store((data, store, config), master)
    chosen = tenants_of(settings.store_url, tenant)
    if estimate:
        opened = SqlStore(settings.store_url)
        try:
            work = make_work(settings, opened)
            for one in chosen:
                found = Enrichment(work, one).estimate()
                say(f"{one.code}: {'no model is set.' if not found else ''}".rstrip())
                say_estimates(msgspec.to_builtins(found))
        finally:
            opened.close()
        return
    with started((master, conf or []), "enrich") as session, progress_shown("enrich", session) as show:

        def once(_: int) -> job.EnrichReport:
            return job.run(
                session,
                settings,
                chosen,
                switch_incomplete=switch_incomplete,
                progress=lambda step, done, total: show(step, done, total, ""),
                waiting=waiting,
            )

        report = outlast(settings.store_url, once, patience_of(settings))
    print_report(report)
    if report.lacking and not report.stopped:
        say("The models before stay in force. Run it again, or with --switch-incomplete.", colour="yellow")
    if report.stopped or report.lacking:
        raise typer.Exit(1)
