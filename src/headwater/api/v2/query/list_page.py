"""A page of a list as it was asked for: whole, with a few members of its items, or as a table."""

from __future__ import annotations

import difflib
from typing import Any

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from headwater.api.context import render
from headwater.api.v2.query.list_parameters import PageQuery
from headwater.api.v2.query.moment_parameters import as_csv, wants_csv
from headwater.lineage.errors import BadQuestion

__all__ = ["heading", "shown"]


def heading(kind: type[Struct]) -> str:
    """The first line of a table of such items."""
    return ",".join(kind.__struct_fields__) + "\n"


def shown(request: Request, query: PageQuery, page: Any, kind: type[Struct]) -> Response:
    """`fields` keeps these members, in this order; a table has the page's items, and its cursor in `Link`."""
    is_table = wants_csv(request, query.format)
    if query.fields is None and not is_table:
        return render(page)
    known = list(kind.__struct_fields__)
    names = _chosen(query.fields, known) if query.fields is not None else known
    items = [{name: _value(item, name) for name in names} for item in page.items]
    if not is_table:
        return render({**msgspec.to_builtins(page), "items": items})
    response = as_csv(names, [{name: _cell(value) for name, value in item.items()} for item in items])
    if page.next is not None:
        response.headers["link"] = f'<{request.url.include_query_params(cursor=page.next)}>; rel="next"'
    return response


def _chosen(text: str, known: list[str]) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean {close[0]}? " if close else ""
            raise BadQuestion(
                f"The items have no member {name[:100]!r}.",
                path="?fields",
                hint=f"{hint}Known are: {', '.join(known)}.",
            )
    return list(dict.fromkeys(names))


def _value(item: Any, name: str) -> Any:
    return msgspec.to_builtins(getattr(item, name))


def _cell(value: Any) -> Any:
    """A record becomes JSON; lists of texts are joined."""
    if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(part, dict | list) for part in value)):
        return msgspec.json.encode(value).decode()
    return value
