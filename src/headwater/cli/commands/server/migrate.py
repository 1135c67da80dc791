"""`headwater migrate`: bring the tables of a store up to date, also while other processes serve from it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.options import ConfigOption, DataOption
from headwater.cli.output.terminal import say
from headwater.private import make_private_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from headwater.settings import Settings

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    app.command("migrate")(migrate)


def migrate(
    data: DataOption = None,
    store: Annotated[str | None, typer.Option(help="Database URL instead of the embedded store.")] = None,
    graph: Annotated[
        str | None, typer.Option(help="Address of the graph server (default the setting `graph`).")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit code 1 if there is something to do.")
    ] = False,
    config: ConfigOption = None,
) -> None:
    """Create the tables of the store, or bring them up to date. `headwater up` does so by itself."""
    from pathlib import Path

    from headwater.settings import load_settings
    from headwater.store.engine import hidden_url, make_engine
    from headwater.store.migrate import HEAD, current_revision, ensure_schema
    from headwater.store.models.attached import vector_spaces

    settings, _ = load_settings({"data": data, "store": store, "graph": graph}, os.environ, config)
    url = settings.store_url
    if not settings.store:
        make_private_folder(Path(settings.data))
    engine = make_engine(url)
    try:
        before = current_revision(engine)
        if before == HEAD:
            say(f"{hidden_url(url)} is up to date (revision {HEAD}).")
        elif check:
            say(f"{hidden_url(url)} is at revision {before or 'none'}; this Headwater needs {HEAD}.")
            raise typer.Exit(1)
        else:
            ensure_schema(engine)
            say(f"{hidden_url(url)} is now at revision {HEAD} (was {before or 'empty'}).")
        if settings.graph and not check:
            _migrate_graph(settings, vector_spaces(engine))
    finally:
        engine.dispose()


def _migrate_graph(settings: Settings, spaces: Iterable[tuple[int, str]]) -> None:
    from headwater.store.assets.neo4j.server import GraphServer

    server = GraphServer.of_settings(settings.graph, settings.graph_user, settings.graph_password)
    try:
        server.migrate()
        for dimension, similarity in spaces:
            server.ensure_vector_space(dimension, similarity)
    finally:
        server.close()
    say(f"{settings.graph} has its constraints and indexes.")
