"""Options of commands that change something: author, reason, tenant."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.cli.options import server_of

__all__ = ["ByOption", "ReasonOption", "tenant_parameter", "user_of"]

ByOption = Annotated[
    str | None, typer.Option("--by", help="Whose change it is; default the user of this computer, or the key's name.")
]
ReasonOption = Annotated[str | None, typer.Option("--reason", help="Why; kept in the history.")]


def tenant_parameter(tenant: str | None, url: str | None, data: str | None) -> dict[str, Any]:
    return {"tenant": tenant or (None if server_of(url, data) else "default")}


def user_of() -> str:
    """The user of this computer; containers may have none."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "command line"
