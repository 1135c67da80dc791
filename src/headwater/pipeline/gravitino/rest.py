"""Gravitino's REST API, as far as a full reading needs it."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from headwater.pipeline.errors import PipelineError

__all__ = ["GravitinoApi", "GravitinoFailed"]

_TRIES = 5
_TIMEOUT = 30
_LARGEST = 64 << 20
_PAGE = 100
_ACCEPT = "application/vnd.gravitino.v1+json"


class GravitinoFailed(PipelineError):
    """Gravitino does not answer, or not as its API says."""

    code = "gravitino_failed"


class GravitinoApi:
    """Reads one metalake. Safe to use from many threads; all together keep to `rate` requests a second."""

    def __init__(
        self,
        url: str,
        metalake: str,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        rate: int = 50,
    ) -> None:
        self._base = f"{url.rstrip('/')}/api/metalakes/{quote(metalake, safe='')}"
        self._headers = {"accept": _ACCEPT, **(headers or {})}
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
        """The names that a list of identifiers has."""
        answer = self.get(*parts) or {}
        return [item["name"] for item in answer.get("identifiers") or () if isinstance(item.get("name"), str)]

    def paged(self, member: str, *parts: str) -> Iterator[dict[str, Any]]:
        """All items of a list in pages; nothing where the server has no such list."""
        offset = 0
        while True:
            answer = self.get(*parts, missing_is_none=True, offset=offset, limit=_PAGE)
            items = (answer or {}).get(member) or []
            yield from (item for item in items if isinstance(item, dict))
            if len(items) < _PAGE:
                return
            offset += len(items)

    def _get(self, url: str, *, missing_is_none: bool) -> dict[str, Any] | None:
        reason = ""
        for attempt in range(_TRIES):
            self._wait()
            try:
                request = urllib.request.Request(url, headers=self._headers)  # noqa: S310 - an operator named it
                with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:  # noqa: S310
                    body = answer.read(_LARGEST + 1)
                if len(body) > _LARGEST:
                    raise GravitinoFailed(f"Gravitino's answer to {url} has more than {_LARGEST >> 20} MiB.")
                found = json.loads(body)
                if isinstance(found, dict):
                    return found
                reason = "it answers no JSON object"
            except urllib.error.HTTPError as error:
                error.close()
                if error.code in (404, 405) and missing_is_none:
                    return None
                reason = f"it answers {error.code}"
                if error.code in (401, 403):
                    raise GravitinoFailed(
                        f"Gravitino refuses the credentials ({error.code}) at {url}.", hint="See --token and --header."
                    ) from None
                if error.code < 500 and error.code != 429:
                    break
            except (OSError, ValueError) as error:
                reason = str(error) or type(error).__name__
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
