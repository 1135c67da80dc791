"""Asks an overlay for bundles, readiness and listings, under the one rule for outgoing requests.

>>> from headwater.emit.configuration import Overlay
>>> overlay = Overlay(name="prod", url="https://overlay.example.com", producer_host="lineage.example.com")
>>> overlay.bundle_url("ab/cd==")
'https://overlay.example.com/bundle?versionId=ab%2Fcd%3D%3D'
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from msgspec import Struct

from headwater.emit.answers import Bundle, ListingPage, Ready, read_bundle, read_listings, read_ready
from headwater.emit.configuration import Overlay
from headwater.emit.errors import BadOverlayAnswer, UnknownVersion
from headwater.outgoing.send import Outgoing, OutgoingAnswer
from headwater.outgoing.tls import TlsOptions

__all__ = ["Access", "OverlayBusy", "OverlayClient"]

_BUNDLE_BYTES = 4 << 20
_READY_BYTES = 256 << 10
_LISTING_BYTES = 1 << 20
_SECONDS = 10.0
_NOT_FOUND = (404, 410)


class Access(Struct, frozen=True):
    """Secrets of one configured peer, resolved: its token, and files for TLS."""

    token: str = ""
    tls: TlsOptions | None = None

    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"} if self.token else {}


class OverlayBusy(BadOverlayAnswer):
    """An overlay answers that it cannot answer now."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class OverlayClient:
    """Reads one overlay. Safe to use from many threads."""

    def __init__(self, overlay: Overlay, outgoing: Outgoing, access: Access | None = None) -> None:
        self._overlay, self._outgoing, self._access = overlay, outgoing, access or Access()

    def bundle(self, version_id: str) -> tuple[Bundle, dict[str, Any]]:
        """The bundle of a version, as a record and as it was sent. Raises `UnknownVersion` if there is none."""
        answer = self._ask(self._overlay.bundle_url(version_id), "/bundle", _BUNDLE_BYTES)
        if answer.status in _NOT_FOUND:
            raise UnknownVersion(
                f"The overlay {self._overlay.name} has no version {version_id[:100]!r}.",
                hint="Was it published there, and is the id complete?",
            )
        self._check(answer, "/bundle")
        return read_bundle(answer.body, version_id)

    def ready(self, version_id: str) -> Ready | None:
        """The overlay's decision about a version; None if it has none."""
        answer = self._ask(self._overlay.ready_url(version_id), "/ready", _READY_BYTES)
        if answer.status in _NOT_FOUND:
            return None
        self._check(answer, "/ready")
        return read_ready(answer.body)

    def listings(self, after: str | None = None, limit: int = 500) -> ListingPage:
        """One page of the overlay's versions in its own order."""
        url = f"{self._overlay.base}/listings?limit={limit}"
        answer = self._ask(url + (f"&after={quote(after, safe='')}" if after else ""), "/listings", _LISTING_BYTES)
        self._check(answer, "/listings")
        return read_listings(answer.body)

    def _ask(self, url: str, place: str, max_bytes: int) -> OutgoingAnswer:
        headers = {"accept": "application/json", **self._access.headers()}
        answer = self._outgoing.send(
            "GET", url, headers=headers, seconds=_SECONDS, max_bytes=max_bytes, tls=self._access.tls
        )
        if answer.status in (429, 503):
            raise OverlayBusy(
                f"The overlay {self._overlay.name} answers {answer.status} at {place}.",
                seconds_of(answer.headers.get("retry-after")),
            )
        return answer

    def _check(self, answer: OutgoingAnswer, place: str) -> None:
        if answer.status != 200:
            raise BadOverlayAnswer(
                f"The overlay {self._overlay.name} answers {answer.status} at {place}.",
                hint="With 401 or 403: check the token that is configured for it.",
            )


def seconds_of(header: str | None, most: int = 3_600) -> int:
    """The seconds of a Retry-After header; 0 if it names none."""
    text = (header or "").strip()
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 10 else 0
