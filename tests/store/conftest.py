"""Every test that asks for `database` or `store` runs on SQLite, MariaDB and PostgreSQL."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from headwater.store.read.reader import Reader
from headwater.store.sql_store import SqlStore
from tests.servers import SERVERS, DatabaseServer, ServerMissing

KINDS = ("sqlite", *SERVERS)


@pytest.fixture(scope="session")
def server_of() -> Iterator[Callable[[str], DatabaseServer]]:
    """A running server of a kind: started when the first test wants it, stopped after the last."""
    started: dict[str, DatabaseServer] = {}
    with ExitStack() as stack:

        def find(kind: str) -> DatabaseServer:
            if kind not in started:
                try:
                    started[kind] = stack.enter_context(SERVERS[kind]())
                except ServerMissing as missing:
                    if os.environ.get("CI") == "true":
                        raise
                    pytest.skip(str(missing))
            return started[kind]

        yield find


@pytest.fixture(params=KINDS)
def database(
    request: pytest.FixtureRequest, tmp_path: Path, server_of: Callable[[str], DatabaseServer]
) -> Callable[[], str]:
    """Makes new, empty databases and gives their URLs."""
    if request.param == "sqlite":
        numbers = iter(range(1000))
        return lambda: f"sqlite:///{tmp_path / f'{next(numbers)}.db'}"
    return server_of(request.param).make_database


@pytest.fixture(params=list(SERVERS))
def server(request: pytest.FixtureRequest, server_of: Callable[[str], DatabaseServer]) -> DatabaseServer:
    """Each of the real servers."""
    return server_of(request.param)


@pytest.fixture(scope="session")
def shared_store(
    server_of: Callable[[str], DatabaseServer], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], SqlStore]]:
    """A store of a kind that many tests share, each with tenants of its own."""
    opened: dict[str, SqlStore] = {}

    def find(kind: str) -> SqlStore:
        if kind not in opened:
            file = tmp_path_factory.mktemp("shared") / "headwater.db"
            opened[kind] = SqlStore(f"sqlite:///{file}" if kind == "sqlite" else server_of(kind).make_database())
            opened[kind].open()
        return opened[kind]

    yield find
    for store in opened.values():
        store.close()


@pytest.fixture
def store(database: Callable[[], str]) -> Iterator[SqlStore]:
    """An empty store."""
    opened = SqlStore(database())
    opened.open()
    yield opened
    opened.close()


@pytest.fixture
def reader(store: SqlStore) -> Reader:
    return Reader(store.engine)
