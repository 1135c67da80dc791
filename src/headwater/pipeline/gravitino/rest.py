"""The calls of Gravitino's REST API that a full sync needs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from msgspec import Struct

from headwater.outgoing.errors import OutgoingFailed
from headwater.outgoing.send import Outgoing, OutgoingAnswer
from headwater.pipeline.errors import PipelineError

__all__ = ["ApiOptions", "GravitinoApi", "GravitinoFailed", "named"]

_FEW_TRIES = 3
"""How often a question is asked at least; and at most before the server has answered any: its address may be wrong."""
_PATIENCE = 60.0
"""Seconds for which a server that has answered before is asked again."""
_LONGEST_PAUSE = 10.0
_TIMEOUT = 30
_LARGEST = 64 << 20
_PAGE = 100
_MOST_ITEMS = 1_000_000
_FIRST_AGAIN = 5
"""How often a list is read from its beginning when it changed meanwhile."""
_ANYWHERE = "0.0.0.0/0,::/0"
"""An operator names the server, which mostly is in a private network."""
_ACCEPT = "application/vnd.gravitino.v1+json"


class GravitinoFailed(PipelineError):
    """Gravitino does not answer, or not in the form of its API."""

    code = "gravitino_failed"


class ApiOptions(Struct, frozen=True):
    """Metalake, credential and request rate."""

    url: str
    metalake: str
    token: str | None = None
    tenant: tuple[int, str] | None = None
    """Id and code, for servers that keep several tenants apart by headers."""
    headers: Mapping[str, str] = {}
    rate: float = 50
    """Requests a second at most; 0 for any number."""


class GravitinoApi:
    """Reads one metalake. Safe to use from many threads; all together keep to `rate` requests a second.

    Once a question has failed for good, all others fail at once: nobody waits for a server that is away.
    """

    def __init__(self, options: ApiOptions, renew: Callable[[], str | None] | None = None) -> None:
        """`renew` reads the token again when the server refuses the one it was given: tokens end."""
        self._base = f"{options.url.rstrip('/')}/api/metalakes/{quote(options.metalake, safe='')}"
        self._outgoing = Outgoing(_ANYWHERE)
        tenant = options.tenant
        named = {"x-tenant-id": str(tenant[0]), "x-tenant-code": tenant[1]} if tenant is not None else {}
        self._headers = {"accept": _ACCEPT, **named, **options.headers}
        self._token, self._renew = options.token, renew
        rate = options.rate
        self._pause, self._next = 1 / rate if rate else 0.0, 0.0
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._failure: GravitinoFailed | None = None
        self._has_answered = False
        self._lists: dict[str, bool] = {}
        """Whether the server has this kind of list; only kinds that were requested."""

    def stop(self) -> None:
        """Let all questions that wait fail."""
        self._stopped.set()

    def items(self, member: str, *parts: str, **parameters: Any) -> list[dict[str, Any]]:
        """All items of a list that every server has."""
        answer = self.get(*parts, **parameters) or {}
        if not isinstance(answer.get(member), list):
            raise self._failed(self._url(parts, parameters), f"its answer has no {member}")
        return _objects(answer[member])

    def get(self, *parts: str, missing_is_none: bool = False, **parameters: Any) -> dict[str, Any] | None:
        """One answer; None if Gravitino reports that the object does not exist and that is allowed."""
        status, found = self._get(self._url(parts, parameters))
        if status == 200:
            return found
        if missing_is_none and _is_gone(status, found):
            return None
        raise self._failed(self._url(parts, parameters), f"it answers {status}")

    def names(self, *parts: str) -> list[str]:
        """Names in a list of identifiers; none if the parent was dropped meanwhile."""
        answer = self.get(*parts, missing_is_none=True)
        if answer is None:
            return []
        if not isinstance(answer.get("identifiers"), list):
            raise self._failed(self._url(parts, {}), "its answer has no identifiers")
        return [item["name"] for item in named(answer["identifiers"])]

    def listed(self, member: str, *parts: str, **parameters: Any) -> list[dict[str, Any]]:
        """All items of a list that not every server has; nothing where the server has no such list."""
        url = self._url(parts, parameters)
        answer = self._page(member, url, is_first=True)
        return [] if answer is None else _objects(answer[member])

    def paged(self, member: str, *parts: str) -> list[dict[str, Any]]:
        """All items of a list in pages; nothing where the server has no such list."""
        for _ in range(_FIRST_AGAIN):
            items = self._pages(member, parts)
            if items is not None:
                return _objects(items)
        raise self._failed(self._url(parts, {}), "its list changes all the time")

    def _pages(self, member: str, parts: tuple[str, ...]) -> list[Any] | None:
        """The items; None if their number changed meanwhile, since one may be missing then."""
        found: list[Any] = []
        first: int | None = None
        while True:
            url = self._url(parts, {"offset": len(found), "limit": _PAGE})
            answer = self._page(member, url, is_first=not found)
            if answer is None:
                return []
            items, total = answer[member], answer.get("total")
            if isinstance(total, bool) or not isinstance(total, int):
                total = None
            if found and total != first:
                return None
            first = total
            found += items
            if total is None:
                if len(items) < _PAGE:
                    return found
            elif len(found) >= total:
                return found
            elif not items:  # a page may have fewer than are asked for, but not none
                raise self._failed(url, f"{total - len(found)} of {total} {member} are missing in its answers")
            if len(found) > _MOST_ITEMS:
                raise self._failed(url, f"it lists more than {_MOST_ITEMS} {member} in one schema")

    def failed(self, parts: tuple[str, ...], reason: str) -> GravitinoFailed:
        """Error of the answer to `get`; reading stops."""
        return self._failed(self._url(parts, {}), reason)

    def _page(self, member: str, url: str, *, is_first: bool) -> dict[str, Any] | None:
        """A page of a list; None if there is no such list, or nothing to list any more."""
        status, found = self._get(url)
        if status == 200:
            if found is not None and found.get(member, ()) is None:  # an empty list, as some write it
                found[member] = []
            if found is not None and isinstance(found.get(member), list):
                self._lists[member] = True
                return found
            raise self._failed(url, f"its answer has no {member}")
        if is_first and status in (404, 405):
            # No such list: any 404, if none was ever answered. Else only if Gravitino itself says so.
            if _is_gone(status, found):
                return None
            if not self._lists.setdefault(member, False):
                return None
        raise self._failed(url, f"it answers {status}")

    def _url(self, parts: tuple[str, ...], parameters: Mapping[str, Any]) -> str:
        place = "/".join(quote(part, safe="") for part in parts)
        return f"{self._base}/{place}" + (f"?{urlencode(parameters)}" if parameters else "")

    def _get(self, url: str) -> tuple[int, dict[str, Any] | None]:
        """The status, of those that are answers, and the object. Raises `GravitinoFailed` if there is no answer."""
        began, attempt, renewed = time.monotonic(), 0, 0
        while True:
            self._wait()
            asked_again = 0.0
            token = self._token
            try:
                answer = self._ask(url, token)
            except OutgoingFailed as error:
                reason = error.message
            else:
                found = _object(answer.body)
                if answer.status == 200 and found is not None:
                    self._has_answered = True
                    return 200, found
                if answer.status in (401, 403):
                    renewed += 1
                    if renewed < _FEW_TRIES and self._renews(token):
                        continue
                    hint = "See --token and --header; run again, it goes on with the same cut-over time."
                    raise self._failed(url, f"it refuses the credentials ({answer.status})", hint=hint)
                reason = "it answers no JSON object" if answer.status == 200 else f"it answers {answer.status}"
                if 300 <= answer.status < 500 and answer.status not in (408, 429):
                    return answer.status, found
                asked_again = _seconds(answer.headers.get("retry-after"))
            attempt += 1
            is_over = not self._has_answered or time.monotonic() - began > _PATIENCE
            if attempt >= _FEW_TRIES and is_over:
                raise self._failed(url, reason)
            if self._stopped.wait(max(asked_again, min(0.2 * 2**attempt, _LONGEST_PAUSE))):
                raise self._failed(url, reason)

    def _ask(self, url: str, token: str | None) -> OutgoingAnswer:
        headers = {**self._headers, **({"authorization": f"Bearer {token}"} if token else {})}
        return self._outgoing.send("GET", url, headers=headers, seconds=_TIMEOUT, max_bytes=_LARGEST)

    def _renews(self, refused: str | None) -> bool:
        """Whether there is another token by now."""
        with self._lock:
            if self._token == refused:
                self._token = self._renew() if self._renew is not None else refused
            return self._token != refused

    def _failed(self, url: str, reason: str, hint: str | None = None) -> GravitinoFailed:
        """Error of one request, which ends all others too."""
        again = "Run the same command again; it goes on with the same cut-over time."
        with self._lock:
            if self._failure is None:
                text = f"Gravitino cannot be read at {url}: {reason.removesuffix('.')}."
                self._failure = GravitinoFailed(text, hint=hint or again)
            self._stopped.set()
            return self._failure

    def _wait(self) -> None:
        """Keep to the rate."""
        with self._lock:
            now = time.monotonic()
            due = max(now, self._next)
            self._next = due + self._pause
        if self._stopped.wait(max(0.0, due - now)):
            raise self._failure or GravitinoFailed("Gravitino is not read any further.")


def named(items: Any) -> Iterator[dict[str, Any]]:
    """Those of these items that are objects with a name."""
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict) and isinstance(item.get("name"), str) and item["name"]:
            yield item


def _objects(items: list[Any]) -> list[dict[str, Any]]:
    return [item for item in items if isinstance(item, dict)]


def _is_gone(status: int, body: dict[str, Any] | None) -> bool:
    """Whether Gravitino itself reports that the object does not exist, and not a server in front of it."""
    if status == 405:
        return True
    code = body.get("code") if body is not None else None
    return status == 404 and isinstance(code, int) and code != 0


def _seconds(text: str | None) -> float:
    """How long the server wants to be left alone, within reason."""
    return min(float(text), _PATIENCE) if text and text.isascii() and text.isdigit() and len(text) < 9 else 0.0


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
