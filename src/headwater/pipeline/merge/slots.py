"""Facts as rows of one wide table, so that Spark merges all of them in one aggregation.

Facts have different columns, but few kinds of them. Each column of a fact gets a slot of its rule, such as
`max_bytes_3`; the slots of all facts together are the columns of the wide table, and every slot has one aggregate.
All of it follows from the declarations in `graph/facts.py`.

A slot holds numbers or bytes. Text is written as bytes with the same order, and so are values of `Latest`, with their
stamp in front: of two such values the greater one is the later one.
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
from headwater.graph.merge_rules import Rule

__all__ = ["KEY", "SLOTS", "Slot", "arrow_schema", "decode_keys", "encode_keys", "to_batch", "to_rows"]

KEY = ("kind", "tenant", "key")
"""Key of a row of the wide table: the number of the fact in FACTS, and the fact's key."""

_TYPES = {int: pa.int64(), bytes: pa.binary()}
_NAMES = {int: "int", bytes: "bytes"}
_INT_SIZE, _OFFSET = 8, 1 << 63
"""Numbers are moved up so that those below zero, such as times before 1970, sort first."""
_STAMP_SIZE = 24
KINDS = {fact: number for number, fact in enumerate(FACTS)}


class Slot(NamedTuple):
    """One column of the wide table."""

    name: str
    rule: Rule
    """Never LATEST: with the stamp before the value, that is MAX."""
    type: type


class _Code(NamedTuple):
    """How values are written as bytes that sort as they do, and read again."""

    encode: Callable[[Any], bytes]
    decode: Callable[[bytes], Any]


class _Placed(NamedTuple):
    """A column of a fact in its slot."""

    slot: Slot
    code: _Code | None
    """None where the slot has the values as they are."""
    is_stamped: bool

    def write(self, values: Sequence[Any]) -> pa.Array:
        type_ = _TYPES[self.slot.type]
        if self.code is None:
            return pa.array(values, type_)
        encode = self.code.encode
        if self.is_stamped:
            return pa.array([None if pair is None else pair[0] + encode(pair[1]) for pair in values], type_)
        return pa.array([None if value is None else encode(value) for value in values], type_)

    def read(self, array: pa.Array) -> list[list[Any]]:
        """Columns of the store's table; a stamped value has two, itself and its stamp."""
        count = len(array)
        if array.null_count == count:  # most columns of most facts; told without a look at each value
            return [[None] * count] * (2 if self.is_stamped else 1)
        values = array.to_pylist()
        if self.code is None:
            return [values]
        decode = self.code.decode
        if self.is_stamped:
            decoded = [None if value is None else decode(value[_STAMP_SIZE:]) for value in values]
            return [decoded, [None if value is None else value[:_STAMP_SIZE] for value in values]]
        return [[None if value is None else decode(value) for value in values]]


def _encode_int(value: int) -> bytes:
    return (value + _OFFSET).to_bytes(_INT_SIZE, "big")


def _decode_int(part: bytes) -> int:
    return int.from_bytes(part, "big") - _OFFSET


_CODES = {
    int: _Code(_encode_int, _decode_int),
    bytes: _Code(bytes, bytes),
    str: _Code(str.encode, bytes.decode),
}


def _plain(column: Column) -> type:
    return next(type_ for type_ in _CODES if issubclass(column.kind, type_))


def _assign() -> tuple[tuple[Slot, ...], dict[type[Fact], tuple[_Placed, ...]]]:
    slots: dict[str, Slot] = {}
    of_fact: dict[type[Fact], tuple[_Placed, ...]] = {}
    for fact in FACTS:
        used: dict[tuple[Rule, type], int] = defaultdict(int)
        chosen = []
        for column in columns_of(fact)[fact.key_size :]:
            assert column.rule is not None  # noqa: S101 - the key is before these
            type_, is_stamped = _plain(column), column.rule is Rule.LATEST
            rule = Rule.MAX if is_stamped else column.rule
            kind = int if type_ is int and not is_stamped else bytes
            number = used[rule, kind]
            used[rule, kind] += 1
            slot = Slot(f"{rule.value}_{_NAMES[kind]}_{number}", rule, kind)
            slots.setdefault(slot.name, slot)
            chosen.append(_Placed(slot, None if type_ is kind and not is_stamped else _CODES[type_], is_stamped))
        of_fact[fact] = tuple(chosen)
    return tuple(slots.values()), of_fact


SLOTS, _PLACED = _assign()


def arrow_schema() -> pa.Schema:
    """The wide table."""
    fields = [pa.field("kind", pa.int32()), pa.field("tenant", pa.int64()), pa.field("key", pa.binary())]
    return pa.schema([*fields, *(pa.field(slot.name, _TYPES[slot.type]) for slot in SLOTS)])


_SCHEMA = arrow_schema()


def encode_keys(fact: type[Fact], columns: Sequence[Sequence[Any]]) -> list[bytes]:
    """Keys of one kind of fact, given by their columns after the tenant.

    Keys as bytes sort as keys do, so every writer takes rows in the same order.

    >>> from headwater.graph.facts import Dependency
    >>> encode_keys(Dependency, [[b"a" * 16], [b"b" * 16], ["x"]])
    [b'aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbx']
    """
    encoded = [map(part.code.encode, column) for part, column in zip(_PARTS[fact], columns, strict=True)]
    return list(map(b"".join, zip(*encoded, strict=True)))


def decode_keys(fact: type[Fact], keys: Sequence[bytes]) -> list[list[Any]]:
    """Keys of `encode_keys` in their columns: ids and numbers have a fixed size, a text comes last."""
    return [[decode(key[start:end]) for key in keys] for start, end, (_, decode) in _PARTS[fact]]


class _SlotRange(NamedTuple):
    """A part of a key: where in it, and how it is written."""

    start: int
    end: int | None
    code: _Code


def _parts(fact: type[Fact]) -> tuple[_SlotRange, ...]:
    parts, start = [], 0
    for column in columns_of(fact)[1 : fact.key_size]:
        kind = _plain(column)
        size = {int: _INT_SIZE, bytes: column.size, str: None}[kind]
        parts.append(_SlotRange(start, None if size is None else start + size, _CODES[kind]))
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
    for placed, values in zip(_PLACED[kind], columns[kind.key_size :], strict=True):
        if values[0] is not None or values.count(None) < count:
            arrays[placed.slot.name] = placed.write(values)
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
        for placed in _PLACED[kind]:
            columns += placed.read(part.column(placed.slot.name))
        found.append((kind, tenant, list(zip([tenant] * size, *columns, strict=True))))
    return found
