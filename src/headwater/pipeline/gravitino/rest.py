"""The calls of Gravitino's REST API that a full sync needs."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from headwater.outgoing.errors import OutgoingFailed
from headwater.outgoing.send import Outgoing
from headwater.pipeline.errors import PipelineError

__all__ = ["GravitinoApi", "GravitinoFailed", "named"]

_TRIES = 5
_TIMEOUT = 30
_LARGEST = 64 << 20
_PAGE = 100
_MOST_ITEMS = 1_000_000
_ANYWHERE = "0.0.0.0/0,::/0"
"""An operator names the server, which mostly is in a private network."""
_ACCEPT = "application/vnd.gravitino.v1+json"


class GravitinoFailed(PipelineError):
    """Gravitino does not answer, or not in the form of its API."""

    code = "gravitino_failed"


class GravitinoApi:
    """Reads one metalake. Safe to use from many threads; all together keep to `rate` requests a second."""

    def __init__(
        self,
        url: str,
        metalake: str,
        *,
        token: str | None = None,
        tenant: tuple[int, str] | None = None,
        headers: Mapping[str, str] | None = None,
        rate: int = 50,
    ) -> None:
        """`tenant`: id and code, for servers that keep several tenants apart by headers."""
        self._base = f"{url.rstrip('/')}/api/metalakes/{quote(metalake, safe='')}"
        named = {"x-tenant-id": str(tenant[0]), "x-tenant-code": tenant[1]} if tenant is not None else {}
        self._outgoing = Outgoing(_ANYWHERE)
        self._headers = {"accept": _ACCEPT, **named, **(headers or {})}
        if token:
            self._headers["authorization"] = f"Bearer {token}"
        self._pause, self._next = 1 / rate if rate else 0.0, 0.0
        self._lock = threading.Lock()

    def get(self, *parts: str, missing_is_none: bool = False, **parameters: Any) -> dict[str, Any] | None:
        """One answer; None where there is no such thing and that is in order."""
        place = "/".join(quote(part, safe="") for part in parts)
        query = f"?{urlencode(parameters)}" if parameters else ""
        return self._get(f"{self._base}/{place}{query}", missing_is_none=missing_is_none)

    def names(self, *parts: str) -> list[str]:
        """Names in a list of identifiers; none if the parent was dropped meanwhile."""
        answer = self.get(*parts, missing_is_none=True) or {}
        return [item["name"] for item in named(answer.get("identifiers"))]

    def paged(self, member: str, *parts: str) -> Iterator[dict[str, Any]]:
        """All items of a list in pages; nothing where the server has no such list."""
        offset = 0
        while True:
            answer = self.get(*parts, missing_is_none=True, offset=offset, limit=_PAGE) or {}
            items, total = answer.get(member), answer.get("total")
            if not isinstance(items, list) or not items:
                return
            yield from (item for item in items if isinstance(item, dict))
            offset += len(items)
            if isinstance(total, int) and not isinstance(total, bool):  # a page may have fewer than are asked for
                if offset >= total:
                    return
            elif len(items) < _PAGE:
                return
            if offset > _MOST_ITEMS:
                raise GravitinoFailed(f"Gravitino lists more than {_MOST_ITEMS} {member} in one schema.")

    def _get(self, url: str, *, missing_is_none: bool) -> dict[str, Any] | None:
        reason = ""
        for attempt in range(_TRIES):
            self._wait()
            try:
                answer = self._outgoing.send("GET", url, headers=self._headers, seconds=_TIMEOUT, max_bytes=_LARGEST)
            except OutgoingFailed as error:
                reason = error.message
            else:
                if answer.status in (404, 405) and missing_is_none:
                    return None
                if answer.status in (401, 403):
                    raise GravitinoFailed(
                        f"Gravitino refuses the credentials ({answer.status}) at {url}.",
                        hint="See --token and --header.",
                    )
                found = _object(answer.body) if answer.status == 200 else None
                if found is not None:
                    return found
                reason = "it answers no JSON object" if answer.status == 200 else f"it answers {answer.status}"
                if 300 <= answer.status < 500 and answer.status != 429:
                    break
            time.sleep(0.2 * 2**attempt)
        raise GravitinoFailed(
            f"Gravitino cannot be read at {url}: {reason}.",
            hint="Run the same command again; it goes on with the same cut-over time.",
        )

    def _wait(self) -> None:
        """Keep to the rate."""
        with self._lock:
            now = time.monotonic()
            due = max(now, self._next)
            self._next = due + self._pause
        time.sleep(max(0.0, due - now))


def named(items: Any) -> Iterator[dict[str, Any]]:
    """Those of these items that are objects with a name."""
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict) and isinstance(item.get("name"), str) and item["name"]:
            yield item


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
