"""Facts as rows of one wide table, so that Spark merges all of them in one aggregation.

Facts have different columns, but few kinds of them. Each column of a fact gets a slot of its rule and type, such as
`max_text_3`; the slots of all facts together are the columns of the wide table, and every slot has one aggregate. All
of it follows from the declarations in `graph/facts.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import pyarrow as pa
from msgspec.structs import astuple

from headwater.graph.fact import Column, Fact, columns_of
from headwater.graph.facts import FACTS
from headwater.graph.rules import Rule

__all__ = ["KEY", "SLOTS", "Slot", "arrow_schema", "decode_keys", "encode_keys", "to_batch", "to_rows"]

KEY = ("kind", "tenant", "key")
"""What a row of the wide table is about: the number of the fact in FACTS, and the fact's key."""

_TYPES = {int: pa.int64(), bytes: pa.binary(), str: pa.string()}
_NAMES = {int: "int", bytes: "bytes", str: "text"}
_INT_SIZE, _OFFSET = 8, 1 << 63
"""Numbers are moved up so that those below zero, such as times before 1970, sort first."""
KINDS = {fact: number for number, fact in enumerate(FACTS)}


class Slot(NamedTuple):
    """One column of the wide table; of a LATEST slot there are two, the stamp beside the value."""

    name: str
    rule: Rule
    type: type

    @property
    def stamp(self) -> str:
        return f"{self.name}_stamp"


def _plain(column: Column) -> type:
    return next(type_ for type_ in _TYPES if issubclass(column.kind, type_))


def _assign() -> tuple[tuple[Slot, ...], dict[type[Fact], tuple[Slot, ...]]]:
    slots: dict[str, Slot] = {}
    of_fact: dict[type[Fact], tuple[Slot, ...]] = {}
    for fact in FACTS:
        used: dict[tuple[Rule, type], int] = defaultdict(int)
        chosen = []
        for column in columns_of(fact):
            if column.rule is None:
                continue
            type_ = _plain(column)
            number = used[column.rule, type_]
            used[column.rule, type_] += 1
            slot = Slot(f"{column.rule.value}_{_NAMES[type_]}_{number}", column.rule, type_)
            slots.setdefault(slot.name, slot)
            chosen.append(slot)
        of_fact[fact] = tuple(chosen)
    return tuple(slots.values()), of_fact


SLOTS, _SLOTS_OF = _assign()


def arrow_schema() -> pa.Schema:
    """The wide table."""
    fields = [pa.field("kind", pa.int32()), pa.field("tenant", pa.int64()), pa.field("key", pa.binary())]
    for slot in SLOTS:
        fields.append(pa.field(slot.name, _TYPES[slot.type]))
        if slot.rule is Rule.LATEST:
            fields.append(pa.field(slot.stamp, pa.binary()))
    return pa.schema(fields)


_SCHEMA = arrow_schema()


def encode_keys(fact: type[Fact], columns: Sequence[Sequence[Any]]) -> list[bytes]:
    """Keys of one kind of fact, given by their columns after the tenant.

    Keys as bytes sort as keys do, so every writer takes rows in the same order.

    >>> from headwater.graph.facts import Dependency
    >>> encode_keys(Dependency, [[b"a" * 16], [b"b" * 16], ["x"]])
    [b'aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbx']
    """
    encoded = [map(part.encode, column) for part, column in zip(_PARTS[fact], columns, strict=True)]
    return list(map(b"".join, zip(*encoded, strict=True)))


def decode_keys(fact: type[Fact], keys: Sequence[bytes]) -> list[list[Any]]:
    """Keys of `encode_keys` in their columns: ids and numbers have a fixed size, a text comes last."""
    return [[part.decode(key[part.start : part.end]) for key in keys] for part in _PARTS[fact]]


def _encode_int(value: int) -> bytes:
    return (value + _OFFSET).to_bytes(_INT_SIZE, "big")


def _decode_int(part: bytes) -> int:
    return int.from_bytes(part, "big") - _OFFSET


class _Part(NamedTuple):
    """A part of a key: where in it, and how it is written and read."""

    start: int
    end: int | None
    encode: Callable[[Any], bytes]
    decode: Callable[[bytes], Any]


_CODES: dict[type, tuple[Callable[[Any], bytes], Callable[[bytes], Any]]] = {
    int: (_encode_int, _decode_int),
    bytes: (bytes, bytes),
    str: (str.encode, bytes.decode),
}


def _parts(fact: type[Fact]) -> tuple[_Part, ...]:
    parts, start = [], 0
    for column in columns_of(fact)[1 : fact.key_size]:
        kind = _plain(column)
        size = {int: _INT_SIZE, bytes: column.size, str: None}[kind]
        parts.append(_Part(start, None if size is None else start + size, *_CODES[kind]))
        start += size or 0
    return tuple(parts)


_PARTS = {fact: _parts(fact) for fact in FACTS}


def to_batch(kind: type[Fact], facts: Sequence[Fact]) -> pa.RecordBatch:
    """Facts of one kind as rows of the wide table."""
    count = len(facts)
    columns = list(zip(*map(astuple, facts), strict=True))
    arrays: dict[str, pa.Array] = {
        "kind": pa.repeat(pa.scalar(KINDS[kind], pa.int32()), count),
        "tenant": pa.array(columns[0], pa.int64()),
        "key": pa.array(encode_keys(kind, columns[1 : kind.key_size]), pa.binary()),
    }
    for slot, values in zip(_SLOTS_OF[kind], columns[kind.key_size :], strict=True):
        if values[0] is None and values.count(None) == count:
            continue
        if slot.rule is Rule.LATEST:
            arrays[slot.stamp] = pa.array([pair and pair[0] for pair in values], pa.binary())
            arrays[slot.name] = pa.array([pair and pair[1] for pair in values], _TYPES[slot.type])
        else:
            arrays[slot.name] = pa.array(values, _TYPES[slot.type])
    filled = [arrays.get(field.name) if field.name in arrays else pa.nulls(count, field.type) for field in _SCHEMA]
    return pa.RecordBatch.from_arrays(filled, schema=_SCHEMA)


def to_rows(batch: pa.RecordBatch) -> list[tuple[type[Fact], int, list[tuple[Any, ...]]]]:
    """Rows of the wide table as rows of the stores' tables, by fact and tenant, in the order they come."""
    kinds, tenants = batch.column("kind").to_pylist(), batch.column("tenant").to_pylist()
    found, start = [], 0
    for (number, tenant), members in groupby(zip(kinds, tenants, strict=True)):
        size = sum(1 for _ in members)
        kind, part = FACTS[number], batch.slice(start, size)
        start += size
        columns = decode_keys(kind, part.column("key").to_pylist())
        for slot in _SLOTS_OF[kind]:
            columns.append(_listed(part.column(slot.name)))
            if slot.rule is Rule.LATEST:
                columns.append(_listed(part.column(slot.stamp)))
        found.append((kind, tenant, list(zip([tenant] * size, *columns, strict=True))))
    return found


def _listed(column: pa.Array) -> list[Any]:
    """Values as Python has them. Most columns of most facts have none, which is told without a look at each."""
    return [None] * len(column) if column.null_count == len(column) else column.to_pylist()
