"""Options that several commands share, and the choice between a local folder and a server."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from headwater.cli.client.server import ServerError, ask_server, server_of
from headwater.errors import HeadwaterError

__all__ = [
    "ConfigOption",
    "DataOption",
    "FormatOption",
    "NoData",
    "ServerError",
    "TenantOption",
    "UrlOption",
    "WhereOption",
    "ask_server",
    "open_reader",
    "server_of",
    "where_flags",
]

ConfigOption = Annotated[str | None, typer.Option("--config", help="Settings file (TOML); default ./headwater.toml.")]
DataOption = Annotated[str | None, typer.Option("--data", help="Data folder to read; default ./.headwater.")]
WhereOption = Annotated[
    str | None, typer.Option("--data", "--store", help="Data folder, or URL of a database; default ./.headwater.")
]
UrlOption = Annotated[
    str | None, typer.Option("--url", help="Ask this server instead of the data itself; default HEADWATER_URL.")
]
TenantOption = Annotated[
    str | None, typer.Option("--tenant", help="Code of the tenant to ask about; default `default`, or the key's.")
]
FormatOption = Annotated[str, typer.Option("--format", "-f", help="tree or json.")]


class NoData(HeadwaterError):
    code = "no_data"


def where_flags(data: str | None) -> dict[str, str | None]:
    """The settings behind `WhereOption`. They override a store in the environment or a settings file.

    >>> where_flags("postgresql+psycopg://host/lineage")
    {'store': 'postgresql+psycopg://host/lineage'}
    >>> where_flags("folder")
    {'data': 'folder', 'store': ''}
    """
    if data is None:
        return {}
    return {"store": data} if "://" in data else {"data": data, "store": ""}


def open_reader(data: str | None, config: str | None = None, tenant: str | None = None) -> tuple[Any, int]:
    """A reader on the local store, and the id of a tenant: the one with this code, or the default one."""
    from headwater.settings import load_settings
    from headwater.store.engine import hidden_url, make_engine
    from headwater.store.migrate import HEAD, current_revision
    from headwater.store.read.reader import Reader
    from headwater.store.sql_store import DEFAULT_TENANT

    settings, _ = load_settings(where_flags(data), os.environ, config)
    if not settings.store and not (Path(settings.data) / "headwater.db").is_file():
        raise NoData(
            f"There is no data in {settings.data}.",
            hint="Start `headwater up` and send an event, or name another place with --data, --store or --url.",
        )
    engine = make_engine(settings.store_url)
    store_name = hidden_url(settings.store) if settings.store else settings.data
    if current_revision(engine) != HEAD:
        raise NoData(
            f"The data in {store_name} is of another version.",
            hint="`headwater migrate` or `headwater up` brings it up to date.",
        )
    reader, code = Reader(engine), tenant or DEFAULT_TENANT.code
    found = reader.tenant(code)
    if found is None:
        raise NoData(f"There is no tenant {code!r} in this data.", hint="`headwater tenant list` shows all of them.")
    return reader, found.id
