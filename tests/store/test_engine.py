"""A store that cannot be opened says why, and what to do; it never shows a password."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from headwater.deadline import Deadline, NobodyWaits, TooSlow, within
from headwater.store import engine as engines
from headwater.store.dialects.failures import is_conflict, is_lost, is_outage, reason_of
from headwater.store.engine import WRITING, StoreUnavailable, hidden_url, is_free, make_engine
from headwater.store.migrate import current_revision
from headwater.store.read.lookup import looking
from headwater.store.sql_store import SqlStore
from tests.servers import DatabaseServer


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("nonsense", "is not a database URL"),
        ("mysql+pymysql://u:secret@h:port/d", "is not a database URL"),
        ("oracle://u:secret@h/d", "cannot store in 'oracle'"),
        ("mysql+pymysql://u:secret@127.0.0.1", "names no database"),
    ],
)
def test_wrong_urls(url: str, said: str) -> None:
    with pytest.raises(StoreUnavailable, match=said) as error:
        make_engine(url)
    assert "postgresql+psycopg://" in error.value.hint
    assert "secret" not in error.value.message + error.value.hint


@pytest.mark.parametrize(
    ("url", "driver"),
    [
        ("mysql://u@h/d", "mysql+pymysql"),
        ("mariadb://u@h/d", "mysql+pymysql"),
        ("postgresql://u@h/d", "postgresql+psycopg"),
        ("postgres://u@h/d", "postgresql+psycopg"),
    ],
)
def test_a_url_need_not_name_the_driver(url: str, driver: str) -> None:
    assert make_engine(url).url.drivername == driver


@pytest.mark.parametrize(
    ("scheme", "module", "extra"), [("mysql", "pymysql", "mysql"), ("postgresql", "psycopg", "postgresql")]
)
def test_a_missing_driver(monkeypatch: pytest.MonkeyPatch, scheme: str, module: str, extra: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(StoreUnavailable, match=module) as error:
        make_engine(f"{scheme}://u@h/d")
    assert error.value.hint == f"pip install 'headwater[{extra}]'"


def test_no_server_there() -> None:
    for url in ("mysql+pymysql://u:secret@127.0.0.1:1/d", "postgresql+psycopg://u:secret@127.0.0.1:1/d"):
        with pytest.raises(StoreUnavailable, match="cannot be opened") as error:
            SqlStore(url).open()
        assert "secret" not in error.value.message


def test_no_such_database(server: DatabaseServer) -> None:
    url = sa.make_url(server.make_database()).set(database="nowhere")
    with pytest.raises(StoreUnavailable, match="nowhere"):
        current_revision(make_engine(url.render_as_string(hide_password=False)))


def test_a_wrong_user(server: DatabaseServer) -> None:
    url = sa.make_url(server.make_database()).set(username="stranger", password="secret")
    with pytest.raises(StoreUnavailable, match="stranger") as error:
        current_revision(make_engine(url.render_as_string(hide_password=False)))
    assert "secret" not in error.value.message


def test_the_command_says_so(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "headwater", "up", "--port", "0", "--no-pipeline"]
    done = subprocess.run(
        [*command, "--store", "mysql://u:secret@127.0.0.1:1/d"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "The database cannot be opened" in done.stderr
    assert "Traceback" not in done.stderr
    assert "secret" not in done.stderr + done.stdout


def test_sqlite_without_a_file_is_in_memory() -> None:
    engine = make_engine("sqlite://", writes=True)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT 1").scalar_one() == 1
    engine.dispose()


def test_hidden_url() -> None:
    assert hidden_url("mysql+pymysql://u:secret@h/d") == "mysql+pymysql://u:***@h/d"


def test_a_session_that_was_ended_is_lost(server: DatabaseServer) -> None:
    """Not by the client's doing: an administrator, a time-out, a fail-over."""
    engine = make_engine(server.make_database(), writes=True)
    is_mysql = engine.dialect.name == "mysql"
    with engine.connect() as connection:
        number = connection.exec_driver_sql(
            "SELECT CONNECTION_ID()" if is_mysql else "SELECT pg_backend_pid()"
        ).scalar()
        server.end_session(number)
        with pytest.raises(sa.exc.DBAPIError) as error:
            connection.exec_driver_sql("SELECT 1")
    assert is_lost(error.value)
    assert is_outage(error.value)
    assert not is_conflict(error.value)
    assert "SELECT 1" not in reason_of(error.value)
    engine.dispose()


