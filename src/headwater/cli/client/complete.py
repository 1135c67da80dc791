"""Completion of names on the command line: from the server of the environment, else from the data folder."""

from __future__ import annotations

from typing import Any

import typer

from headwater.errors import HeadwaterError

__all__ = ["complete_name"]

_MOST = 30


def complete_name(context: typer.Context, incomplete: str) -> list[str]:
    """Ids of datasets and jobs whose name contains the typed text. Errors are dropped: a shell has no use for them."""
    if len(incomplete) < 2:
        return []
    options: dict[str, Any] = context.params
    try:
        return _find(incomplete, options)
    except (HeadwaterError, OSError, LookupError):
        return []


def _find(text: str, options: dict[str, Any]) -> list[str]:
    from headwater.cli.client.server import get_json
    from headwater.cli.options import open_reader, server_of

    url, tenant = server_of(options.get("url"), options.get("data")), options.get("tenant")
    if url:
        found = []
        for kind in ("datasets", "jobs"):
            wanted = {"name": _plain(text), "limit": _MOST, "tenant": tenant}
            found += [item["id"] for item in get_json(url, f"/api/v2/{kind}", wanted)["items"]]
        return found
    reader, tenant_id = open_reader(options.get("data"), options.get("config"), tenant)
    return [name.node_id for name in reader.search_names(tenant_id, _plain(text), limit=_MOST)]


def _plain(text: str) -> str:
    """Without kind and namespace, where these were typed."""
    return text.rpartition(":")[2] or text
