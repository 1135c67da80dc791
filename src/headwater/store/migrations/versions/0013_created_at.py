"""The time in the id of a run.

Revision ID: 0013
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import integer

revision = "0013"
down_revision = "0014"

_BATCH = 1000


def upgrade() -> None:
    op.add_column("run", sa.Column("created_at", integer()))
    _work_out(op.get_bind())


def downgrade() -> None:
    op.drop_column("run", "created_at")


def _work_out(connection: sa.Connection) -> None:
    """Of the runs that are there: the first 48 bits of a UUIDv7 are milliseconds."""
    run = sa.table("run", *(sa.column(name) for name in ("tenant", "run", "created_at")))
    after: tuple[int, bytes] = (-1, b"")
    change = (
        sa.update(run)
        .where(run.c.tenant == sa.bindparam("of"), run.c.run == sa.bindparam("id"))
        .values(created_at=sa.bindparam("time"))
    )
    while True:
        beyond = sa.or_(run.c.tenant > after[0], sa.and_(run.c.tenant == after[0], run.c.run > after[1]))
        query = sa.select(run.c.tenant, run.c.run).where(beyond).order_by(run.c.tenant, run.c.run).limit(_BATCH)
        rows = [(tenant, bytes(key)) for tenant, key in connection.execute(query)]
        values = [
            {"of": tenant, "id": key, "time": int.from_bytes(key[:6], "big") * 1000}
            for tenant, key in rows
            if key[6] >> 4 == 7
        ]
        if values:
            connection.execute(change, values)
        if len(rows) < _BATCH:
            return
        after = rows[-1]
