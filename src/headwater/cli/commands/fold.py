"""`headwater fold`: the graph worked out from the log alone, to compare with the one that is stored."""

from __future__ import annotations

import sys

import typer

from headwater.cli.options import ConfigOption, TenantOption, WhereOption, open_reader
from headwater.cli.output.terminal import say

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    app.command("fold")(fold)


def fold(data: WhereOption = None, tenant: TenantOption = None, config: ConfigOption = None) -> None:
    """Fold the event log afresh, in memory, and dump the result: it must equal `headwater dump`."""
    from headwater.bounded_cache import BoundedCache
    from headwater.graph.fold import Graph, fold_into
    from headwater.interpret.describe import Description
    from headwater.interpret.interpret import interpret
    from headwater.openlineage.decode import decode_event
    from headwater.store.read.dump import dump_graph

    reader, tenant_id = open_reader(data, config, tenant)
    graph: Graph = {}
    cache: BoundedCache[Description] = BoundedCache(64 << 20)
    for logged in reader.log(tenant_id):
        try:
            interpretation = interpret(decode_event(logged.body), tenant_id, cache)
        except Exception as error:  # noqa: BLE001 - kept, but never interpreted: it says nothing
            say(f"event {logged.id} cannot be interpreted: {error!r}", colour="yellow", err=True)
            continue
        fold_into(graph, interpretation.facts())
    for line in dump_graph(graph):
        sys.stdout.write(line + "\n")
