"""Generated logs: the same for the same seed, as long as asked for, and made of events that Headwater reads."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
import zstandard

from headwater.bounded_cache import BoundedCache
from headwater.demo.generate import CannotGenerate, Recipe, generate, tenant_bodies
from headwater.graph.facts import Evidence, RunDataset, SchemaVersion, ShapeEdge
from headwater.graph.fold import Graph, fold_into
from headwater.interpret.describe import Description
from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event

SMALL = Recipe(events=2_000, jobs=40)


def bodies_of(**members: object) -> list[bytes]:
    return list(tenant_bodies(Recipe(**{"events": 2_000, "jobs": 40, **members}), 0))


def test_the_same_seed_gives_the_same_bytes_and_another_gives_others() -> None:
    assert bodies_of() == bodies_of()
    assert not set(bodies_of()) & set(bodies_of(seed=2))


def test_files_by_tenant_and_size(tmp_path: Path) -> None:
    recipe = Recipe(events=1_001, tenants=3, jobs=16)
    made = generate(recipe, tmp_path, file_bytes=1 << 20)
    lines = {
        folder.name: sum(len(path.read_bytes().splitlines()) for path in folder.iterdir())
        for folder in tmp_path.iterdir()
    }
    assert lines == {"tenant=default": 334, "tenant=tenant-002": 334, "tenant=tenant-003": 333}
    files = sorted(path.name for path in (tmp_path / "tenant=default").iterdir())
    assert files == ["part-00000.ndjson", "part-00001.ndjson"]
    assert made.events == 1_001
    assert made.bytes == sum(path.stat().st_size for path in tmp_path.glob("*/*"))
    assert made.files == len(list(tmp_path.glob("*/*")))


@pytest.mark.parametrize(
    ("compress", "name", "read"),
    [
        ("gzip", "part-00000.ndjson.gz", gzip.decompress),
        ("zstd", "part-00000.ndjson.zst", lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data)),
    ],
)
def test_compressed_files_hold_the_same(tmp_path: Path, compress: str, name: str, read) -> None:
    seen: list[int] = []
    generate(SMALL, tmp_path / "packed", compress=compress, progress=seen.append)
    assert read((tmp_path / "packed/tenant=default" / name).read_bytes()).splitlines() == bodies_of()
    assert sum(seen) == SMALL.events


def test_a_folder_that_holds_files_is_left_alone(tmp_path: Path) -> None:
    generate(SMALL, tmp_path)
    with pytest.raises(CannotGenerate, match="files in"):
        generate(SMALL, tmp_path)


def test_shares_of_late_and_repeated_events() -> None:
    bodies = bodies_of(events=4_000, late=0.1, duplicates=0.05)
    repeats = [count for count in Counter(bodies).values() if count > 1]
    assert set(repeats) == {2}
    assert 0.03 < len(repeats) / len(bodies) < 0.07
    times = [decode_event(body).time for body in bodies]
    newest, behind = 0, 0
    for time in times:
        behind += time < newest - 3_600_000_000
        newest = max(newest, time)
    assert behind > 100
    assert len(bodies) == 4_000


def test_without_disorder_events_come_in_order_and_once() -> None:
    bodies = bodies_of(late=0, duplicates=0)
    times = [decode_event(body).time for body in bodies]
    assert times == sorted(times)
    assert len(set(bodies)) == len(bodies)


def test_the_events_say_what_real_ones_say() -> None:
    """Hubs, diamonds, changing schemas, failures, runs without an end, counts: all of it in one small log."""
    graph: Graph = {}
    cache: BoundedCache[Description] = BoundedCache(16 << 20)
    kinds: Counter[str] = Counter()
    sizes = []
    for body in set(bodies_of(events=12_000)):
        event = decode_event(body)
        assert not event.warnings
        kinds[str(event.event_type)] += 1
        if event.outputs:
            sizes.append(len(body))
        fold_into(graph, interpret(event, 1, cache).facts())
    assert kinds["START"] > kinds["COMPLETE"] > kinds["FAIL"] > 0
    assert 6_500 < sum(sizes) / len(sizes) < 8_000
    edges = {(edge.source, edge.target) for edge in graph[ShapeEdge].values()}
    readers = Counter(source for source, _ in edges)
    assert readers.most_common(1)[0][1] > 5, "no hub"
    assert any(
        len([middle for middle in targets if (middle, end) in edges]) > 1
        for source in readers
        for targets in [[target for start, target in edges if start == source]]
        for end in {target for _, target in edges}
    ), "no diamond"
    assert len(graph[SchemaVersion]) > 40, "schemas never change"
    assert all(fact.rows and fact.bytes for fact in graph[RunDataset].values())
    assert any(fact.files for fact in graph[RunDataset].values())
    assert len(graph[Evidence]) < 2_000, "jobs do not repeat"
