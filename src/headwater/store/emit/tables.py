"""Tables of the overlay adapter."""

from __future__ import annotations

import sqlalchemy as sa

from headwater.store.dialects.types import binary, blob, integer, text, word
from headwater.store.tables import metadata

__all__ = ["emit_events", "emit_overlays", "emit_sinks", "emit_versions"]

emit_overlays = sa.Table(
    "emit_overlay",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("name", word(64), primary_key=True),
    sa.Column("configuration", text(), nullable=False),
    sa.Column("changed_at", integer(), nullable=False),
    sa.Column("check_due_at", integer()),
    sa.Column("checked_at", integer()),
    sa.Column("check_result", text()),
    mysql_charset="utf8mb4",
    sqlite_with_rowid=False,
)

emit_sinks = sa.Table(
    "emit_sink",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("name", word(64), primary_key=True),
    sa.Column("configuration", text(), nullable=False),
    sa.Column("changed_at", integer(), nullable=False),
    sa.Column("state", word(16), nullable=False),
    sa.Column("reason", text()),
    sa.Column("due_at", integer(), nullable=False),
    sa.Column("failures", integer(), nullable=False),
    mysql_charset="utf8mb4",
    sqlite_with_rowid=False,
)

emit_versions = sa.Table(
    "emit_version",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("version", binary(16), primary_key=True),
    sa.Column("overlay", word(64), nullable=False),
    sa.Column("version_id", text(), nullable=False),
    sa.Column("state", word(16), nullable=False),
    sa.Column("requests", integer(), nullable=False),
    sa.Column("requested_at", integer(), nullable=False),
    sa.Column("recall_wanted", integer(), nullable=False),
    sa.Column("due_at", integer()),
    sa.Column("attempts", integer(), nullable=False),
    sa.Column("confs", integer(), nullable=False),
    sa.Column("states", text()),
    sa.Column("error", text()),
    sa.Column("lease", word(32)),
    sa.Column("lease_until", integer(), nullable=False),
    sa.Index("ix_emit_version_due_at", "tenant", "due_at"),
    sa.Index("ix_emit_version_state", "tenant", "state", "requested_at"),
    mysql_charset="utf8mb4",
)

emit_events = sa.Table(
    "emit_event",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("sink", word(64), primary_key=True),
    sa.Column("version", binary(16), primary_key=True),
    sa.Column("step", word(32), primary_key=True),
    sa.Column("event_time", integer(), nullable=False),
    sa.Column("state", word(16), nullable=False),
    sa.Column("body", blob(), nullable=False),
    sa.Column("attempts", integer(), nullable=False),
    sa.Column("requested_at", integer(), nullable=False),
    sa.Column("due_at", integer(), nullable=False),
    sa.Column("settled_at", integer()),
    sa.Column("reason", word(64)),
    sa.Column("error", text()),
    sa.Column("lease", word(32)),
    sa.Column("lease_until", integer(), nullable=False),
    sa.Index("ix_emit_event_due_at", "tenant", "sink", "state", "due_at"),
    mysql_charset="utf8mb4",
)
