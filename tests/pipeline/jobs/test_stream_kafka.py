"""A topic into log and graph, in batches that may come again."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from headwater.pipeline.errors import StreamFailed
from headwater.pipeline.jobs.stream_events import stream_kafka
from headwater.pipeline.spark.stream_query import StreamReport
from headwater.store.access.tenants import Tenants
from headwater.store.engine import make_engine
from headwater.store.pipeline.progress import JobProgress, Progress
from headwater.store.read.dump import dump_graph
from headwater.store.scope import EVERY_TENANT
from headwater.store.sql_store import DEFAULT_TENANT
from headwater.store.write.dead_letters import DeadLetter, DeadLetters, Filter
from tests.pipeline.test_equivalence import dump, log, opened
from tests.servers.kafka import Kafka
from tests.store.test_contract import event, graph_of, recorded

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BODIES = [event(f"job{number}", f"2026-03-01T00:00:{number:02d}Z") for number in range(40)]


def letters(url: str) -> list[DeadLetter]:
    engine = make_engine(url)
    found = DeadLetters(engine).list(EVERY_TENANT, Filter(), limit=1000)
    engine.dispose()
    return found


def progress(url: str) -> list[JobProgress]:
    engine = make_engine(url)
    found = Progress(engine).read_all()
    engine.dispose()
    return found


@pytest.fixture
def url(tmp_path: Path) -> str:
    return opened(f"sqlite:///{tmp_path / 'headwater.db'}")


@pytest.fixture
def take(spark: SparkSession, kafka: Kafka, tmp_path: Path) -> Callable[..., StreamReport]:
    """Take what is in a topic into a store."""

    def stream(url: str, topic: str, **more: object) -> StreamReport:
        place = {"checkpoint": (tmp_path / f"checkpoint-{topic}").as_uri(), "tenant": DEFAULT_TENANT}
        return stream_kafka(spark, url, servers=kafka.address, topic=topic, once=True, **{**place, **more})

    return stream


def test_all_recorded_events(
    take: Callable[..., StreamReport], kafka: Kafka, database: Callable[[], str], request: pytest.FixtureRequest
) -> None:
    """Shuffled, partly twice, in several batches, into every database: the fold of them."""
    topic, url = f"recorded-{request.node.callspec.id}", opened(database())
    chance, bodies = random.Random(4), list(recorded())
    bodies += chance.sample(bodies, len(bodies) // 3)
    chance.shuffle(bodies)
    kafka.make_topic(topic, 3)
    kafka.send(topic, bodies)
    report = take(url, topic, max_events=len(bodies) // 2)
    assert (report.events, report.messages, report.refused) == (len(bodies), len(bodies), 0)
    assert report.batches > 1
    assert log(url) == sorted({body.strip() for body in recorded()})
    assert dump(url) == list(dump_graph(graph_of(recorded(), DEFAULT_TENANT.id)))
    (noted,) = progress(url)
    assert (noted.events, noted.position) == (len(bodies), len(bodies))
    assert noted.job.startswith(f"stream kafka {topic} ")
    assert noted.event_received_at is not None
    assert noted.event_received_at < noted.updated_at


def test_what_is_refused_is_kept_and_the_rest_goes_on(
    take: Callable[..., StreamReport], kafka: Kafka, url: str
) -> None:
    kafka.make_topic("mixed", 1)
    bad = b"\xff\xfe no json " * 500
    kafka.send("mixed", [*BODIES[:10], bad, None, b"  ", b"[1]", *BODIES[10:20], b'{"eventTime": "yesterday"}'])
    report = take(url, "mixed")
    assert (report.messages, report.events, report.refused) == (23, 20, 3)
    assert log(url) == sorted(BODIES[:20])
    # Two tasks read the one partition, so the order in which they are written is not that of the messages.
    kept = sorted(letters(url), key=lambda letter: letter.message)
    assert [letter.reason for letter in kept] == ["invalid_json", "not_an_object", "missing_identity"]
    assert [letter.message.partition(":")[0] for letter in kept] == [
        f"topic mixed, partition 0, offset {offset}" for offset in (10, 13, 24)
    ]
    assert {(letter.source, letter.tenant_id) for letter in kept} == {("KAFKA", 1)}
    engine = make_engine(url)
    found = DeadLetters(engine).get(1, kept[0].id)
    engine.dispose()
    assert found is not None
    assert found[1] == bad


def test_a_batch_that_was_written_but_not_noted_comes_again_and_changes_nothing(
    take: Callable[..., StreamReport], kafka: Kafka, url: str, tmp_path: Path
) -> None:
    """As after a `kill -9` between the write of a batch and its commit in the checkpoint."""
    kafka.make_topic("again", 2)
    kafka.send("again", [*BODIES[:30], b"no event"])
    assert take(url, "again").events == 30
    before = dump(url), log(url), letters(url)
    commits = tmp_path / "checkpoint-again" / "commits"
    for file in (commits / "0", commits / ".0.crc"):
        file.unlink()
    report = take(url, "again")
    assert (report.batches, report.events, report.refused) == (1, 30, 1)
    assert (dump(url), log(url), letters(url)) == before
    (noted,) = progress(url)
    assert (noted.events, noted.position) == (30, 31)

    kafka.send("again", BODIES[30:])
    assert take(url, "again").events == 10
    assert log(url) == sorted(BODIES)
    assert dump(url) == list(dump_graph(graph_of(tuple(BODIES), 1)))


def test_events_belong_to_the_tenant_that_was_named(take: Callable[..., StreamReport], kafka: Kafka, url: str) -> None:
    engine = make_engine(url)
    acme = Tenants(engine).create("acme", "Acme")
    engine.dispose()
    kafka.make_topic("theirs", 1)
    kafka.send("theirs", [BODIES[0], b"no event"])
    take(url, "theirs", tenant=acme)
    assert log(url, acme) == [BODIES[0]]
    assert log(url) == []
    assert [letter.tenant_id for letter in letters(url)] == [acme.id]


def test_latest_passes_over_what_is_there(take: Callable[..., StreamReport], kafka: Kafka, url: str) -> None:
    kafka.make_topic("late", 1)
    kafka.send("late", BODIES[:5])
    assert take(url, "late", starting="latest").events == 0
    kafka.send("late", BODIES[5:8])
    assert take(url, "late", starting="latest").events == 3
    assert log(url) == sorted(BODIES[5:8])


def test_an_option_that_is_none_is_told(take: Callable[..., StreamReport], kafka: Kafka, url: str) -> None:
    with pytest.raises(StreamFailed, match="got tomorrow"):
        take(url, "any", options={"startingOffsets": "tomorrow"})
    (noted,) = progress(url)
    assert "got tomorrow" in (noted.error or "")
    assert noted.batch == -1
