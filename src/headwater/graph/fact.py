"""Fact: a row with a key, and columns each with a merge rule.

>>> from headwater.graph.facts import Evidence
>>> early, late = Evidence(1, b"s", first_seen=5), Evidence(1, b"s", first_seen=9)
>>> late.merge(early) == early
True
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Annotated, Any, ClassVar, Self, get_args, get_origin, get_type_hints

from msgspec import Struct
from msgspec.structs import astuple

from headwater.graph.merge_rules import JOINS, WRITTEN, Rule

__all__ = ["Column", "Fact", "Id", "Key", "Stamp", "columns_of"]

Key = tuple[Any, ...]
Id = Annotated[bytes, 16]
"""The digest of a name, or the bytes of a UUID."""
Stamp = Annotated[bytes, 24]
"""Event time and fingerprint; see `openlineage.identity.stamp`."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a fact: `rule` is None for a part of the key."""

    name: str
    kind: type
    size: int | None
    rule: Rule | None


class Fact(Struct, frozen=True, gc=False):
    """Base of all facts. Fields without a rule are the key, in their order; the first is always the tenant."""

    tenant: int

    table: ClassVar[str]
    key_size: ClassVar[int]
    is_of_run: ClassVar[bool]
    """Whether the key begins with a run. Such facts come from the few events of that run alone."""
    key_of: ClassVar[Callable[[Any], Key]]
    joins: ClassVar[tuple[tuple[int, Callable[[Any, Any], Any]], ...]]
    """The place of each column after the key, and how two values of it merge."""
    joined: ClassVar[Callable[[Any, Any], Any]]
    """Two facts of one key as one; written out from the rules, since it is done for nearly every fact."""
    indexes: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Look-ups besides the key that the stores should serve; the tenant leads each of them."""

    def key(self) -> Key:
        """The values that identify this fact within its table."""
        return type(self).key_of(self)

    def values(self) -> tuple[Any, ...]:
        """All values, key first."""
        return astuple(self)

    def merge(self, other: Self) -> Self:
        """The merged fact. Both have the same key."""
        return self if self == other else type(self).joined(self, other)

    def within(self, other: Self) -> bool:
        """Whether `other` already contains this fact, so that writing it would change nothing."""
        if self == other:
            return True
        own, known = astuple(self), astuple(other)
        for position, join in self.joins:
            mine, theirs = own[position], known[position]
            if mine is not None and mine != theirs and (theirs is None or join(mine, theirs) != theirs):
                return False
        return True


@cache
def columns_of(fact: type[Struct]) -> tuple[Column, ...]:
    """The declaration of a fact or of a derived row, read from its annotations."""
    hints = get_type_hints(fact, include_extras=True)
    return tuple(_column(name, hints[name]) for name in fact.__struct_fields__)


def declare(fact: type[Fact]) -> type[Fact]:
    """Work out key and rules from the annotations; a class decorator for every fact."""
    columns = columns_of(fact)
    key = [column for column in columns if column.rule is None]
    if list(columns[: len(key)]) != key or key[0].name != "tenant":
        raise TypeError(f"{fact.__name__}: the key fields come first, and the tenant before all others")
    fact.key_size = len(key)
    fact.is_of_run = len(key) > 1 and key[1].name == "run"
    fact.key_of = attrgetter(*(column.name for column in key))
    fact.joined = _joined(fact, columns)
    fact.joins = tuple(
        (position, JOINS[column.rule]) for position, column in enumerate(columns) if column.rule is not None
    )
    return fact


def _joined(fact: type[Fact], columns: tuple[Column, ...]) -> Callable[[Any, Any], Any]:
    """A function that merges two facts, without a call and a loop for every column."""
    lines, values = ["def joined(known, other):"], []
    for column in columns:
        if column.rule is None:
            values.append(f"known.{column.name}")
            continue
        value = f"the_{column.name}"
        values.append(value)
        lines.append(f"    {value}, new = known.{column.name}, other.{column.name}")
        lines.append(f"    {WRITTEN[column.rule].format(value)}")
    lines.append(f"    return fact({', '.join(values)})")
    scope: dict[str, Any] = {"fact": fact}
    exec("\n".join(lines), scope)  # noqa: S102 - out of the declaration above, as `dataclass` does it
    function: Callable[[Any, Any], Any] = scope["joined"]
    return function


def _column(name: str, hint: Any) -> Column:
    rule, size = None, None
    for _ in range(4):  # Annotated, Optional and tuple wrap each other
        if get_origin(hint) is Annotated:
            hint, *notes = get_args(hint)
            rule = next((note for note in notes if isinstance(note, Rule)), rule)
            size = next((note for note in notes if isinstance(note, int) and not isinstance(note, Rule)), size)
        elif get_args(hint):
            members = [member for member in get_args(hint) if member is not type(None)]
            hint = members[-1]
    return Column(name, hint, size, rule)
