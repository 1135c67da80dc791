"""The process of workers beside a server: there when it is needed, and again when it was killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.settings import Settings
from headwater.store.sql_store import SqlStore
from headwater.tasks.child_process import TaskProcess
from headwater.tasks.meter import CollectingMeter
from tests.tasks.models import enable_tasks, wait_until


@pytest.fixture
def process(store: SqlStore, tmp_path: Path) -> Iterator[TaskProcess]:
    made = TaskProcess(Settings(data=str(tmp_path)), store.engine, CollectingMeter())
    made.start()
    yield made
    made.stop()


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_only_with_a_model(store: SqlStore, process: TaskProcess) -> None:
    process.wake()
    wait_until(process._thread.is_alive, "it looks")
    assert process.pid is None
    enable_tasks(store)
    wait_until(lambda: process.pid is not None, "it is started")


def test_started_again_and_ended(store: SqlStore, process: TaskProcess) -> None:
    enable_tasks(store)
    wait_until(lambda: process.pid is not None, "it is started")
    first = process.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: process.pid not in (None, first), "another one is started")
    second = process.pid
    assert second is not None
    for _ in range(100_000):
        process.wake()  # never waits, although nobody may read it yet
    process.stop()
    assert process.pid is None
    assert not is_alive(second)
