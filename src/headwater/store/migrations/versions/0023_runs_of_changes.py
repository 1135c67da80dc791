"""Which run created, dropped, truncated or renamed a dataset, and every time that it was renamed.

Revision ID: 0023
"""

from typing import TypeVar

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import binary, integer

revision = "0023"
down_revision = "0022"

_V = TypeVar("_V", bytes, int)
_BATCH = 1000
_STAMP_OFFSET = 1 << 63
"""Stamps begin with their time, made positive."""


def upgrade() -> None:
    connection = op.get_bind()
    op.add_column("dataset_change", sa.Column("run", binary(16)))
    _find_runs(connection)
    known = _renames(connection, "last", bytes)
    op.drop_index("ix_rename_target", "rename")
    op.drop_table("rename")
    op.create_table(
        "rename",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("source", binary(16), nullable=False),
        sa.Column("target", binary(16), nullable=False),
        sa.Column("at", integer(), nullable=False),
        sa.Column("run", binary(16)),
        sa.PrimaryKeyConstraint("tenant", "source", "target", "at"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_rename_target", "rename", ["tenant", "target"])
    values = []
    for tenant, source, target, last in known:
        at = int.from_bytes(last[:8], "big") - _STAMP_OFFSET
        run = _run_at(connection, tenant, at)
        values.append({"tenant": tenant, "source": source, "target": target, "at": at, "run": run})
    _insert(connection, ("tenant", "source", "target", "at", "run"), values)


def downgrade() -> None:
    connection = op.get_bind()
    newest: dict[tuple[int, bytes, bytes], int] = {}
    for tenant, source, target, at in _renames(connection, "at", int):
        newest[tenant, source, target] = max(at, newest.get((tenant, source, target), at))
    op.drop_index("ix_rename_target", "rename")
    op.drop_table("rename")
    op.create_table(
        "rename",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("source", binary(16), nullable=False),
        sa.Column("target", binary(16), nullable=False),
        sa.Column("last", binary(24)),
        sa.PrimaryKeyConstraint("tenant", "source", "target"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_rename_target", "rename", ["tenant", "target"])
    values = [
        {
            "tenant": tenant,
            "source": source,
            "target": target,
            "last": (at + _STAMP_OFFSET).to_bytes(8, "big") + bytes(16),
        }
        for (tenant, source, target), at in newest.items()
    ]
    _insert(connection, ("tenant", "source", "target", "last"), values)
    op.drop_column("dataset_change", "run")


def _find_runs(connection: sa.Connection) -> None:
    """The log knows the run, where only one sent an event at that moment."""
    names = ("tenant", "dataset", "at", "run")
    change = sa.table("dataset_change", *(sa.column(name) for name in names))
    found: dict[tuple[int, int], bytes | None] = {}
    keys = connection.execute(sa.select(change.c.tenant, change.c.dataset, change.c.at)).all()
    values = []
    for tenant, dataset, at in keys:
        if (tenant, at) not in found:
            found[tenant, at] = _run_at(connection, tenant, at)
        values.append({"of": tenant, "id": bytes(dataset), "time": at, "by": found[tenant, at]})
    write = (
        sa.update(change)
        .where(
            change.c.tenant == sa.bindparam("of"),
            change.c.dataset == sa.bindparam("id"),
            change.c.at == sa.bindparam("time"),
        )
        .values(run=sa.bindparam("by"))
    )
    known = [row for row in values if row["by"] is not None]
    for start in range(0, len(known), _BATCH):
        connection.execute(write, known[start : start + _BATCH])


def _run_at(connection: sa.Connection, tenant: int, at: int) -> bytes | None:
    log = sa.table("lineage_events", *(sa.column(name) for name in ("tenant_id", "event_time", "run")))
    query = sa.select(log.c.run).where(log.c.tenant_id == tenant, log.c.event_time == at).distinct().limit(2)
    rows = connection.execute(query).all()
    return bytes(rows[0][0]) if len(rows) == 1 and rows[0][0] is not None else None


def _renames(connection: sa.Connection, column: str, kind: type[_V]) -> list[tuple[int, bytes, bytes, _V]]:
    table = sa.table("rename", *(sa.column(name) for name in ("tenant", "source", "target", column)))
    query = sa.select(table.c.tenant, table.c.source, table.c.target, table.c[column])
    return [
        (tenant, source, target, kind(value))
        for tenant, source, target, value in connection.execute(query)
        if value is not None
    ]


def _insert(connection: sa.Connection, names: tuple[str, ...], values: list[dict[str, object]]) -> None:
    table = sa.table("rename", *(sa.column(name) for name in names))
    for start in range(0, len(values), _BATCH):
        connection.execute(sa.insert(table), values[start : start + _BATCH])
