"""An empty database gets the same tables whether they are made at once or by every migration in turn."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from headwater.store import migrate
from headwater.store.engine import StoreUnavailable, make_engine
from headwater.store.tables import metadata


def _differences(engine: sa.Engine) -> list:
    with engine.connect() as connection:
        return compare_metadata(MigrationContext.configure(connection), metadata)


def test_head_is_the_newest_revision() -> None:
    config = Config()
    config.set_main_option("script_location", str(migrate.MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_current_head() == migrate.HEAD


def test_created_at_once(tmp_path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path}/once.db")
    migrate.ensure_schema(engine)
    assert migrate.current_revision(engine) == migrate.HEAD
    assert _differences(engine) == []


def test_migrated_from_nothing(tmp_path) -> None:
    made, migrated = (make_engine(f"sqlite:///{tmp_path}/{name}.db") for name in ("made", "migrated"))
    migrate.ensure_schema(made)
    migrate.upgrade(migrated)
    assert migrate.current_revision(migrated) == migrate.HEAD
    assert _differences(migrated) == []
    assert _layout(made) == _layout(migrated)


def test_a_newer_database_is_refused(tmp_path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path}/new.db")
    migrate.ensure_schema(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreUnavailable, match="9999"):
        migrate.ensure_schema(engine)


def _layout(engine: sa.Engine) -> dict:
    inspector = sa.inspect(engine)
    return {
        table: (
            [(column["name"], str(column["type"]), column["nullable"]) for column in inspector.get_columns(table)],
            inspector.get_pk_constraint(table)["constrained_columns"],
            sorted(
                (index["name"], tuple(index["column_names"]), index["unique"]) for index in inspector.get_indexes(table)
            ),
        )
        for table in inspector.get_table_names()
    }
