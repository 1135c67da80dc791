"""Which shapes were said by one run, so that only what one run read and wrote is joined.

Revision ID: 0016
"""

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

from headwater.graph.current.shape_pairs import by_run, paired
from headwater.store.dialects.types import binary, integer

revision = "0016"
down_revision = "0012"

_PAGE = 20_000
_WRITTEN_AT_ONCE = 5_000
_NOT_WRITING = 4 | 8 | 32 | 64
"""ALTER, RENAME, DROP, TRUNCATE."""


def upgrade() -> None:
    op.add_column("run_shape", sa.Column("sides", integer()))
    op.create_index("ix_run_shape_shape_first_seen", "run_shape", ["tenant", "shape", "first_seen"])
    op.drop_index("ix_run_shape_shape", "run_shape")
    op.create_table(
        "shape_pair",
        sa.Column("tenant", integer(), nullable=False),
        sa.Column("reader", binary(16), nullable=False),
        sa.Column("writer", binary(16), nullable=False),
        sa.Column("first_seen", integer()),
        sa.Column("last", binary(24)),
        sa.PrimaryKeyConstraint("tenant", "reader", "writer"),
        mysql_charset="utf8mb4",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_shape_pair_writer_reader", "shape_pair", ["tenant", "writer", "reader"])
    connection = op.get_bind()
    _fill_sides(connection)
    for (tenant,) in connection.execute(sa.text("SELECT id FROM tenant")).all():
        _fill_pairs(connection, tenant)
    if connection.dialect.name == "sqlite" and sa.inspect(connection).has_table("sqlite_stat1"):
        # Written again for all indexes at the next start; see store/dialects/sqlite_statistics.py.
        op.execute("DELETE FROM sqlite_stat1 WHERE tbl = 'run_shape'")


def downgrade() -> None:
    op.drop_table("shape_pair")
    op.create_index("ix_run_shape_shape", "run_shape", ["tenant", "shape"])
    op.drop_index("ix_run_shape_shape_first_seen", "run_shape")
    op.drop_column("run_shape", "sides")


def _fill_sides(connection: sa.Connection) -> None:
    part = "SELECT 1 FROM shape_dataset d WHERE d.tenant = run_shape.tenant AND d.shape = run_shape.shape AND d.role"
    written = f"(d.types IS NULL OR d.types = 0 OR (d.types & {1023 - _NOT_WRITING}) <> 0)"
    reads = f"CASE WHEN EXISTS ({part} = 1) THEN 1 ELSE 0 END"
    writes = f"CASE WHEN EXISTS ({part} = 2 AND {written}) THEN 2 ELSE 0 END"
    connection.execute(sa.text(f"UPDATE run_shape SET sides = NULLIF({reads} + {writes}, 0)"))


def _fill_pairs(connection: sa.Connection, tenant: int) -> None:
    table = sa.table("shape_pair", *(sa.column(name) for name in ("tenant", "reader", "writer", "first_seen", "last")))
    found: dict[tuple[bytes, bytes], tuple[int, bytes]] = {}
    for page in _pages(connection, tenant):
        for run, said in by_run(page).items():
            for pair in paired(tenant, run, said):
                key = pair.reader, pair.writer
                first, last = pair.first_seen or 0, pair.last or b""
                known = found.get(key)
                found[key] = (first, last) if known is None else (min(first, known[0]), max(last, known[1]))
    rows = [
        {"tenant": tenant, "reader": reader, "writer": writer, "first_seen": first, "last": last}
        for (reader, writer), (first, last) in sorted(found.items())
    ]
    for start in range(0, len(rows), _WRITTEN_AT_ONCE):
        connection.execute(table.insert(), rows[start : start + _WRITTEN_AT_ONCE])


def _pages(connection: sa.Connection, tenant: int) -> Iterator[list[tuple[bytes, bytes, int, int, int]]]:
    """Rows of runs in the order of their ids, all rows of a run in one page."""
    names = ("run", "shape", "first_seen", "last_seen", "sides")
    link = sa.table("run_shape", sa.column("tenant"), *(sa.column(name) for name in names))
    columns = [link.c[name] for name in names]
    condition = sa.and_(link.c.tenant == tenant, link.c.sides.is_not(None))
    last, more = b"", True
    while more:
        query = sa.select(*columns).where(condition, link.c.run > last).order_by(link.c.run).limit(_PAGE)
        page = [_row(row) for row in connection.execute(query)]
        more = len(page) == _PAGE
        if more and page[0][0] != page[-1][0]:
            page = [row for row in page if row[0] != page[-1][0]]
        elif more:
            own = sa.select(*columns).where(condition, link.c.run == page[0][0])
            page = [_row(row) for row in connection.execute(own)]
        if page:
            last = page[-1][0]
            yield page


def _row(row: Sequence[Any]) -> tuple[bytes, bytes, int, int, int]:
    run, shape, first_seen, last_seen, sides = row
    return bytes(run), bytes(shape), int(first_seen), int(last_seen), int(sides)
