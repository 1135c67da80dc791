"""A landing folder into log and graph: every file once, whatever is in it."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import zstandard

from headwater.pipeline.jobs.stream_events import stream_folder
from headwater.pipeline.spark.stream_query import StreamReport
from headwater.store.access.tenants import Tenants
from headwater.store.engine import make_engine
from headwater.store.read.dump import dump_graph
from headwater.store.sql_store import DEFAULT_TENANT
from headwater.store.write.dead_letters import DeadLetters, Filter
from tests.pipeline.jobs.test_stream_kafka import BODIES, letters, progress
from tests.pipeline.test_equivalence import dump, log, opened
from tests.store.test_contract import graph_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def url(tmp_path: Path) -> str:
    return opened(f"sqlite:///{tmp_path / 'headwater.db'}")


@pytest.fixture
def landing(tmp_path: Path) -> Path:
    folder = tmp_path / "landing [1] 100%"
    folder.mkdir()
    return folder


@pytest.fixture
def take(spark: SparkSession, url: str, landing: Path, tmp_path: Path) -> Callable[[], StreamReport]:
    """Take what is in the folder."""

    def stream() -> StreamReport:
        engine = make_engine(url)
        known = {tenant.code: tenant for tenant in Tenants(engine).list(1)}
        engine.dispose()
        return stream_folder(
            spark,
            url,
            folder=str(landing),
            tenants=lambda: known,
            default_tenant=DEFAULT_TENANT.code,
            checkpoint=(tmp_path / "checkpoint").as_uri(),
            once=True,
        )

    return stream


def test_new_files_of_every_form_once_each(
    take: Callable[[], StreamReport], url: str, landing: Path, tmp_path: Path
) -> None:
    (landing / "a b.ndjson").write_bytes(b"\n".join(BODIES[:5]) + b"\n")
    (landing / "c[2]%20.jsonl.gz").write_bytes(gzip.compress(b"\n".join(BODIES[5:10])))
    (landing / "d.ndjson.zst").write_bytes(zstandard.compress(b"\n".join(BODIES[10:15])))
    (landing / "_being-written.ndjson").write_bytes(BODIES[39])
    (landing / "notes.md").write_text("no events")
    assert take().events == 15
    (landing / "deep").mkdir()
    (landing / "deep" / "e.json").write_bytes(b"[" + b",".join(BODIES[15:20]) + b"]")
    (landing / "_being-written.ndjson").rename(landing / "f.ndjson")
    assert take().events == 6
    assert take().events == 0
    taken = (*BODIES[:20], BODIES[39])
    assert log(url) == sorted(taken)
    assert dump(url) == list(dump_graph(graph_of(taken, 1)))
    (noted,) = progress(url)
    assert noted.events == 21

    newest = max((tmp_path / "checkpoint" / "commits").glob("[0-9]*"), key=lambda file: int(file.name))
    for file in (newest, newest.with_name(f".{newest.name}.crc")):
        file.unlink()
    assert take().events > 0, "the batch should have come again"
    assert log(url) == sorted(taken)
    assert progress(url)[0].events == 21


def test_damaged_files_and_bad_lines_are_kept_and_the_rest_goes_on(
    take: Callable[[], StreamReport], url: str, landing: Path
) -> None:
    whole = gzip.compress(b"\n".join(BODIES[:20]) + b"\n", mtime=0)
    (landing / "cut.ndjson.gz").write_bytes(whole[: len(whole) - 40])
    (landing / "no.parquet").write_bytes(b"no such thing")
    (landing / "some.ndjson").write_bytes(b"\n".join([BODIES[20], b"bad " * 1000, BODIES[21]]))
    (landing / "tenant=nobody").mkdir()
    (landing / "tenant=nobody" / "x.ndjson").write_bytes(BODIES[22])
    report = take()
    assert report.refused == 4
    assert {BODIES[20], BODIES[21]} <= set(log(url))
    assert BODIES[22] not in log(url)
    kept = {letter.message.removeprefix(f"{landing}/").partition(" ")[0]: letter for letter in letters(url)}
    assert {name: letter.reason for name, letter in kept.items()} == {
        "cut.ndjson.gz,": "unreadable_source",
        "no.parquet,": "unreadable_source",
        "some.ndjson,": "invalid_json",
        "tenant=nobody/x.ndjson:": "unknown_tenant",
    }
    bad = kept["some.ndjson,"]
    assert "some.ndjson, line 2: " in bad.message
    engine = make_engine(url)
    found = DeadLetters(engine).get(1, bad.id)
    engine.dispose()
    assert found is not None
    assert found[1] == b"bad " * 1000


def test_a_file_of_nothing_but_bad_lines_is_kept_whole(
    take: Callable[[], StreamReport], url: str, landing: Path
) -> None:
    (landing / "bad.ndjson").write_bytes(b"".join(b"bad %d\n" % number for number in range(12_000)) + BODIES[0])
    assert take().refused == 12_000
    engine = make_engine(url)
    kept = DeadLetters(engine).list(1, Filter(), limit=20_000)
    assert len({letter.message for letter in kept}) == len(kept) == 12_000
    last = next(letter for letter in kept if "line 11987: " in letter.message)
    found = DeadLetters(engine).get(1, last.id)
    engine.dispose()
    assert found is not None
    assert found[1] == b"bad 11986"
