"""What tests of more than one layer share."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from httpx._config import DEFAULT_TIMEOUT_CONFIG
from hypothesis import Phase, settings
from hypothesis.internal.conjecture import engine

from headwater.interpret.interpret import interpret
from headwater.openlineage.decode import decode_event
from headwater.store.read.reader import Reader
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.write.log import Entry

settings.register_profile("headwater", deadline=None)  # no test fails because the machine is busy
settings.register_profile(
    "headwater-ci", settings.get_profile("headwater"), print_blob=True, phases=set(Phase) - {Phase.explain}
)
settings.load_profile("headwater-ci" if os.environ.get("CI") == "true" else "headwater")
engine.MAX_SHRINKING_SECONDS = 60  # of 600: pytest's own time limit ends a test before its example is shown

DEFAULT_TIMEOUT_CONFIG.connect = DEFAULT_TIMEOUT_CONFIG.read = DEFAULT_TIMEOUT_CONFIG.write = 120  # of 5 seconds

EVENTS = Path(__file__).parent / "events"
_NOT_QUICK = re.compile(
    r"tests\.servers?\b|tests\.processes|tests\.application|pyspark|SparkSession|subprocess|CliRunner"
)
"""What a test module mentions that needs a server, Spark, another process or the whole application."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="only tests that need no server, no Spark and little time")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--quick"):
        settings.register_profile("headwater-quick", settings.get_profile("headwater"), max_examples=10)
        settings.load_profile("headwater-quick")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: "tests/web/" not in item.nodeid)  # one process at the end would do them alone
    if not config.getoption("--quick"):
        return
    slow = {path: bool(_NOT_QUICK.search(path.read_text(encoding="utf-8"))) for path in {item.path for item in items}}
    left_out = [item for item in items if slow[item.path] or not _is_quick(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


def _is_quick(item: pytest.Item) -> bool:
    needs = {"server", "server_of", "spark", "kafka"} & set(getattr(item, "fixturenames", ()))
    is_sqlite = "[sqlite" in item.name
    is_short = item.get_closest_marker("slow") is None and item.get_closest_marker("alone") is None
    return is_short and (not needs or is_sqlite)


def read_events(name: str) -> list[bytes]:
    """The events of a file below tests/events, one body each."""
    return [line for line in (EVENTS / name).read_bytes().splitlines() if line.strip()]


def entry_of(body: bytes, cache=None) -> Entry:
    event = decode_event(body)
    return Entry(DEFAULT_TENANT, event, interpret(event, DEFAULT_TENANT.id, cache), 0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    """An empty store."""
    opened = SqlStore(f"sqlite:///{tmp_path / 'headwater.db'}")
    opened.open()
    yield opened
    opened.close()


@pytest.fixture
def filled(store: SqlStore) -> Callable[[Iterable[bytes]], Reader]:
    """Write events, then read."""

    def fill(bodies: Iterable[bytes]) -> Reader:
        store.write([entry_of(body) for body in bodies])
        return Reader(store.engine)

    return fill
