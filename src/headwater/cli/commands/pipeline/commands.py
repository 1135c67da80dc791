"""`headwater pipeline`: the jobs that run on Spark."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli.commands.pipeline.enrich import register_enrich
from headwater.cli.commands.pipeline.options import ConfOption, MasterOption, StoreOption, WaitOption
from headwater.cli.commands.pipeline.stream import register_stream
from headwater.cli.commands.pipeline.sync import register_sync
from headwater.cli.options import ConfigOption, DataOption, WhereOption
from headwater.cli.output.table import TableOption, check_table

__all__ = ["register"]

TenantOption = Annotated[str | None, typer.Option("--tenant", help="Code of the tenant.")]
SinceOption = Annotated[
    str | None, typer.Option("--since", help="Events from this time on; also yesterday, -1d and the like.")
]
UntilOption = Annotated[str | None, typer.Option("--until", help="Events before this time; of a day, to its end.")]

pipeline = typer.Typer(
    help="Run a job on Spark: import, replay and what is worked out from the graph.", no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    register_stream(pipeline)
    register_sync(pipeline)
    register_enrich(pipeline)
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
    """Import events from files into the log and the graph. May be run again: existing events stay as they are."""
    from headwater.cli.commands.pipeline.run import run_import

    run_import(
        sources,
        store_options=(data, store, config),
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
    archive: Annotated[
        str | None, typer.Option("--archive", help="Read this archive too; needed once events were deleted.")
    ] = None,
    derive: Annotated[
        bool, typer.Option("--derive/--no-derive", help="Then work out the derived tables again.")
    ] = True,
    wait: WaitOption = "10s",
    master: MasterOption = "local[*]",
    conf: ConfOption = None,
    config: ConfigOption = None,
) -> None:
    """Compute the graph again from the log: of one tenant or of all; whole, or from the events of a window of time."""
    from headwater.cli.commands.pipeline.run import run_replay

    run_replay(
        store_options=(data, store, config),
        spark=(master, conf or []),
        tenant=tenant,
        window=(since, until),
        into=into,
        archive=archive,
        derive=derive,
        wait=wait,
    )


@pipeline.command("rollup")
def rollup(
    data: DataOption = None,
    store: StoreOption = None,
    tenant: TenantOption = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="Work out everything again, also where only what came since is needed.")
    ] = False,
    wait: WaitOption = "10s",
    master: MasterOption = "local[*]",
    conf: ConfOption = None,
    config: ConfigOption = None,
) -> None:
    """Compute the derived tables (totals, daily statistics, hot SQL): whole, or for events since the last time."""
    from headwater.cli.commands.pipeline.run import run_rollup

    run_rollup(store_options=(data, store, config), spark=(master, conf or []), tenant=tenant, wait=wait, whole=whole)


@pipeline.command("infer")
def infer(
    data: DataOption = None,
    store: StoreOption = None,
    tenant: TenantOption = None,
    wait: WaitOption = "10s",
    master: MasterOption = "local[*]",
    conf: ConfOption = None,
    config: ConfigOption = None,
) -> None:
    """Read column lineage out of the SQL of jobs whose events came without."""
    from headwater.cli.commands.pipeline.run import run_over_facts
    from headwater.pipeline.jobs import infer as job

    run_over_facts(
        "infer", job.run, store_options=(data, store, config), spark=(master, conf or []), tenant=tenant, wait=wait
    )


@pipeline.command("archive")
def archive(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="Where the archive is: a folder or a URL.")],
    retain: Annotated[
        int | None,
        typer.Option("--retain", min=1, help="Then delete from the log what is archived and older, in days."),
    ] = None,
    data: DataOption = None,
    store: StoreOption = None,
    tenant: TenantOption = None,
    wait: WaitOption = "10s",
    master: MasterOption = "local[*]",
    conf: ConfOption = None,
    config: ConfigOption = None,
) -> None:
    """Add new events of the log to an archive of Parquet files, by tenant and day."""
    from headwater.cli.commands.pipeline.archive import run_archive

    run_archive(
        folder,
        store_options=(data, store, config),
        spark=(master, conf or []),
        tenant=tenant,
        retain_days=retain,
        wait=wait,
    )


@pipeline.command("package")
def package(
    out: Annotated[str, typer.Option("--out", help="File to write.")] = "headwater.zip",
    environment: Annotated[
        str | None,
        typer.Option("--environment", metavar="FILE", help="Also write what it needs from Python: FILE.tar.gz."),
    ] = None,
    python: Annotated[
        str | None,
        typer.Option("--python", help="Python of the nodes, by name or path, for --environment."),
    ] = None,
) -> None:
    """Write Headwater into a zip file for `spark-submit --py-files`; for bare nodes also the packages it needs."""
    from headwater.cli.commands.pipeline.package import write_environment, write_package

    write_package(out)
    if environment is not None:
        write_environment(environment, python)


@pipeline.command("status")
def status(
    data: WhereOption = None,
    ended: Annotated[int, typer.Option("--ended", min=0, help="Also so many of those that ended last.")] = 5,
    format_: TableOption = "table",
    config: ConfigOption = None,
) -> None:
    """Show which jobs run on a store, on any machine, how far they are, and how the last ones ended."""
    from headwater.cli.commands.pipeline.status import print_status

    check_table(format_)
    print_status(data, config, ended=ended, format_=format_)
