"""What questions about the past need, and indexes that answer a walk without looking into the tables.

Revision ID: 0007
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import binary, integer

revision = "0007"
down_revision = "0006"

_STAMP_OFFSET = 1 << 63
_CREATE, _DROP, _TRUNCATE = 2, 32, 64
_BATCH = 1000


def upgrade() -> None:
    op.create_table(
        "declaration",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("node", binary(16), nullable=False),
        sa.Column("stamp", binary(24), nullable=False),
        sa.Column("shape", binary(16)),
        sa.PrimaryKeyConstraint("tenant", "node", "stamp"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "dataset_change",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("dataset", binary(16), nullable=False),
        sa.Column("at", integer(), nullable=False),
        sa.Column("types", integer()),
        sa.PrimaryKeyConstraint("tenant", "dataset", "at"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_shape_job_shape", "shape", ["tenant", "job", "shape"])
    op.create_index("ix_shape_dataset_dataset_role_shape", "shape_dataset", ["tenant", "dataset", "role", "shape"])
    op.drop_index("ix_shape_job", "shape")
    op.drop_index("ix_shape_dataset_dataset_role", "shape_dataset")
    _remember_declarations(op.get_bind())
    _remember_changes(op.get_bind())
    if op.get_bind().dialect.name == "sqlite" and sa.inspect(op.get_bind()).has_table("sqlite_stat1"):
        # Written again for all indexes at the next start; see store/dialects/sqlite_statistics.py.
        op.execute("DELETE FROM sqlite_stat1 WHERE tbl IN ('shape', 'shape_dataset')")


def downgrade() -> None:
    op.create_index("ix_shape_job", "shape", ["tenant", "job"])
    op.create_index("ix_shape_dataset_dataset_role", "shape_dataset", ["tenant", "dataset", "role"])
    op.drop_index("ix_shape_dataset_dataset_role_shape", "shape_dataset")
    op.drop_index("ix_shape_job_shape", "shape")
    op.drop_table("dataset_change")
    op.drop_table("declaration")


def _table(name: str, *columns: str) -> sa.TableClause:
    return sa.table(name, *(sa.column(column) for column in columns))


def _remember_declarations(connection: sa.Connection) -> None:
    """Of job and dataset events that came before, the first and the last time are known."""
    shape = _table("shape", "tenant", "shape", "kind", "job", "subject")
    evidence = _table("evidence", "tenant", "shape", "first_seen", "last")
    same = sa.and_(evidence.c.tenant == shape.c.tenant, evidence.c.shape == shape.c.shape)
    found = (
        sa.select(shape.c.tenant, shape.c.job, shape.c.subject, shape.c.shape, evidence.c.first_seen, evidence.c.last)
        .select_from(shape.join(evidence, same))
        .where(shape.c.kind != "RUN_EVENT")
    )
    rows: dict[tuple[int, bytes, bytes], bytes] = {}
    for tenant, job, subject, digest, first_seen, last in connection.execute(found):
        node = job if job is not None else subject
        if node is None:
            continue
        if last is not None:
            rows[tenant, node, last] = digest
        if first_seen is not None and (last is None or int.from_bytes(last[:8], "big") - _STAMP_OFFSET != first_seen):
            rows[tenant, node, (first_seen + _STAMP_OFFSET).to_bytes(8, "big") + bytes(16)] = digest
    values = [
        {"tenant": tenant, "node": node, "stamp": stamp, "shape": digest}
        for (tenant, node, stamp), digest in sorted(rows.items())
    ]
    _insert(connection, _table("declaration", "tenant", "node", "stamp", "shape"), values)


def _remember_changes(connection: sa.Connection) -> None:
    """The latest of each kind is known."""
    lifecycle = _table("lifecycle", "tenant", "dataset", "created_at", "dropped_at", "truncated_at")
    rows: dict[tuple[int, bytes, int], int] = {}
    for tenant, dataset, created, dropped, truncated in connection.execute(sa.select(lifecycle)):
        for at, kind in ((created, _CREATE), (dropped, _DROP), (truncated, _TRUNCATE)):
            if at is not None:
                rows[tenant, dataset, at] = rows.get((tenant, dataset, at), 0) | kind
    values = [
        {"tenant": tenant, "dataset": dataset, "at": at, "types": types}
        for (tenant, dataset, at), types in sorted(rows.items())
    ]
    _insert(connection, _table("dataset_change", "tenant", "dataset", "at", "types"), values)


def _insert(connection: sa.Connection, table: sa.TableClause, values: list[dict[str, object]]) -> None:
    for start in range(0, len(values), _BATCH):
        connection.execute(sa.insert(table), values[start : start + _BATCH])
