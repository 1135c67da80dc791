"""Overlays and sinks of a tenant, and checks of their configuration."""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import quote, urlsplit

from msgspec import Struct

from headwater.emit.errors import WrongEmitConfiguration

__all__ = ["VOLATILE", "Overlay", "Sink", "check_overlay", "check_sink", "check_version_id"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}\Z")
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:\d{1,5})?\Z")
_SECRET = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}\Z")
_LONGEST_ID = 512
_SHORTEST_CHECK = 10
_LONGEST_REQUEST = 60
_FASTEST = 10_000
_MOST_VOLATILE = 32
VOLATILE = ("confs", "proof", "recall", "state")
"""Members of a bundle that change while the published content stays the same."""


class Overlay(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An overlay that publishes versions. Its datasets are in the namespace `overlay:<name>`."""

    name: str
    """The environment: the part of the namespace after `overlay:`."""
    url: str
    """Where `/bundle`, `/ready` and `/listings` are."""
    producer_host: str
    """Host in the producer of the events: https://<host>/adapter/openlineage/1.0."""
    job_by: Literal["versionId", "txid"] = "versionId"
    """By which a job is named: publish::<versionId> or publish::<txid>."""
    start: bool = False
    """Whether a START goes before the first COMPLETE."""
    ready: bool = True
    """Whether `/ready` is asked; without it there is neither a decision nor a watch for reorgs."""
    min_confs: int = 0
    """Confirmations that a version needs before it is shown; 0 shows it at once."""
    stable_confs: int = 6
    """Confirmations from which on a version is no longer watched."""
    poll_seconds: int = 10
    """Seconds between two looks at a version that waits or is watched."""
    give_up_seconds: int = 86_400
    """Seconds after which a transaction that a reorg removed counts as gone for good."""
    check_seconds: int = 3_600
    """Seconds between two comparisons with the overlay's listings; 0 for none."""
    volatile: tuple[str, ...] = VOLATILE
    """Members of a bundle that its hash leaves out."""
    token: str = ""
    """Name of the secret that is sent as a Bearer token; empty for none."""
    ca: str = ""
    certificate: str = ""
    key: str = ""

    @property
    def namespace(self) -> str:
        return f"overlay:{self.name}"

    @property
    def producer(self) -> str:
        return f"https://{self.producer_host}/adapter/openlineage/1.0"

    @property
    def base(self) -> str:
        return self.url.rstrip("/")

    def bundle_url(self, version_id: str) -> str:
        return f"{self.base}/bundle?versionId={quote(version_id, safe='')}"

    def ready_url(self, version_id: str) -> str:
        return f"{self.base}/ready?versionId={quote(version_id, safe='')}"

    def listing_url(self, version_id: str) -> str:
        return f"{self.base}/listings/{quote(version_id, safe='')}"


class Sink(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where events are sent: Headwater itself, Marquez, or any OpenLineage HTTP endpoint."""

    name: str
    kind: Literal["headwater", "marquez", "http"] = "headwater"
    url: str = ""
    """Of Marquez its address, of another endpoint the whole URL; empty for Headwater itself."""
    token: str = ""
    ca: str = ""
    certificate: str = ""
    key: str = ""
    seconds: int = 10
    """Time for one request."""
    rate: int = 0
    """Events a second that each process sends; 0 for any number."""

    @property
    def endpoint(self) -> str:
        return f"{self.url.rstrip('/')}/api/v1/lineage" if self.kind == "marquez" else self.url


def check_overlay(overlay: Overlay) -> None:
    """Raise the error of an overlay's configuration."""
    _check_name(overlay.name)
    _check_url(overlay.url, "$.url")
    if not _HOST.match(overlay.producer_host):
        raise _wrong(
            f"{overlay.producer_host[:100]!r} is no host.", "$.producer_host", "For example lineage.example.com."
        )
    for name, low, high in (
        ("min_confs", 0, 10_000),
        ("stable_confs", 0, 10_000),
        ("poll_seconds", 1, 86_400),
        ("give_up_seconds", 1, 366 * 86_400),
        ("check_seconds", 0, 366 * 86_400),
    ):
        if not low <= getattr(overlay, name) <= high:
            raise _wrong(f"{name} is from {low} to {high}.", f"$.{name}")
    if overlay.check_seconds and overlay.check_seconds < _SHORTEST_CHECK:
        raise _wrong(f"check_seconds is 0 or at least {_SHORTEST_CHECK}.", "$.check_seconds")
    if overlay.min_confs and not overlay.ready:
        raise _wrong("Without /ready nothing tells confirmations.", "$.min_confs", "Set ready, or min_confs to 0.")
    if len(overlay.volatile) > _MOST_VOLATILE or any(not name or len(name) > 100 for name in overlay.volatile):
        raise _wrong(f"volatile has at most {_MOST_VOLATILE} names of 1 to 100 characters.", "$.volatile")
    _check_secrets(overlay)


def check_sink(sink: Sink) -> None:
    """Raise the error of a sink's configuration."""
    _check_name(sink.name)
    if sink.kind == "headwater":
        if sink.url or sink.token or sink.ca or sink.certificate or sink.key:
            raise _wrong("A sink of the kind headwater is this server, and has neither address nor secrets.", "$.url")
    else:
        _check_url(sink.url, "$.url")
    if not 0 <= sink.rate <= _FASTEST:
        raise _wrong(f"rate is from 0 to {_FASTEST}.", "$.rate")
    if not 1 <= sink.seconds <= _LONGEST_REQUEST:
        raise _wrong(f"seconds is from 1 to {_LONGEST_REQUEST}.", "$.seconds")
    _check_secrets(sink)


def check_version_id(version_id: str, path: str = "$.versionId") -> str:
    """The id of a version, unchanged. Raises if it is none."""
    if not 1 <= len(version_id) <= _LONGEST_ID:
        raise _wrong(f"A versionId has 1 to {_LONGEST_ID} characters.", path)
    if any(letter < " " or "\x7f" <= letter < "\xa0" or "\ud800" <= letter < "\ue000" for letter in version_id):
        raise _wrong("A versionId has no control characters and no halves of surrogate pairs.", path)
    return version_id


def _check_name(name: str) -> None:
    if not _NAME.match(name):
        raise _wrong(f"{name[:100]!r} is no name.", "$.name", "1 to 63 letters, digits, dots, dashes and underscores.")


def _check_url(url: str, path: str) -> None:
    parts = urlsplit(url) if url.isascii() and len(url) <= 1_000 else None
    if parts is None or parts.scheme not in ("http", "https") or not parts.netloc or "@" in parts.netloc:
        raise _wrong("This is no address.", path, "For example https://overlay.example.com, without user or password.")
    if parts.query or parts.fragment:
        raise _wrong("The address has a query or a fragment.", path, "Name it without.")


def _check_secrets(item: Overlay | Sink) -> None:
    for name in ("token", "ca", "certificate", "key"):
        value = getattr(item, name)
        if value and not _SECRET.match(value):
            raise _wrong(
                f"{name} is no name of a secret.",
                f"$.{name}",
                "It is the name of a file in the tenant's folder of secrets, not the secret itself.",
            )


def _wrong(message: str, path: str, hint: str | None = None) -> WrongEmitConfiguration:
    return WrongEmitConfiguration(message, path=path, hint=hint)
