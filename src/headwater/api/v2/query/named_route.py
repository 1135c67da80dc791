"""Routes that end in a name, which may hold anything: slashes at its end, line breaks, question marks."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote_to_bytes

from starlette.routing import Match, Route

__all__ = ["NamedRoute"]


class NamedRoute(Route):
    """`/api/v2/jobs/{id:path}`: the id is the raw text after the slash, unescaped."""

    def matches(self, scope: Any) -> tuple[Match, Any]:
        raw = scope.get("raw_path") or b""
        if scope["type"] != "http" or not raw:
            return super().matches(scope)
        path = unquote_to_bytes(raw.partition(b"?")[0].rstrip(b"/")).decode("utf-8", "replace")
        start = self.path.partition("{")[0]
        name = path.removeprefix(start)
        if not name or name == path:
            return Match.NONE, {}
        child = {"endpoint": self.endpoint, "path_params": {**scope.get("path_params", {}), "id": name}}
        fits = not self.methods or scope["method"] in self.methods
        return (Match.FULL if fits else Match.PARTIAL), child
