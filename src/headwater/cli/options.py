"""Options that several commands share, and the choice between a local folder and a server."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from headwater.cli.remote import ServerError, ask_server, server_of
from headwater.errors import HeadwaterError

__all__ = [
    "ConfigOption",
    "DataOption",
    "FormatOption",
    "NoData",
    "ServerError",
    "TenantOption",
    "UrlOption",
    "ask_server",
    "open_reader",
    "server_of",
]

ConfigOption = Annotated[str | None, typer.Option("--config", help="Settings file (TOML); default ./headwater.toml.")]
DataOption = Annotated[str | None, typer.Option("--data", help="Data folder to read; default ./.headwater.")]
UrlOption = Annotated[
    str | None, typer.Option("--url", help="Ask this server instead of a data folder; default HEADWATER_URL.")
]
TenantOption = Annotated[
    str | None, typer.Option("--tenant", help="Code of the tenant to ask about; default `default`, or the key's.")
]
FormatOption = Annotated[str, typer.Option("--format", "-f", help="tree or json.")]


class NoData(HeadwaterError):
    code = "no_data"


def open_reader(data: str | None, config: str | None = None, tenant: str | None = None) -> tuple[Any, int]:
    """A reader on the local store, and the id of a tenant: the one with this code, or the default one."""
    from headwater.settings import load_settings
    from headwater.store.engine import make_engine
    from headwater.store.migrate import HEAD, current_revision
    from headwater.store.read import Reader
    from headwater.store.sql import DEFAULT_TENANT

    settings, _ = load_settings({"data": data}, os.environ, config)
    if not settings.store and not (Path(settings.data) / "headwater.db").is_file():
        raise NoData(
            f"There is no data in {settings.data}.",
            hint="Start `headwater up` and send an event, name another folder with --data, or a server with --url.",
        )
    engine = make_engine(settings.store_url)
    if current_revision(engine) != HEAD:
        raise NoData(
            f"The data in {settings.data} is of another version.", hint="Start `headwater up` once to migrate it."
        )
    reader, code = Reader(engine), tenant or DEFAULT_TENANT.code
    found = reader.tenant(code)
    if found is None:
        raise NoData(f"There is no tenant {code!r} in this data.", hint="`headwater tenant list` shows all of them.")
    return reader, found.id
