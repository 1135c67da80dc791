"""Database connections: durable commits, separate pools for reading and writing."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event

from headwater.deadline import check, is_over
from headwater.private import make_private_file
from headwater.store.dialects.failures import StoreUnavailable
from headwater.store.dialects.postgresql_arrays import teach

__all__ = ["StoreUnavailable", "as_raised", "hidden_url", "is_busy", "is_free", "make_engine"]

WRITING = {"headwater_writes": True}
"""Execution option of a connection that is going to write."""

_WAITING = "PRAGMA busy_timeout=10000"
_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",  # 201 means durable; with group commit this costs next to nothing
    _WAITING,
    "PRAGMA temp_store=MEMORY",
    "PRAGMA cache_size=-65536",
    "PRAGMA wal_autocheckpoint=4000",
)

_PATIENCE, _LOOK_AGAIN = 10.0, 0.001
"""Seconds that a writer waits for others, and between two tries."""

_STEPS = 50_000
"""Of SQLite's machine, after which it asks whether the time is over: less than a millisecond."""

_DRIVERS = {"mysql": "mysql+pymysql", "mariadb": "mysql+pymysql", "postgresql": "postgresql+psycopg"}
_EXTRAS = {"mysql": "mysql", "mariadb": "mysql", "postgresql": "postgresql"}
_EXAMPLES = (
    "For example postgresql+psycopg://user:password@host/database, mysql+pymysql://user:password@host/database, "
    "or leave it out to use SQLite in the data folder."
)
_CONNECT: dict[str, dict[str, Any]] = {
    # Strict whatever the server's own mode is: text that does not fit is an error, never cut short.
    "pymysql": {
        "connect_timeout": 5,
        "read_timeout": 60,
        "write_timeout": 60,
        "init_command": "SET SESSION sql_mode='STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', innodb_lock_wait_timeout=10",
    },
    "psycopg": {
        "connect_timeout": 5,
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": 60_000,
    },
}
"""So that a server that vanished without a word is noticed. The same words in the URL's query come first."""
_FOUND_ROWS = 2
"""A flag of MySQL's protocol, which SQLAlchemy sets."""


def hidden_url(url: str) -> str:
    """A database URL without its password."""
    return _parse(url).render_as_string(hide_password=True)


def make_engine(url: str, *, writes: bool = False, seconds: int | None = None) -> sa.Engine:
    """An engine for any of the supported databases; one that `writes` is for a single writer.

    A statement that takes longer than `seconds` is an error. On SQLite it is one, too, after the deadline of its
    question.
    """
    parsed = _parse(url)
    try:
        if parsed.get_backend_name() == "sqlite":
            engine = _sqlite(parsed, writes=writes)
        else:
            engine = _server(parsed, writes=writes, seconds=seconds)
    except ModuleNotFoundError as error:
        extra = _EXTRAS[parsed.get_backend_name()]
        raise StoreUnavailable(
            f"The driver of this database is not installed: {error.name}.",
            hint=f"pip install 'headwater[{extra}]'",
        ) from None
    event.listen(engine, "engine_connect", _still_wanted)
    if not writes:
        event.listen(engine, "handle_error", _may_be_over)
    return engine


def _still_wanted(_: sa.Connection) -> None:
    check()


def _may_be_over(_: sa.ExceptionContext) -> None:
    """A statement that failed because its work must end did not fail: why the work must end is raised in its place."""
    check()


def _parse(url: str) -> sa.URL:
    try:
        parsed = sa.make_url(url)
        if parsed.drivername == "postgres":  # as some hosters write it
            parsed = parsed.set(drivername="postgresql")
        backend = parsed.get_backend_name()
    except (sa.exc.ArgumentError, ValueError):
        scheme = url.partition(":")[0]  # not more of it: there may be a password inside
        raise StoreUnavailable(f"The store ({scheme} ...) is not a database URL.", hint=_EXAMPLES) from None
    if backend != "sqlite" and backend not in _DRIVERS:
        raise StoreUnavailable(f"Headwater cannot store in {backend!r}.", hint=_EXAMPLES)
    if backend != "sqlite" and not parsed.database:
        raise StoreUnavailable("The store's URL names no database.", hint=_EXAMPLES)
    if backend == "sqlite":
        return parsed
    if "+" in parsed.drivername and parsed.get_driver_name() != _DRIVERS[backend].partition("+")[2]:
        raise StoreUnavailable(f"Headwater does not use the driver {parsed.get_driver_name()!r}.", hint=_EXAMPLES)
    return parsed.set(drivername=_DRIVERS[backend])