def test_text_that_does_not_fit_is_an_error(server: DatabaseServer) -> None:
    """Whatever mode the server is set to: nothing is cut short in silence."""
    store = SqlStore(server.make_database())
    store.open()
    for engine in (store.engine, store._writing):
        with pytest.raises(sa.exc.DataError), engine.begin() as connection:
            connection.exec_driver_sql(f"INSERT INTO tenant (code, name, state) VALUES ('{'x' * 65}', 'x', 'x')")
    store.close()


def test_who_writes_sqlite_waits_for_the_others_and_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'one.db'}"
    first, second = make_engine(url, writes=True), make_engine(url, writes=True)
    began = threading.Event()
    order: list[str] = []

    def write() -> None:
        began.set()
        with second.connect().execution_options(**WRITING) as connection, connection.begin():
            order.append("second")

    with first.connect().execution_options(**WRITING) as connection, connection.begin():
        connection.exec_driver_sql("CREATE TABLE t (x)")
        waiting = threading.Thread(target=write)
        waiting.start()
        assert began.wait(60)
        waiting.join(0.3)
        assert waiting.is_alive()
        order.append("first")
    waiting.join(60)
    assert order == ["first", "second"]
    monkeypatch.setattr(engines, "_PATIENCE", 0.1)
    with first.connect().execution_options(**WRITING) as connection, connection.begin():
        with pytest.raises(sa.exc.OperationalError, match="locked") as refused:
            write()
        assert is_outage(refused.value) or is_conflict(refused.value)
    first.dispose()
    second.dispose()


def test_whether_another_one_writes(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'headwater.db'}"
    mine, others = make_engine(url, writes=True), make_engine(url, writes=True)
    assert is_free(mine)
    with others.connect().execution_options(**WRITING) as connection, connection.begin():
        assert not is_free(mine)
    assert is_free(mine)
    with others.connect().execution_options(**WRITING) as connection, connection.begin():
        assert not is_free(mine), "looking left nothing behind that would keep anybody from writing"
    mine.dispose()
    others.dispose()


_ENDLESS = {
    "sqlite": "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 1000000000) SELECT max(n) FROM t",
    "mysql": "SELECT count(*) FROM {0} a, {0} b, {0} c, {0} d".format("information_schema.collations"),
    "postgresql": "SELECT pg_sleep(60)",
}


def test_a_statement_ends_in_time(database: Callable[[], str]) -> None:
    """SQLite's with the work that it is part of, the others' by a limit of their own. Writers have none.

    What is raised says that the work took too long, and not that the database failed.
    """
    engine = make_engine(database(), seconds=1)
    endless = _ENDLESS[engine.dialect.name]
    began = time.monotonic()
    with within(Deadline(0.9)), engine.connect() as connection, pytest.raises(TooSlow):
        connection.execute(sa.text(endless)).all()
    with within(Deadline(0.9)), looking(engine) as lookup, pytest.raises(TooSlow):
        lookup.all(endless)
    assert 1 < time.monotonic() - began < 40
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT 1")).scalar() == 1
    engine.dispose()


def test_a_statement_ends_when_nobody_waits(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path / 'x.db'}")
    deadline = Deadline()
    leaving = threading.Timer(0.3, deadline.stop)
    with within(deadline), engine.connect() as connection:
        leaving.start()
        with pytest.raises(NobodyWaits):
            connection.execute(sa.text(_ENDLESS["sqlite"])).all()
    engine.dispose()


def test_a_statement_that_fails_in_time_is_an_error_of_the_database(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path / 'x.db'}")
    with within(Deadline(60)), engine.connect() as connection, pytest.raises(sa.exc.OperationalError):
        connection.execute(sa.text("SELECT * FROM nothing"))
    with within(Deadline(60)), looking(engine) as lookup, pytest.raises(sa.exc.OperationalError):
        lookup.all("SELECT * FROM nothing")
    engine.dispose()


def test_nothing_is_asked_once_the_time_is_over(database: Callable[[], str]) -> None:
    engine = make_engine(database())
    with within(Deadline(0)), pytest.raises(TooSlow):
        engine.connect()
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT 1")).scalar() == 1
    engine.dispose()
