"""`headwater graph`: compare the stored asset graph with the fold of the log, and mend it."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from headwater.cli.options import ConfigOption, TenantOption, WhereOption, where_flags
from headwater.cli.output.table import TableOption, check_table, print_json
from headwater.cli.output.terminal import say

__all__ = ["register"]

_app = typer.Typer(no_args_is_help=True, help="Compare the stored asset graph with the log, and mend it.")
_GraphOption = Annotated[
    str | None, typer.Option("--graph", help="Address of the graph server; default the setting `graph`.")
]


def register(app: typer.Typer) -> None:
    app.add_typer(_app, name="graph")


@_app.command("check")
def check(
    data: WhereOption = None,
    graph: _GraphOption = None,
    format_: TableOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Compare the asset graph, on the graph server if there is one, with the log; exit code 1 if they differ."""
    _work(data, graph, format_, tenant, config, mends=False)


@_app.command("repair")
def repair(
    data: WhereOption = None,
    graph: _GraphOption = None,
    format_: TableOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Repair the differences that `check` finds: the tables from the log, the graph server from the tables."""
    _work(data, graph, format_, tenant, config, mends=True)


def _work(
    data: str | None, graph: str | None, format_: str, tenant: str | None, config: str | None, *, mends: bool
) -> None:
    import msgspec

    from headwater.lineage.errors import NodeNotFound
    from headwater.settings import load_settings
    from headwater.store.access.tenants import Tenants
    from headwater.store.assets import compare
    from headwater.store.assets.follow import AssetStore
    from headwater.store.scope import EVERY_TENANT
    from headwater.store.sql_store import SqlStore

    check_table(format_)
    settings, _ = load_settings({**where_flags(data), "graph": graph}, os.environ, config)
    store = SqlStore(settings.store_url)
    store.open()
    assets = AssetStore(store, settings.graph, settings.graph_user, settings.graph_password)
    try:
        assets.open()
        chosen = [item for item in Tenants(store.engine).list(EVERY_TENANT) if tenant in (None, item.code)]
        if not chosen:
            raise NodeNotFound(f"There is no tenant {tenant!r}.", hint="`headwater tenant list` lists them.")
        report: dict[str, Any] = {}
        for number, item in enumerate(chosen, 1):
            say(f"{item.code}: tenant {number} of {len(chosen)} ...", err=True)
            assets.follow([item.id])
            if mends:
                compare.repair(store.engine, item.id, assets)
            report[item.code] = msgspec.to_builtins(compare.compare_with_facts(store.engine, item.id, assets.graph))
    finally:
        assets.close()
        store.close()
    differs = any(found["missing"] or found["extra"] or found["different"] for found in report.values())
    if format_ == "json":
        print_json(report)
    else:
        for code, found in report.items():
            text = "as the log says"
            if found["held"]:
                text = "a metalake is being read; compared with the tables only, and the same"
            if found["missing"] or found["extra"] or found["different"]:
                text = f"{found['missing']} missing, {found['extra']} extra, {found['different']} different"
            say(f"{code}: {found['nodes']} nodes, {found['edges']} edges: {text}")
            for example in found["examples"]:
                say(f"  {example}")
    if differs:
        raise typer.Exit(1)
