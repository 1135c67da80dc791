"""How far the jobs of the pipeline are, in every database."""

from __future__ import annotations

from headwater.store.pipeline.progress import JobProgress, Progress
from headwater.store.sql_store import SqlStore


def test_batches_add_up_and_a_repeated_one_counts_once(store: SqlStore) -> None:
    progress = Progress(store.engine)
    assert progress.read_all() == []
    progress.write("stream", position=10, batch=0, batch_events=10, batch_seconds=0.5, now=100, event_received_at=90)
    progress.write("stream", position=30, batch=1, batch_events=15, batch_seconds=0.25, now=200)
    progress.write("stream", position=30, batch=1, batch_events=20, batch_seconds=0.75, now=300)
    progress.write("rollup", position=1, batch=0, batch_events=1, batch_seconds=1.0, now=50)
    rollup, stream = progress.read_all()
    assert rollup.job == "rollup"
    assert stream == JobProgress(
        job="stream",
        position=30,
        batch=1,
        events=30,
        batch_events=20,
        batch_seconds=0.75,
        updated_at=300,
        event_received_at=None,
        error=None,
        error_at=None,
    )


def test_an_error_is_kept_beside_how_far_it_got(store: SqlStore) -> None:
    progress = Progress(store.engine)
    progress.fail("new", "no\x00 broker" + "!" * 5000, 7)
    progress.write("stream", position=5, batch=3, batch_events=5, batch_seconds=0.1, now=100)
    progress.fail("stream", "away", 200)
    progress.write("stream", position=6, batch=4, batch_events=1, batch_seconds=0.1, now=300)
    new, stream = progress.read_all()
    assert (new.batch, new.updated_at, new.error_at, new.events) == (-1, 0, 7, 0)
    assert new.error is not None
    assert new.error.startswith("no")
    assert (stream.events, stream.batch, stream.error, stream.error_at) == (6, 4, "away", 200)
