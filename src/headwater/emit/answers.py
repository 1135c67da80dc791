"""Answers of an overlay:

bundle, readiness and listings as records. An invalid answer raises an error with its place.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from headwater.emit.configuration import check_version_id
from headwater.emit.errors import BadOverlayAnswer, WrongEmitConfiguration
from headwater.openlineage.times import parse_time

__all__ = [
    "Bundle",
    "ListingPage",
    "Ready",
    "Recall",
    "VersionListing",
    "VersionState",
    "read_bundle",
    "read_listings",
    "read_ready",
]

_T = TypeVar("_T")
_MOST_PARENTS = 10_000
_MOST_STATES = 200
_MOST_REASONS = 20
_LONGEST_TEXT = 300
_STATES = ("published", "unstable", "stable", "dropped")
_MICROSECONDS_MOST = 4_102_444_800_000_000
"""The year 2100: times beyond it are mistakes."""


class Recall(Struct, frozen=True, rename="camel"):
    """The withdrawal of a version."""

    at: str
    txid: str | None = None


class Bundle(Struct, frozen=True, rename="camel"):
    """A published version, and its transaction."""

    version_id: str
    created_at: str
    parents: tuple[str, ...] = ()
    txid: str | None = None
    content_hash: str | None = None
    producer_identity_key: str | None = None
    lineage_depth: int | None = None
    recall: Recall | None = None


class VersionState(Struct, frozen=True, rename="camel", omit_defaults=True):
    """A state of a version's transaction: published, unstable (a reorg removed it), stable again, dropped for good."""

    state: str
    at: str | None = None
    confs: int | None = None
    confs_before: int | None = None
    """Confirmations that a reorg took away."""
    decision: str | None = None
    reasons: tuple[str, ...] = ()


class Ready(Struct, frozen=True, rename="camel"):
    """Whether an overlay considers a version ready, with its confirmations now."""

    confs: int = 0
    decision: str | None = None
    reasons: tuple[str, ...] = ()
    state: str = "published"
    at: str | None = None
    """Since when that is the state."""
    history: tuple[VersionState, ...] | UnsetType = UNSET
    """All states since the publish, the oldest first, if the overlay sends them."""


class VersionListing(Struct, frozen=True, rename="camel"):
    version_id: str
    recalled: bool = False


class ListingPage(Struct, frozen=True, rename="camel"):
    listings: tuple[VersionListing, ...]
    next: str | None = None


def read_bundle(body: bytes, version_id: str) -> tuple[Bundle, dict[str, Any]]:
    """The bundle of this version, as a record and as it was sent. Raises `BadOverlayAnswer`."""
    members = _object(body, "/bundle")
    bundle = _convert(members, Bundle, "/bundle")
    if bundle.version_id != version_id:
        raise _bad("/bundle", "is of another version than was asked for", "$.versionId")
    if len(bundle.parents) > _MOST_PARENTS:
        raise _bad("/bundle", f"has more than {_MOST_PARENTS:,} parents", "$.parents")
    for index, parent in enumerate(bundle.parents):
        _check_id(parent, f"$.parents[{index}]")
        if parent == version_id:
            raise _bad("/bundle", "names the version as its own parent", f"$.parents[{index}]")
    _check_time(bundle.created_at, "/bundle", "$.createdAt")
    if bundle.recall is not None:
        _check_time(bundle.recall.at, "/bundle", "$.recall.at")
    if bundle.lineage_depth is not None and not 0 <= bundle.lineage_depth < 1 << 31:
        raise _bad("/bundle", "has a lineageDepth that is none", "$.lineageDepth")
    texts = (
        bundle.txid,
        bundle.content_hash,
        bundle.producer_identity_key,
        bundle.recall.txid if bundle.recall else None,
    )
    for name, text in zip(("txid", "contentHash", "producerIdentityKey", "recall.txid"), texts, strict=True):
        if text is not None and not _is_word(text):
            raise _bad("/bundle", f"has a {name} that is empty, too long or not printable", f"$.{name}")
    return bundle, members


def read_ready(body: bytes) -> Ready:
    """Decode an answer of `/ready`. Raises `BadOverlayAnswer`."""
    ready = _convert(_object(body, "/ready"), Ready, "/ready")
    history = () if ready.history is UNSET else ready.history
    if len(history) > _MOST_STATES:
        raise _bad("/ready", f"has more than {_MOST_STATES} states", "$.history")
    places: list[tuple[str, Ready | VersionState]] = [("$", ready)]
    places += [(f"$.history[{index}]", item) for index, item in enumerate(history)]
    for place, state in places:
        if state.state not in _STATES:
            raise _bad("/ready", f"has a state that is none of {', '.join(_STATES)}", f"{place}.state")
        if state.at is not None:
            _check_time(state.at, "/ready", f"{place}.at")
        if not 0 <= (state.confs or 0) < 1 << 31:
            raise _bad("/ready", "has confirmations that are no count", f"{place}.confs")
        if len(state.reasons) > _MOST_REASONS or not all(map(_is_word, state.reasons)):
            raise _bad(
                "/ready",
                f"has more than {_MOST_REASONS} reasons, or ones that are empty, too long or not printable",
                f"{place}.reasons",
            )
        if state.decision is not None and not _is_word(state.decision):
            raise _bad("/ready", "has a decision that is empty, too long or not printable", f"{place}.decision")
    return ready


def read_listings(body: bytes) -> ListingPage:
    """One page of an overlay's versions. Raises `BadOverlayAnswer`."""
    page = _convert(_object(body, "/listings"), ListingPage, "/listings")
    for index, listing in enumerate(page.listings):
        _check_id(listing.version_id, f"$.listings[{index}].versionId")
    if page.next is not None and not _is_word(page.next):
        raise _bad("/listings", "continues at a place that is empty, too long or not printable", "$.next")
    return page


def _object(body: bytes, place: str) -> dict[str, Any]:
    try:
        value = json.loads(body.decode(), object_pairs_hook=_members, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        reason = "too deep" if isinstance(error, RecursionError) else str(error)[:100]
        raise _bad(place, f"is no JSON of one meaning ({reason})", "$") from None
    if not isinstance(value, dict):
        raise _bad(place, "is no JSON object", "$")
    return value


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a member twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _convert(members: dict[str, Any], kind: type[_T], place: str) -> _T:
    try:
        return msgspec.convert(members, kind)
    except msgspec.ValidationError as error:
        raise _bad(place, f"does not fit: {str(error)[:200]}", "$") from None


def _check_id(version_id: str, path: str) -> None:
    try:
        check_version_id(version_id, path)
    except WrongEmitConfiguration as error:
        raise BadOverlayAnswer(error.message, path=path) from None


def _check_time(text: str, place: str, path: str) -> None:
    time = parse_time(text) if len(text) <= 40 else None
    if time is None or not 0 <= time < _MICROSECONDS_MOST:
        raise _bad(place, "has a time that is none", path)


def _is_word(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_TEXT and text.isprintable()


def _bad(place: str, what: str, path: str) -> BadOverlayAnswer:
    return BadOverlayAnswer(
        f"What the overlay answers at {place} {what}.", path=path, hint="See docs/overlay.md for what it should answer."
    )
