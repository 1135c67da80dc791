"""The records of a list of changes."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from headwater.lineage.answer.text_types import Instant
from headwater.lineage.picture.answer import NodeRef

__all__ = ["Argument", "Cause", "ChangeCode", "ChangeItem", "ChangeKind", "ChangeList", "Raw", "What"]

ChangeKind = Literal["schema", "lineage", "created", "dropped", "truncated", "renamed", "failed", "edit"]
ChangeCode = Literal[
    "columns_changed",
    "first_flow",
    "more_flow",
    "created",
    "dropped",
    "truncated",
    "renamed",
    "run_failed",
    "run_killed",
    "edited",
]
Argument = str | int | bool | None


class Raw(Struct, frozen=True, kw_only=True):
    """A change by ids, before its things have names."""

    at: int
    kind: ChangeKind
    node: bytes
    code: ChangeCode
    arguments: dict[str, Argument] = {}
    run: bytes | None = None
    job: bytes | None = None
    actor: str | None = None


class Cause(Struct, frozen=True, kw_only=True):
    run: str | None
    job: str | None
    """Its id."""
    actor: str | None
    """Author of a change by hand."""


class What(Struct, frozen=True, kw_only=True):
    """The event in question, as a code and the arguments of its sentence."""

    code: ChangeCode
    arguments: dict[str, Argument]


class ChangeItem(Struct, frozen=True, kw_only=True):
    at: Instant
    kind: ChangeKind
    of: NodeRef
    cause: Cause
    what: What


class ChangeList(Struct, frozen=True, kw_only=True):
    items: list[ChangeItem]
    total: int
    """Number of changes in the window, of those that were read."""
    next: str | None
    since: Instant
    until: Instant
    truncated: bool
    """Whether there were more than are looked at; a narrower window shows them."""
