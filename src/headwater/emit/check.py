"""Compares an overlay's listings with the emitted events, and has missing versions read again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from headwater.emit.answers import VersionListing
from headwater.emit.configuration import Overlay
from headwater.emit.overlay_client import OverlayClient
from headwater.store.emit.outbox import DEAD, PENDING, EmitOutbox
from headwater.store.emit.versions import FAILED, REQUESTED, WAITING, EmitVersions, VersionRow

__all__ = ["CheckPage", "check_page"]

_SHOWN = 20


class CheckPage(Struct):
    """Result for some of an overlay's versions."""

    versions: int
    missing: int
    """Neither emitted to all sinks nor under way; with `repair` they are read again."""
    failed: int
    """Of those: could not be read before."""
    requested: int
    """To be read."""
    waiting: int
    """For confirmations."""
    unsent: int
    """With events that a sink does not have yet."""
    dead: int
    """With events that are dead letters."""
    examples: list[str]
    """Some that are missing."""
    next: str | None
    """Where the next page begins; None after the last one."""


def check_page(
    tenant: int,
    overlay: Overlay,
    client: OverlayClient,
    versions: EmitVersions,
    outbox: EmitOutbox,
    sinks: Collection[str],
    after: str | None,
    *,
    repair: bool,
) -> CheckPage:
    """Compare one page of an overlay's listings."""
    page = client.listings(after)
    listed = {listing.version_id: listing for listing in page.listings}
    rows = versions.get(tenant, overlay.name, list(listed))
    steps = outbox.steps(tenant, [row.version for row in rows.values()])
    missing = [
        version_id for version_id, listing in listed.items() if _is_missing(listing, rows.get(version_id), steps, sinks)
    ]
    if repair and missing:
        versions.request(tenant, overlay.name, missing)
    states = [row.state for row in rows.values()]
    found = [{state for of_sink in by_sink.values() for state in of_sink.values()} for by_sink in steps.values()]
    return CheckPage(
        versions=len(listed),
        missing=len(missing),
        failed=states.count(FAILED),
        requested=states.count(REQUESTED),
        waiting=states.count(WAITING),
        unsent=sum(PENDING in one for one in found),
        dead=sum(DEAD in one for one in found),
        examples=missing[:_SHOWN],
        next=page.next if page.listings else None,
    )


def _is_missing(
    listing: VersionListing,
    row: VersionRow | None,
    steps: Mapping[bytes, Mapping[str, Mapping[str, str]]],
    sinks: Collection[str],
) -> bool:
    if row is None or row.state == FAILED:
        return True
    if row.state in (REQUESTED, WAITING):
        return False
    wanted: Sequence[str] = ("publish", "recall") if listing.recalled else ("publish",)
    emitted = steps.get(row.version, {})
    return any(step not in emitted.get(sink, {}) for sink in sinks for step in wanted)
