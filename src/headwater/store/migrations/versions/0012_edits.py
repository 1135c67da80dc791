"""Every change by hand, for its history; tags without regard to case and whole names of owners, for search.

Revision ID: 0012
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import binary, integer, text

revision = "0012"
down_revision = "0013"

_BATCH = 1000
_TEXTS = ("kind", "column", "name", "value", "actor", "by", "reason", "via")


def upgrade() -> None:
    op.create_table(
        "edit",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("edit", binary(16), nullable=False),
        sa.Column("stamp", binary(24)),
        sa.Column("about", binary(16)),
        sa.Column("about_type", text()),
        sa.Column("note", binary(16)),
        *(sa.Column(name, text()) for name in _TEXTS),
        sa.PrimaryKeyConstraint("tenant", "edit"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_edit_about_stamp", "edit", ["tenant", "about", "stamp"])
    op.create_index("ix_edit_stamp_edit", "edit", ["tenant", "stamp", "edit"])
    _search_again(op.get_bind())


def downgrade() -> None:
    op.drop_table("edit")


def _search_again(connection: sa.Connection) -> None:
    """Postings of what has tags or owners are worked out again, after those of tags are gone."""
    posting = sa.table("search_posting", sa.column("token"))
    connection.execute(sa.delete(posting).where(posting.c.token.between("#", "#\U0010ffff")))
    marks, pending = (
        sa.table(name, sa.column("tenant"), sa.column("source")) for name in ("search_source", "search_pending")
    )
    shapes = {tuple(row) for name in ("shape", "shape_dataset") for row in _with_facets(connection, name)}
    waiting = {tuple(row) for row in connection.execute(sa.select(pending.c.tenant, pending.c.source))}
    gone = sa.delete(marks).where(marks.c.tenant == sa.bindparam("t"), marks.c.source == sa.bindparam("s"))
    ordered = sorted(shapes)
    for start in range(0, len(ordered), _BATCH):
        some = ordered[start : start + _BATCH]
        connection.execute(gone, [{"t": tenant, "s": shape} for tenant, shape in some])
        new = [{"tenant": tenant, "source": shape} for tenant, shape in some if (tenant, shape) not in waiting]
        if new:
            connection.execute(sa.insert(pending), new)


def _with_facets(connection: sa.Connection, name: str) -> sa.CursorResult[Any]:
    has = "position({0} IN facets) > 0" if connection.dialect.name == "postgresql" else "instr(facets, {0}) > 0"
    either = " OR ".join(has.format(part) for part in (":tags", ":owners"))
    parts = {"tags": b'"tags":', "owners": b'"ownership":'}
    return connection.execute(sa.text(f"SELECT DISTINCT tenant, shape FROM {name} WHERE {either}"), parts)