def _server(url: sa.URL, *, writes: bool, seconds: int | None) -> sa.Engine:
    defaults = dict(_CONNECT.get(url.get_driver_name(), {}))
    if seconds is not None and url.get_driver_name() == "psycopg":
        defaults["options"] = f"-c statement_timeout={seconds * 1000}"
    elif seconds is not None and url.get_driver_name() == "pymysql":
        defaults["init_command"] += f" /*M!100100 , max_statement_time={seconds} */"  # MariaDB alone reads this
    engine = sa.create_engine(
        url,
        connect_args={name: value for name, value in defaults.items() if name not in url.query},
        isolation_level="READ COMMITTED",  # nothing here reads what it then writes; fewer locks, fewer deadlocks
        # A writer finds out by writing, and then tries again. Everybody else asks first.
        pool_pre_ping=not writes,
        pool_size=1 if writes else 8,
        max_overflow=2 if writes else 8,
        pool_timeout=10,
        pool_recycle=1800,
        **({} if url.get_backend_name() == "postgresql" else {"paramstyle": "format"}),  # rows as tuples
    )
    if writes:
        (_count_changes if url.get_driver_name() == "pymysql" else _send_arrays)(engine)
    return engine


def _send_arrays(engine: sa.Engine) -> None:
    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _: Any) -> None:
        teach(connection)


def _count_changes(engine: sa.Engine) -> None:
    """Let MySQL count rows that changed instead of rows that were met, so that a duplicate counts nothing."""

    @event.listens_for(engine, "do_connect")
    def _connect(_: Any, __: Any, ___: Any, parameters: dict[str, Any]) -> None:
        parameters["client_flag"] = parameters.get("client_flag", 0) & ~_FOUND_ROWS


def as_raised(error: sqlite3.Error, sql: str, connection: sa.Connection) -> BaseException:
    """The error that SQLAlchemy would raise, without the values."""
    return sa.exc.DBAPIError.instance(sql, None, error, sqlite3.Error, dialect=connection.dialect)


def _sqlite(url: sa.URL, *, writes: bool) -> sa.Engine:
    engine = sa.create_engine(
        url,
        connect_args={"check_same_thread": False, "timeout": 10, "cached_statements": 256},
        # One writes at a time anyway. Two connections by turns would each find their cache out of date every time.
        **({"poolclass": sa.QueuePool, "pool_size": 1, "max_overflow": 0, "pool_timeout": 10} if writes else {}),
    )

    @event.listens_for(engine, "do_connect")
    def _before(_: Any, __: Any, ___: Any, ____: Any) -> None:
        if url.database and url.database != ":memory:" and not url.database.startswith("file:"):
            _make_private(url.database)

    @event.listens_for(engine, "connect")
    def _connect(connection: sqlite3.Connection, _: Any) -> None:
        connection.isolation_level = None  # BEGIN is ours, below: the driver's own comes too late
        cursor = connection.cursor()
        for pragma in _PRAGMAS:
            cursor.execute(pragma)
        cursor.close()
        if not writes:
            connection.set_progress_handler(is_over, _STEPS)

    @event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        is_writing = connection.get_execution_options().get("headwater_writes")
        sql = "BEGIN IMMEDIATE" if is_writing else "BEGIN"
        driver: Any = connection.connection.driver_connection
        try:
            if is_writing:
                _take_turn(driver, sql)
            else:
                driver.execute(sql)
        except sqlite3.Error as error:
            raise as_raised(error, sql, connection) from error

    return engine


def is_busy(error: sa.exc.DBAPIError) -> bool:
    """Whether another process kept writing to the SQLite file for all the time that this one waited."""
    return isinstance(error.orig, sqlite3.OperationalError) and _is_busy(error.orig)


def _make_private(database: str) -> None:
    """SQLite makes files as everybody may read them, and those beside the database like the database."""
    with suppress(OSError):  # it says better what is wrong
        make_private_file(Path(database), Path(f"{database}-wal"), Path(f"{database}-shm"))


def is_free(engine: sa.Engine) -> bool:
    """Whether a writer could begin at once. SQLite has one writer at a time; on others nobody waits."""
    if engine.dialect.name != "sqlite":
        return True
    with engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        with _without_waiting(driver):
            try:
                driver.execute("BEGIN IMMEDIATE")
                driver.execute("ROLLBACK")
            except sqlite3.OperationalError as error:
                return not _is_busy(error)  # whatever else is wrong, writing will say so
    return True


@contextmanager
def _without_waiting(driver: sqlite3.Connection) -> Iterator[None]:
    driver.execute("PRAGMA busy_timeout=0")
    try:
        yield
    finally:
        driver.execute(_WAITING)


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY


def _take_turn(driver: sqlite3.Connection, sql: str) -> None:
    """Begin as soon as no other process writes.

    SQLite would look again by itself, but ever more rarely, in the end every tenth of a second: writers that come and
    go would leave the file idle for as long as they use it.
    """
    deadline = time.monotonic() + _PATIENCE
    with _without_waiting(driver):
        while True:
            try:
                driver.execute(sql)
            except sqlite3.OperationalError as error:
                if not _is_busy(error) or time.monotonic() > deadline:
                    raise
                time.sleep(_LOOK_AGAIN)
            else:
                return
