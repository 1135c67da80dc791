"""A database that is away for a while holds a job up; one that stays away ends it with one line."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from headwater.pipeline.jobs import import_events, replay, rollup
from headwater.pipeline.spark.database_outage import Patience, outlast
from headwater.pipeline.spark.failure_cause import cause_of, is_store_outage
from headwater.store.dialects.failures import StoreUnavailable
from headwater.store.engine import make_engine
from headwater.store.pipeline.jobs import Waiting, read_jobs
from headwater.store.read.dump import dump_graph
from headwater.store.sql_store import DEFAULT_TENANT
from tests.pipeline.test_equivalence import TENANTS, dump, log, opened
from tests.servers import DatabaseServer
from tests.store.test_contract import event, graph_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BODIES = [event(f"job{number}", f"2026-03-01T00:00:{number:02d}Z") for number in range(40)]


@pytest.fixture
def postgresql(server_of: Callable[[str], DatabaseServer]) -> DatabaseServer:
    return server_of("postgresql")


def test_an_import_and_a_replay_outlast_an_outage(
    spark: SparkSession, postgresql: DatabaseServer, tmp_path: Path
) -> None:
    url, told, outages = opened(postgresql.make_database()), list[str](), list[int]()
    path = tmp_path / "events.ndjson"
    path.write_bytes(b"\n".join(BODIES))

    def away(done: int, total: int, _: object) -> None:
        if 0 < done < total and not outages:
            outages.append(done)
            postgresql.kill()
            deadline = time.monotonic() + 120
            while not told and time.monotonic() < deadline:  # the next part is being done
                time.sleep(0.1)
            postgresql.start()

    patience = Patience(120, told.append)
    report = import_events.run(
        spark, url, [str(path)], tenants=TENANTS, patience=patience, on_progress=away, split_bytes=800
    )
    assert outages.pop()
    assert len(told) >= 1
    assert (report.events, report.appended) == (40, 40)
    assert log(url) == sorted(BODIES)
    assert dump(url) == list(dump_graph(graph_of(tuple(BODIES), 1)))

    told.clear()
    again = replay.run(spark, url, [DEFAULT_TENANT], patience=patience, on_progress=away, range_ids=5)
    assert outages.pop()
    assert len(told) >= 1
    assert (again.events, again.swapped) == (40, True)
    assert dump(url) == list(dump_graph(graph_of(tuple(BODIES), 1)))


def test_a_job_done_again_as_a_whole_is_not_kept_out_by_itself(spark: SparkSession, postgresql: DatabaseServer) -> None:
    url, outages, told = opened(postgresql.make_database()), list[int](), list[str]()

    def away(step: str, done: int, total: int) -> None:
        if done == 1 and not outages:
            outages.append(done)
            postgresql.kill()

    def tell(message: str) -> None:
        told.append(message)
        postgresql.start()

    outlast(url, lambda _: rollup.run(spark, url, progress=away, waiting=Waiting(0)), Patience(120, tell))
    assert len(told) == 1
    engine = make_engine(url)
    assert not [name for name in sa.inspect(engine).get_table_names() if name.startswith("aside_")]
    engine.dispose()


def test_what_stays_away_ends_a_job_with_one_line(postgresql: DatabaseServer, tmp_path: Path) -> None:
    url = opened(postgresql.make_database())
    path = tmp_path / "events.ndjson"
    path.write_bytes(b"\n".join(BODIES * 20_000))
    command = ["import", str(path), "--store", url, "--data", str(tmp_path), "--master", "local[2]"]
    environment = {**os.environ, "HEADWATER_OUTAGE_SECONDS": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "headwater", "pipeline", *command],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    engine = make_engine(url)
    deadline = time.monotonic() + 120
    while not read_jobs(engine) and time.monotonic() < deadline:
        time.sleep(0.1)
    engine.dispose()
    postgresql.kill()
    try:
        output, errors = process.communicate(timeout=200)
    finally:
        process.kill()
        postgresql.start()
    assert process.returncode == 1
    said = [line for line in errors.splitlines() if line.startswith(("headwater", "  ", "waiting"))]
    assert any("The database did" in line or "The database does" in line for line in said), errors
    assert "It is safe to run it again" in errors
    assert len(errors) < 4000, errors
    assert output == ""


def test_errors_that_are_no_outage_are_raised_at_once() -> None:
    tries: list[int] = []

    def work(attempt: int) -> None:
        tries.append(attempt)
        raise ValueError("a defect")

    with pytest.raises(ValueError, match="a defect"):
        outlast("sqlite://", work, Patience(60))
    assert tries == [0]


def test_it_gives_up_when_the_patience_ends() -> None:
    def work(_: int) -> None:
        raise sa.exc.OperationalError("SELECT 1", {}, OSError("disk full"))

    began = time.monotonic()
    with pytest.raises(StoreUnavailable, match="did not answer for 2 seconds: disk full"):
        outlast("sqlite://", work, Patience(2))
    assert time.monotonic() - began < 60


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (
            (
                "An error occurred: Traceback (most recent call last):\n  File x\nsqlalchemy.exc.OperationalError: "
                "(psycopg.OperationalError) the connection is lost\n[SQL: SELECT 1]\n(Background on this error at: x)\n\n"
                "\tat org.apache.spark.api.python\nDriver stacktrace:\n\tat more"
            ),
            "(psycopg.OperationalError) the connection is lost",
        ),
        ("Job aborted. Caused by: java.io.IOException: No space left", "java.io.IOException: No space left"),
        ("", "ValueError"),
    ],
)
def test_the_cause_of_an_error(text: str, cause: str) -> None:
    assert cause_of(ValueError(text)) == cause
    assert not is_store_outage(ValueError(text))
