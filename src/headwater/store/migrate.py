"""Tables made and brought up to date. Alembic is only loaded when there is something to migrate."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from headwater.store.engine import WRITING, StoreUnavailable
from headwater.store.tables import metadata

__all__ = ["HEAD", "MIGRATIONS", "current_revision", "ensure_schema", "upgrade"]

HEAD = "0001"
"""The newest revision in `store/migrations`."""

MIGRATIONS = Path(__file__).parent / "migrations"

_version = sa.table("alembic_version", sa.column("version_num"))


def current_revision(engine: sa.Engine) -> str | None:
    """The revision that the database is at; None for an empty one."""
    with engine.connect() as connection:
        if not sa.inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(sa.select(_version.c.version_num)).scalar()


def ensure_schema(engine: sa.Engine) -> None:
    """Create everything in an empty database; upgrade an older one; refuse one that is newer than this program."""
    try:
        revision = current_revision(engine)
    except sa.exc.OperationalError as error:
        raise StoreUnavailable(
            f"The database cannot be opened: {error.orig}.",
            hint="Check that it runs, and that the folder can be written.",
        ) from error
    if revision == HEAD:
        return
    if revision is None:
        with engine.execution_options(**WRITING).begin() as connection:
            metadata.create_all(connection)
            connection.exec_driver_sql(
                "CREATE TABLE IF NOT EXISTS alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"
            )
            if connection.execute(sa.select(_version.c.version_num)).first() is None:
                connection.execute(sa.insert(_version).values(version_num=HEAD))
        return
    upgrade(engine)


def upgrade(engine: sa.Engine, revision: str = "head") -> None:
    """Run the migrations up to a revision."""
    from alembic import command  # noqa: PLC0415 - takes a second to load, and is seldom needed
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util.exc import CommandError  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["engine"] = engine
    try:
        command.upgrade(config, revision)
    except CommandError as error:
        raise StoreUnavailable(
            f"The database is at revision {current_revision(engine)}, which this Headwater does not know: {error}.",
            hint="It was written by a newer version; run that one, or restore a backup.",
        ) from error
