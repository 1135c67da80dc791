"""Running jobs of the pipeline, what of which tenant they hold, and which parts of its sources an import has done.

Revision ID: 0014
"""

import sqlalchemy as sa
from alembic import op

from headwater.store.dialects.types import binary, integer, text, word

revision = "0014"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "pipeline_job",
        sa.Column("token", word(32), primary_key=True),
        sa.Column("job", word(64), nullable=False),
        sa.Column("tenant", integer()),
        sa.Column("holder", text(), nullable=False),
        sa.Column("machine", word(64)),
        sa.Column("pid", integer(), nullable=False),
        sa.Column("process_began", integer()),
        sa.Column("since", integer(), nullable=False),
        sa.Column("renewed_at", integer(), nullable=False),
        sa.Column("expires_at", integer(), nullable=False),
        sa.Column("step", text()),
        sa.Column("done", integer(), nullable=False),
        sa.Column("total", integer(), nullable=False),
        sa.Column("figures", text()),
        sa.Column("ended_at", integer()),
        sa.Column("error", text()),
        mysql_charset="utf8mb4",
    )
    op.create_table(
        "pipeline_lock",
        sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
        sa.Column("part", word(16), primary_key=True),
        sa.Column("token", word(32), nullable=False),
        mysql_charset="utf8mb4",
    )
    op.create_table(
        "pipeline_split",
        sa.Column("source", binary(16), primary_key=True),
        sa.Column("split", binary(16), primary_key=True),
        sa.Column("lines", integer(), nullable=False),
        sa.Column("noted_at", integer(), nullable=False),
        mysql_charset="utf8mb4",
    )


def downgrade() -> None:
    for table in ("pipeline_split", "pipeline_lock", "pipeline_job"):
        op.drop_table(table)
