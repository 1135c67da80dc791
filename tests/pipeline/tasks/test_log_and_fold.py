"""One event that nobody can take spoils neither its neighbours nor the next attempt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from headwater.errors import HeadwaterError
from headwater.graph.fold import Graph
from headwater.pipeline.tasks.dead_letters import dead_letter, keep_dead_letters
from headwater.pipeline.tasks.fold import Folding
from headwater.pipeline.tasks.log_and_fold import LogAndFold
from headwater.store.sql_store import DEFAULT_TENANT
from headwater.store.write.bulk import BulkWriter
from headwater.store.write.log import Tenant
from tests.pipeline.jobs.test_stream_kafka import BODIES, letters
from tests.pipeline.test_equivalence import log, opened


def test_what_the_store_refuses_is_refused_alone(tmp_path: Path) -> None:
    url = opened(f"sqlite:///{tmp_path / 'headwater.db'}")
    writer, refused = BulkWriter(url), []
    folding = Folding("run", "task", writer)

    def refuse(place: int, error: HeadwaterError, body: bytes) -> None:
        refused.append((place, error.code, body))

    taking: LogAndFold[int] = LogAndFold(folding, writer, refuse)
    nameless = Tenant(1, None, "No code")  # type: ignore[arg-type] - the column does not allow it
    for place, body in enumerate(BODIES[:9]):
        taking.add(place, nameless if place == 5 else DEFAULT_TENANT, body)
    taking.add(9, DEFAULT_TENANT, b"no event")
    taking.flush()
    writer.close()
    assert refused == [(9, "invalid_json", b"no event"), (5, "refused_by_store", BODIES[5])]
    assert log(url) == sorted(body for place, body in enumerate(BODIES[:9]) if place != 5)
    assert folding.events == taking.appended == 8
    graph: Graph = folding._graph
    assert graph


def test_a_task_that_is_done_again_counts_what_it_appended_before(database: Callable[[], str]) -> None:
    url = opened(database())
    writer = BulkWriter(url)

    def take(bodies: Sequence[bytes], now: int, *, again: bool) -> int:
        taking: LogAndFold[int] = LogAndFold(Folding("run", "task", writer), writer, _fail, now=now, again=again)
        for place, body in enumerate(bodies):
            taking.add(place, DEFAULT_TENANT, body)
        taking.flush()
        return taking.appended

    assert take(BODIES[:3], 1, again=False) == 3  # another import
    assert take(BODIES[:9], 2, again=False) == 6
    assert take([*BODIES[:12], BODIES[11]], 2, again=True) == 9  # cut off, then done whole
    assert take(BODIES[:12], 3, again=True) == 0
    writer.close()


def _fail(place: int, error: HeadwaterError, body: bytes) -> None:
    raise error


def test_a_letter_is_kept_once_when_its_batch_comes_again(tmp_path: Path) -> None:
    url = opened(f"sqlite:///{tmp_path / 'headwater.db'}")
    error = HeadwaterError("no")
    first = dead_letter("KAFKA", "topic t, partition 0, offset 1", DEFAULT_TENANT, error, b"x", 7)
    second = dead_letter("KAFKA", "topic t, partition 0, offset 2", DEFAULT_TENANT, error, b"x", 8)
    keep_dead_letters(url, [first], again=False)
    keep_dead_letters(url, [first, second], again=True)
    assert [found.message.partition(":")[0][-8:] for found in letters(url)] == ["offset 2", "offset 1"]
