"""`headwater pipeline`: the jobs that run on Spark."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.options import ConfigOption, DataOption

__all__ = ["register"]

StoreOption = Annotated[str | None, typer.Option("--store", help="Database URL instead of the embedded store.")]
MasterOption = Annotated[
    str, typer.Option("--master", help="Where Spark runs: local[*], spark://host:7077, yarn, k8s://..., sc://...")
]
ConfOption = Annotated[list[str] | None, typer.Option("--conf", help="A setting of Spark, key=value; may be repeated.")]
TenantOption = Annotated[str | None, typer.Option("--tenant", help="Code of the tenant.")]
SinceOption = Annotated[str | None, typer.Option("--since", help="Events from this time on (ISO 8601).")]
UntilOption = Annotated[str | None, typer.Option("--until", help="Events before this time (ISO 8601).")]

pipeline = typer.Typer(
    help="Run a job on Spark: import, replay and what is worked out from the graph.", no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    app.add_typer(pipeline, name="pipeline")


@pipeline.command("import")
def import_(
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE...", help="Files, folders, patterns or URLs: NDJSON, JSON, Parquet.")
    ],
    data: DataOption = None,
    store: StoreOption = None,
    tenant: Annotated[
        str, typer.Option(help="Code of the tenant of all that lies in no folder tenant=CODE.")
    ] = "default",
    create_tenants: Annotated[
        bool, typer.Option("--create-tenants", help="Create tenants that folders tenant=CODE name.")
    ] = False,
    refused: Annotated[
        str | None, typer.Option("--refused", help="Write refused lines here, as NDJSON; default: to the terminal.")
    ] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Do not go on where a cut-off import stopped.")] = False,
    master: MasterOption = "local[*]",
    conf: ConfOption = None,
    config: ConfigOption = None,
) -> None:
    """Import events from files into the log and the graph. May be run again: what is there already stays as it is."""
    from headwater.cli.pipeline_run import run_import

    run_import(
        sources,
        place=(data, store, config),
        spark=(master, conf or []),
        tenant=tenant,
        create_tenants=create_tenants,
        refused=refused,
        restart=restart,
    )


@pipeline.command("replay")
def replay(
    data: DataOption = None,
    store: StoreOption = None,
    tenant: TenantOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    into: Annotated[str | None, typer.Option("--into", help="Write the graph into this store instead.")] = None,
    master: MasterOption = "local[*]",
    conf: ConfOption = None,
    config: ConfigOption = None,
) -> None:
    """Work the graph out again from the log: of one tenant or of all; whole, or what a window of time says."""
    from headwater.cli.pipeline_run import run_replay

    run_replay(place=(data, store, config), spark=(master, conf or []), tenant=tenant, window=(since, until), into=into)
