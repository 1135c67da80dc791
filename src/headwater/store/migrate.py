"""Creates and migrates tables. Alembic is loaded only when needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from headwater.store.assets import tables as _assets  # noqa: F401 - the tables belong to the schema
from headwater.store.dialects.failures import StoreUnavailable, is_outage, reason_of
from headwater.store.emit import tables as _emit  # noqa: F401
from headwater.store.engine import WRITING
from headwater.store.models import tables as _models  # noqa: F401
from headwater.store.tables import metadata
from headwater.store.tasks import tables as _tasks  # noqa: F401

__all__ = ["HEAD", "MIGRATIONS", "current_revision", "ensure_schema", "schema_lock", "upgrade"]

HEAD = "0033"
"""The newest revision in `store/migrations`."""

MIGRATIONS = Path(__file__).parent / "migrations"

_LOCK = 7426018845
"""Any number, but the same in every version."""
_LOCK_SECONDS = 600

_version = sa.table("alembic_version", sa.column("version_num"))


def current_revision(engine: sa.Engine) -> str | None:
    """The revision that the database is at; None for an empty one."""
    with _explained(), engine.connect() as connection:
        return _revision(connection)


def ensure_schema(engine: sa.Engine) -> None:
    """Create everything in an empty database; upgrade an older one; refuse one that is newer than this program."""
    if current_revision(engine) == HEAD:
        return
    with _explained(), schema_lock(engine):
        if current_revision(engine) is None:
            _create(engine)
        else:
            upgrade(engine)


@contextmanager
def schema_lock(engine: sa.Engine) -> Iterator[None]:
    """One process at a time changes the tables; the others wait, then find it done.

    SQLite needs no more than the transaction itself, which is exclusive from its beginning.
    """
    if engine.dialect.name == "sqlite":
        yield
        return
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if connection.dialect.name == "postgresql":
            take, release = f"SELECT pg_advisory_lock({_LOCK})", f"SELECT pg_advisory_unlock({_LOCK})"
        else:
            name = f"CONCAT('headwater-{_LOCK}-', MD5(DATABASE()))"  # MySQL's names hold for the whole server
            take, release = f"SELECT GET_LOCK({name}, {_LOCK_SECONDS})", f"SELECT RELEASE_LOCK({name})"
        if connection.exec_driver_sql(take).scalar() == 0:
            raise StoreUnavailable(
                f"Another process has been changing the tables for {_LOCK_SECONDS} seconds.",
                hint="Look for a `headwater migrate` that hangs, and end it.",
            )
        try:
            yield
        finally:
            connection.exec_driver_sql(release)


def upgrade(engine: sa.Engine, revision: str = "head") -> None:
    """Run the migrations up to a revision."""
    from alembic import command  # noqa: PLC0415 - takes a second to load, and is seldom needed
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util.exc import CommandError  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["engine"] = engine
    try:
        command.upgrade(config, revision)
    except CommandError as error:
        raise StoreUnavailable(
            f"The database is at revision {current_revision(engine)}, which this Headwater does not know: {error}.",
            hint="It was written by a newer version; run that one, or restore a backup.",
        ) from error


def _create(engine: sa.Engine) -> None:
    with engine.connect().execution_options(**WRITING) as connection:
        if _revision(connection) is not None:  # SQLite: another process was faster
            return
        _refuse_foreign(connection)
        metadata.create_all(connection)
        connection.exec_driver_sql(
            "CREATE TABLE IF NOT EXISTS alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"
        )
        connection.execute(sa.insert(_version).values(version_num=HEAD))
        connection.commit()


def _refuse_foreign(connection: sa.Connection) -> None:
    """Refuse files and tables of another program: a SQLite file with other tables, tables that only share our names.

    Tables from an interrupted first migration, on a database without transactional DDL, are ours.
    """
    inspector = sa.inspect(connection)
    there = set(inspector.get_table_names()) - {"alembic_version"}
    others = {
        name
        for name in there & set(metadata.tables)
        if {column["name"] for column in inspector.get_columns(name)} != set(metadata.tables[name].columns.keys())
    }
    if connection.dialect.name == "sqlite":
        others |= there - set(metadata.tables)
    if others:
        raise _foreign(f"it has the table {min(others)!r}")


def _foreign(why: str) -> StoreUnavailable:
    return StoreUnavailable(
        f"This database is another program's: {why}.",
        hint="Name a folder or database that is empty, or one that Headwater has made.",
    )


def _revision(connection: sa.Connection) -> str | None:
    inspector = sa.inspect(connection)
    if not inspector.has_table("alembic_version"):
        return None
    if "version_num" not in {column["name"] for column in inspector.get_columns("alembic_version")}:
        raise _foreign("its table 'alembic_version' has no revision")
    return connection.execute(sa.select(_version.c.version_num)).scalar()


@contextmanager
def _explained() -> Iterator[None]:
    """A database that cannot be opened, in words."""
    try:
        yield
    except sa.exc.SQLAlchemyError as error:
        if not (is_outage(error) or type(error) is sa.exc.DatabaseError):  # SQLite's word for "not a database"
            raise
        raise StoreUnavailable(
            f"The database cannot be opened: {reason_of(error)}.",
            hint="Check that it runs and exists, user and password; for SQLite, that the folder can be written.",
        ) from error
