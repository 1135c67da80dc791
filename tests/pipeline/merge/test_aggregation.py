"""The same facts merged by Python, by Spark, and by the SQL of a store: the same graph."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pyarrow as pa

from headwater.graph.fact import Fact, Key, columns_of
from headwater.graph.facts import FACTS
from headwater.graph.fold import fold
from headwater.graph.merge_rules import Rule
from headwater.pipeline.merge.aggregation import merge_facts, wide_schema
from headwater.pipeline.merge.slots import decode_keys, encode_keys, to_batch, to_rows
from headwater.store.write.upsert import row_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEXTS = ("", "a", "B", "ä", "\U0001f600", "zz ", "zz")


def random_value(chance: random.Random, kind: type, size: int | None) -> object:
    if issubclass(kind, int):
        return chance.choice((0, 1, 2, 5, -7, 2**40))
    if issubclass(kind, bytes):
        return chance.choice((b"\x00", b"\x7f", b"\x80", b"\xff")) * (size or chance.randint(1, 3))
    return chance.choice(TEXTS)


def random_fact(chance: random.Random, fact: type[Fact]) -> Fact:
    values: list[object] = []
    for column in columns_of(fact):
        if column.rule is None:
            small = (1, 2) if column.name == "tenant" else None
            values.append(chance.choice(small) if small else random_value(chance, column.kind, column.size))
        elif chance.random() < 0.4:
            values.append(None)
        elif column.rule is Rule.LATEST:
            stamp = chance.choice((b"\x01", b"\xf0", b"\x7f")) * 24
            values.append((stamp, random_value(chance, column.kind, column.size)))
        elif column.rule is Rule.FLAGS:
            values.append(chance.choice((1, 2, 4, 6)))
        else:
            values.append(random_value(chance, column.kind, column.size))
    return fact(*values)


def random_facts(seed: int, count: int) -> list[Fact]:
    chance = random.Random(seed)
    return [random_fact(chance, chance.choice(FACTS)) for _ in range(count)]


def test_a_key_comes_back_as_it_was() -> None:
    for kind in FACTS:
        keys = _keys(kind, [fact for fact in random_facts(1, 500) if type(fact) is kind])
        assert list(zip(*decode_keys(kind, _encoded(kind, keys)), strict=True)) == keys


def test_keys_as_bytes_sort_as_keys() -> None:
    for kind in FACTS:
        keys = sorted(_keys(kind, [fact for fact in random_facts(2, 2000) if type(fact) is kind]))
        assert _encoded(kind, keys) == sorted(_encoded(kind, keys))


def _keys(kind: type[Fact], facts: list[Fact]) -> list[Key]:
    """Without the tenant."""
    assert facts, kind
    return [fact.key()[1:] for fact in facts]


def _encoded(kind: type[Fact], keys: list[Key]) -> list[bytes]:
    return encode_keys(kind, list(zip(*keys, strict=True)))


def test_rows_come_back_as_they_were() -> None:
    for kind in FACTS:
        facts = [fact for fact in random_facts(3, 1000) if type(fact) is kind]
        back = [row for _, _, rows in to_rows(to_batch(kind, facts)) for row in rows]
        assert back == list(map(row_of, facts))


def test_spark_merges_as_python_does(spark: SparkSession) -> None:
    facts = random_facts(4, 6000)
    batches = [to_batch(kind, [fact for fact in facts if type(fact) is kind]) for kind in FACTS]
    frame = spark.createDataFrame(pa.Table.from_batches(batches).to_pylist(), wide_schema()).repartition(5)
    merged = merge_facts(frame).toArrow()
    ordered = merged.sort_by([("kind", "ascending"), ("tenant", "ascending"), ("key", "ascending")])
    seen = {
        (kind, row[: kind.key_size]): row
        for batch in ordered.combine_chunks().to_batches()
        for kind, _, rows in to_rows(batch)
        for row in rows
    }
    wanted = {(kind, key): row_of(fact) for kind, table in fold(facts).items() for key, fact in table.items()}
    assert len(seen) > 100
    assert seen == wanted
