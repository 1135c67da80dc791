"""Files of every kind, bad lines among them, and an import that is cut off."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
import pytest
import sqlalchemy as sa
import zstandard
from pyarrow import parquet

from headwater.pipeline.errors import MissingSource, PipelineError, UnreadableSource
from headwater.pipeline.jobs import archive, import_events
from headwater.pipeline.jobs.import_events import RefusedLine
from headwater.pipeline.sources.lines import read_lines
from headwater.pipeline.sources.refused_lines import all_refused
from headwater.pipeline.sources.splits import plan_splits
from headwater.pipeline.tasks.fold import refusal
from headwater.store.access.tenants import Tenants
from headwater.store.engine import make_engine
from headwater.store.pipeline.import_journal import ImportJournal
from headwater.store.read.dump import dump_graph
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.tables import events
from tests.pipeline.test_equivalence import TENANTS, dump, log, opened
from tests.store.test_contract import entry, event, graph_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BODIES = [event(f"job{number}", f"2026-03-01T00:00:{number:02d}Z") for number in range(40)]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return opened(f"sqlite:///{tmp_path / 'headwater.db'}")


def test_every_form_of_file(spark: SparkSession, url: str, tmp_path: Path) -> None:
    folder = tmp_path / "events"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.ndjson").write_bytes(b"\n".join(BODIES[:5]))
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(b"\n".join(BODIES[5:10]) + b"\n"))
    (folder / "c.ndjson.zst").write_bytes(zstandard.compress(b"\r\n".join(BODIES[10:15]) + b"\r\n"))
    (folder / "array.json").write_bytes(b"[\n" + b",\n".join(BODIES[15:20]) + b"]\n")
    (folder / "deep" / "pretty.json").write_text(json.dumps(json.loads(BODIES[20]), indent=2))
    parquet.write_table(pa.table({"value": [body.decode() for body in BODIES[21:30]]}), folder / "deep" / "d.parquet")
    (folder / "notes.md").write_text("no events")
    (folder / ".hidden.ndjson").write_text("no events")
    (tmp_path / "named.events").write_bytes(b"\n\n".join(BODIES[30:]))
    report = import_events.run(spark, url, [str(folder), str(tmp_path / "*.events")], tenants=TENANTS)
    assert (report.events, report.appended, report.refused) == (40, 40, 0)
    pretty = json.dumps(json.loads(BODIES[20]), indent=2).encode()
    bodies = (*BODIES[:20], pretty, *BODIES[21:])
    assert log(url) == sorted(bodies)
    assert dump(url) == list(dump_graph(graph_of(bodies, 1)))


def test_bad_lines_are_told_by_file_and_line(spark: SparkSession, url: str, tmp_path: Path) -> None:
    lines = [
        *BODIES[:20],
        b"not json",
        b"",
        *BODIES[20:30],
        b'{"eventTime": "2026-03-01T00:00:00Z"}',
        *BODIES[30:],
        b"[1]",
    ]
    path = tmp_path / "events.ndjson"
    path.write_bytes(b"\n".join(lines))
    seen: list[RefusedLine] = []
    report = import_events.run(spark, url, [str(path)], tenants=TENANTS, on_refused=seen.append, split_bytes=1500)
    assert report.splits > 3
    assert (report.events, report.refused) == (40, 3)
    assert [(line.line, line.code) for line in seen] == [
        (21, "invalid_json"),
        (33, "missing_identity"),
        (44, "not_an_object"),
    ]
    assert {line.file for line in seen} == {str(path)}
    assert seen[0].text == "not json"


def test_no_refused_line_is_lost_however_many(spark: SparkSession, url: str, tmp_path: Path) -> None:
    lines = [b"no event" if number % 5 else b"" for number in range(31_250)]
    lines[100], lines[-1] = BODIES[0], b"[1]"
    path = tmp_path / "events.ndjson"
    path.write_bytes(b"\n".join(lines))
    for size in (None, 150_000):  # all in one split, and some of them in each
        seen: list[RefusedLine] = []
        report = import_events.run(spark, url, [str(path)], tenants=TENANTS, on_refused=seen.append, split_bytes=size)
        assert report.refused == len(seen) == 25_000
        assert [line.line for line in seen] == [place for place, line in enumerate(lines, 1) if line and place != 101]
        assert (seen[-1].code, seen[-1].text) == ("not_an_object", "[1]")
    assert log(url) == [BODIES[0]]


def test_lines_that_cannot_be_found_again_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "events.ndjson"
    path.write_bytes(b"bad\n")
    split = plan_splits([str(path)])[0]
    one = refusal(1, PipelineError("bad"), b"bad")
    assert [line.line for line in all_refused(split, [one], 1)] == [1]
    first, rest = all_refused(split, [one], 12)
    assert (first.line, rest.line) == (1, 0)
    assert rest.message.startswith("11 more lines were refused")


def test_a_damaged_file_is_one_bad_line_and_the_others_are_read(spark: SparkSession, url: str, tmp_path: Path) -> None:
    folder = tmp_path / "events"
    folder.mkdir()
    parquet.write_table(pa.table({"event": BODIES[:20]}), folder / "good.parquet")
    whole = (folder / "good.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    (folder / "none.parquet").write_bytes(b"")
    (folder / "none.ndjson.gz").write_bytes(b"")
    (folder / "none.ndjson").write_bytes(b"")  # nothing is wrong with that
    footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    (folder / "wrong.parquet").write_bytes(whole[:4] + bytes(footer - 4) + whole[footer:])
    seen: list[RefusedLine] = []
    report = import_events.run(spark, url, [str(folder)], tenants=TENANTS, on_refused=seen.append)
    assert (report.events, report.refused) == (20, 4)
    damaged = ["cut.parquet", "none.ndjson.gz", "none.parquet", "wrong.parquet"]
    assert sorted(Path(line.file).name for line in seen) == damaged
    assert {line.code for line in seen} == {"unreadable_source"}


def test_an_archive_is_restored_with_the_times_of_receipt(spark: SparkSession, url: str, tmp_path: Path) -> None:
    first = opened(f"sqlite:///{tmp_path / 'first.db'}")
    store = SqlStore(first)
    store.open()
    store.write([msgspec.structs.replace(entry(body), received_at=1000 + n) for n, body in enumerate(BODIES)])
    store.close()
    archive.run(spark, first, folder=str(tmp_path / "archive"))
    report = import_events.run(spark, url, [str(tmp_path / "archive")], tenants=TENANTS)
    assert report.appended == 40
    received = []
    for place in (first, url):
        engine = make_engine(place)
        query = sa.select(events.c.event_time, events.c.received_at).order_by(events.c.event_time)
        with engine.connect() as connection:
            received.append(connection.execute(query).all())
        engine.dispose()
    assert received[0] == received[1]


def test_a_relative_path_means_the_same_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "more").mkdir()
    for name in ("a.ndjson", "more/b.ndjson"):
        (tmp_path / name).write_bytes(BODIES[0])
    monkeypatch.chdir(tmp_path / "more")
    for source in ("../a.ndjson", "..", "../*.ndjson"):
        assert plan_splits([source])[0].path == str(tmp_path / "a.ndjson")


def test_a_file_that_workers_do_not_see_is_an_error(
    spark: SparkSession, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "events.ndjson").write_bytes(BODIES[0])
    spark.range(1).mapInArrow(lambda batches: batches, "id long").collect()  # workers are there, in another folder
    monkeypatch.chdir(tmp_path)
    engine = make_engine(url)
    journal = ImportJournal(engine, bytes(16))
    with pytest.raises(MissingSource, match=r"not on .* where a task was to read it") as error:
        import_events.run(spark, url, ["/proc/self/cwd/events.ndjson"], tenants=TENANTS, journal=journal)
    assert "shared disk" in str(error.value.hint)
    assert journal.read()[1] == {}
    engine.dispose()


def test_goes_on_where_it_was_cut_off(spark: SparkSession, url: str, tmp_path: Path) -> None:
    path, engine = tmp_path / "events.ndjson", make_engine(url)
    journal = ImportJournal(engine, bytes(range(16)))
    path.write_bytes(b"\n".join(BODIES))

    def stop(done: int, total: int, _: object) -> None:
        if 0 < done < total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_events.run(spark, url, [str(path)], tenants=TENANTS, journal=journal, on_progress=stop, split_bytes=150)
    assert 0 < len(log(url)) < 40
    report = import_events.run(spark, url, [str(path)], tenants=TENANTS, journal=journal, split_bytes=4000)
    assert report.splits_done_before > 0  # cut as before, whatever is said now
    assert report.events < 40
    assert log(url) == sorted(BODIES)
    assert dump(url) == list(dump_graph(graph_of(tuple(BODIES), 1)))
    assert journal.read() == (None, {})
    engine.dispose()


def test_folders_tell_the_tenant(spark: SparkSession, url: str, tmp_path: Path) -> None:
    engine = make_engine(url)
    acme = Tenants(engine).create("acme", "Acme")
    engine.dispose()
    folder = tmp_path / "log" / "tenant=acme"
    folder.mkdir(parents=True)
    (folder / "part.ndjson").write_bytes(BODIES[0])
    import_events.run(spark, url, [str(tmp_path / "log")], tenants={**TENANTS, "acme": acme})
    assert log(url, acme) == [BODIES[0]]
    assert log(url, DEFAULT_TENANT) == []


@pytest.mark.parametrize("size", [1, 7, 64, 150, 151, 10_000])
def test_a_line_is_read_once_wherever_a_file_is_cut(tmp_path: Path, size: int) -> None:
    path = tmp_path / "lines.ndjson"
    path.write_bytes(b"\n".join([b"a" * 150, b"", b"b", b"c" * 7, b"", b"d" * 63]) + b"\n")
    lines = [line for split in plan_splits([str(path)], size) for _, line, _ in read_lines(split)]
    assert b"".join(lines) == path.read_bytes()
    assert len(lines) == 6


@pytest.mark.parametrize(
    ("source", "says"), [("nowhere.ndjson", "no file or folder"), ("what://x/y", "cannot be opened")]
)
def test_a_source_that_is_not_there(source: str, says: str) -> None:
    with pytest.raises(UnreadableSource, match=says):
        plan_splits([source])


def test_large_sources_are_cut_into_larger_splits(tmp_path: Path) -> None:
    def sizes(megabytes: int, tasks: int) -> list[int]:
        file = tmp_path / f"{megabytes}.ndjson"
        with file.open("wb") as sparse:
            sparse.truncate(megabytes << 20)
        return [split.size >> 20 for split in plan_splits([str(file)], tasks=tasks)]

    assert sizes(20, 2) == [20]
    assert sizes(100, 2) == [32, 32, 32, 4]
    assert sizes(800, 2) == [50] * 16
    assert set(sizes(8000, 2)[:-1]) == {128}
