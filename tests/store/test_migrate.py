"""An empty database gets the same tables whether they are made at once or by every migration in turn."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from typer import Typer
from typer.testing import CliRunner

from headwater.cli.commands.server import migrate as command
from headwater.openlineage.identity import stamp
from headwater.store import migrate
from headwater.store.engine import WRITING, StoreUnavailable, make_engine
from headwater.store.sql_store import SqlStore
from headwater.store.tables import metadata, tenants
from tests.conftest import entry_of, read_events

PROCESSES = 4
TIME = 1_767_225_600_000_000


@pytest.fixture
def engines(database: Callable[[], str]):
    """Makes engines on new, empty databases."""
    made: list[sa.Engine] = []

    def make() -> sa.Engine:
        made.append(make_engine(database()))
        return made[-1]

    yield make
    for engine in made:
        engine.dispose()


def _differences(engine: sa.Engine) -> list:
    with engine.connect() as connection:
        return compare_metadata(MigrationContext.configure(connection), metadata)


def test_head_is_the_newest_revision() -> None:
    config = Config()
    config.set_main_option("script_location", str(migrate.MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_current_head() == migrate.HEAD


def test_created_at_once(engines: Callable[[], sa.Engine]) -> None:
    engine = engines()
    migrate.ensure_schema(engine)
    assert migrate.current_revision(engine) == migrate.HEAD
    assert _differences(engine) == []


def test_migrated_from_nothing(engines: Callable[[], sa.Engine]) -> None:
    made, migrated = engines(), engines()
    migrate.ensure_schema(made)
    migrate.upgrade(migrated)
    assert migrate.current_revision(migrated) == migrate.HEAD
    assert _differences(migrated) == []
    assert _layout(made) == _layout(migrated)


def test_runs_that_are_there_get_the_time_of_their_ids(store: SqlStore) -> None:
    store.write([entry_of(body) for body in read_events("written/spark.ndjson") + read_events("written/odd.ndjson")])
    run = metadata.tables["run"]
    query = sa.select(run.c.run, run.c.created_at).order_by(run.c.run)
    config = Config()
    config.set_main_option("script_location", str(migrate.MIGRATIONS))
    revision = ScriptDirectory.from_config(config).get_revision("0013").module
    with store.engine.connect().execution_options(**WRITING) as connection, connection.begin():
        before = connection.execute(query).all()
        connection.execute(run.update().values(created_at=None))
        revision._BATCH = 3
        revision._work_out(connection)
        assert connection.execute(query).all() == before
    assert any(time is None for _, time in before)
    assert sum(time is not None for _, time in before) > 3


def test_runs_that_are_there_get_their_sides_and_pairs(store: SqlStore) -> None:
    recorded = [read_events(f"written/{name}.ndjson") for name in ("spark", "dbt", "hive", "odd")]
    store.write([entry_of(body) for bodies in recorded for body in bodies])
    link, pair = metadata.tables["run_shape"], metadata.tables["shape_pair"]
    sides = sa.select(link.c.run, link.c.shape, link.c.sides).order_by(link.c.run, link.c.shape)
    pairs = sa.select(pair).order_by(pair.c.reader, pair.c.writer)
    config = Config()
    config.set_main_option("script_location", str(migrate.MIGRATIONS))
    revision = ScriptDirectory.from_config(config).get_revision("0016").module
    with store.engine.connect().execution_options(**WRITING) as connection, connection.begin():
        before = connection.execute(sides).all(), connection.execute(pairs).all()
        connection.execute(link.update().values(sides=None))
        connection.execute(pair.delete())
        revision._PAGE = 3
        revision._fill_sides(connection)
        revision._fill_pairs(connection, 1)
        assert (connection.execute(sides).all(), connection.execute(pairs).all()) == before
    assert {row.sides for row in before[0]} == {None, 1, 2, 3}
    assert len(before[1]) > 2


def test_every_change_gets_its_run_and_every_rename_its_time(engines: Callable[[], sa.Engine]) -> None:
    engine = engines()
    migrate.upgrade(engine, "0022")
    columns = ("tenant", "source", "target", "last")
    old = sa.table("rename", *(sa.column(name) for name in columns))
    with engine.begin() as connection:
        row = (1, b"s" * 16, b"t" * 16, stamp(TIME, b"f" * 16))
        connection.execute(sa.insert(old), [dict(zip(columns, row, strict=True))])
    migrate.upgrade(engine)
    new = metadata.tables["rename"]
    with engine.connect() as connection:
        (found,) = connection.execute(sa.select(new.c.source, new.c.target, new.c.at, new.c.run))
    assert (bytes(found[0]), bytes(found[1]), *found[2:]) == (b"s" * 16, b"t" * 16, TIME, None)


def test_runs_of_changes_are_found_in_the_log(store: SqlStore) -> None:
    recorded = [read_events(f"written/{name}.ndjson") for name in ("spark", "generic", "hive", "odd")]
    store.write([entry_of(body) for bodies in recorded for body in bodies])
    change = metadata.tables["dataset_change"]
    query = sa.select(change.c.dataset, change.c.at, change.c.run).order_by(change.c.dataset, change.c.at)
    config = Config()
    config.set_main_option("script_location", str(migrate.MIGRATIONS))
    revision = ScriptDirectory.from_config(config).get_revision("0023").module
    with store.engine.connect().execution_options(**WRITING) as connection, connection.begin():
        before = connection.execute(query).all()
        connection.execute(change.update().values(run=None))
        revision._BATCH = 2
        revision._find_runs(connection)
        after = connection.execute(query).all()
    assert sum(run is not None for _, _, run in before) > 2
    for was, found in zip(before, after, strict=True):
        assert found[2] in (was[2], None), "unknown where several runs spoke at once"
    assert sum(run is not None for _, _, run in after) > 2


def test_a_newer_database_is_refused(engines: Callable[[], sa.Engine]) -> None:
    engine = engines()
    migrate.ensure_schema(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreUnavailable, match="9999"):
        migrate.ensure_schema(engine)


OPEN = "import sys; from headwater.store.sql_store import SqlStore; store = SqlStore(sys.argv[1]); store.open(); store.close()"


def test_started_at_once_on_an_empty_database(database: Callable[[], str]) -> None:
    url = database()
    starts = [
        subprocess.Popen([sys.executable, "-c", OPEN, url], stderr=subprocess.PIPE, text=True) for _ in range(PROCESSES)
    ]
    errors = [start.communicate(timeout=120)[1] for start in starts]
    assert [start.returncode for start in starts] == [0] * PROCESSES, errors
    engine = make_engine(url)
    assert _differences(engine) == []
    with engine.connect() as connection:
        assert [row.code for row in connection.execute(sa.select(tenants))] == ["default"]
    engine.dispose()


def test_tenants_made_later_get_other_ids(store: SqlStore) -> None:
    with store.engine.begin() as connection:
        made = connection.execute(tenants.insert(), {"code": "other", "name": "Other", "state": "ACTIVE"})
        assert made.inserted_primary_key[0] > 1


def test_command(database: Callable[[], str], tmp_path: Path) -> None:
    """Also while another process serves."""
    app, url = Typer(), database()
    app.callback()(lambda: None)
    command.register(app)
    run = CliRunner()
    assert run.invoke(app, ["migrate", "--store", url, "--check"]).exit_code == 1
    made = run.invoke(app, ["migrate", "--store", url])
    assert made.exit_code == 0
    assert "is now at revision" in made.stdout
    store = SqlStore(url)
    store.open()
    again = run.invoke(app, ["migrate", "--store", url])
    assert "up to date" in again.stdout
    assert "headwater:headwater" not in made.stdout + again.stdout
    assert store.write([entry_of(body) for body in read_events("written/spec.ndjson")])
    store.close()


def _layout(engine: sa.Engine) -> dict:
    inspector = sa.inspect(engine)
    return {
        table: (
            [
                (column["name"], str(column["type"]), getattr(column["type"], "collation", None), column["nullable"])
                for column in inspector.get_columns(table)
            ],
            inspector.get_pk_constraint(table)["constrained_columns"],
            sorted(
                (index["name"], tuple(index["column_names"]), index["unique"]) for index in inspector.get_indexes(table)
            ),
        )
        for table in inspector.get_table_names()
    }
