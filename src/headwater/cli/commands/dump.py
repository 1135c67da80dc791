"""`headwater dump`: a tenant's whole graph, in the form in which two graphs are compared."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from headwater.cli.options import ConfigOption, TenantOption, UrlOption, WhereOption, ask_server, open_reader, server_of

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    app.command("dump")(dump)


def dump(
    data: WhereOption = None,
    url: UrlOption = None,
    format_: Annotated[str, typer.Option("--format", "-f", help="ndjson: one JSON object a line.")] = "ndjson",
    derived: Annotated[
        bool,
        typer.Option("--derived", help="Also inferred lineage, derived tables and results of models."),
    ] = False,
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Write the whole graph: every fact, then the asset graph, in canonical order."""
    if format_ != "ndjson":
        raise typer.BadParameter(f"{format_!r} is not ndjson", param_hint="--format")
    url = server_of(url, data)
    if url:
        with ask_server(url, "/api/v2/dump", {"tenant": tenant, "derived": "true" if derived else None}) as answer:
            for line in answer:
                sys.stdout.buffer.write(line)
        return
    from headwater.store.models.dump import dump_results
    from headwater.store.read.dump import dump_facts

    reader, tenant_id = open_reader(data, config, tenant)
    with reader.snapshot(tenant_id) as read:
        for line in dump_facts(read, derived=derived):
            sys.stdout.write(line + "\n")
    for line in dump_results(reader.engine, tenant_id) if derived else ():
        sys.stdout.write(line + "\n")
