"""Tables of models and their results.

A result belongs to a text, by its hash, and to a model, by its fingerprint; nodes of the asset graph only name the hash
of the text that they have now. So a result is paid for once, and nodes that come back have it again.
"""

from __future__ import annotations

import sqlalchemy as sa

from headwater.store.dialects.types import binary, blob, integer, text, word
from headwater.store.tables import metadata

__all__ = ["model_configurations", "model_generations", "model_nodes", "model_results", "model_usage"]

model_configurations = sa.Table(
    "model_configuration",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("kind", word(16), primary_key=True),
    sa.Column("place", word(16), primary_key=True),
    sa.Column("fingerprint", word(256), nullable=False),
    sa.Column("configuration", text(), nullable=False),
    sa.Column("since", integer(), nullable=False),
    mysql_charset="utf8mb4",
)
"""`place` is `active`, or `next` for a model that is to follow once all nodes have its results."""

model_results = sa.Table(
    "model_result",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("kind", word(16), primary_key=True),
    sa.Column("fingerprint", word(256), primary_key=True),
    sa.Column("content_hash", binary(32), primary_key=True),
    sa.Column("created_at", integer(), nullable=False),
    sa.Column("result", blob(), nullable=False),
    mysql_charset="utf8mb4",
)

model_nodes = sa.Table(
    "model_node",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("kind", word(16), primary_key=True),
    sa.Column("fingerprint", word(256), primary_key=True),
    sa.Column("node", binary(16), primary_key=True),
    sa.Column("content_hash", binary(32), nullable=False),
    mysql_charset="utf8mb4",
    sqlite_with_rowid=False,
)
"""The text that a node has the result of: the one it has now, or, until that has a result, the one before."""

model_usage = sa.Table(
    "model_usage",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("day", integer(), primary_key=True, autoincrement=False),
    sa.Column("kind", word(16), primary_key=True),
    sa.Column("calls", integer(), nullable=False),
    sa.Column("failures", integer(), nullable=False),
    sa.Column("texts", integer(), nullable=False),
    sa.Column("tokens", integer(), nullable=False),
    sa.Column("price", integer(), nullable=False),
    mysql_charset="utf8mb4",
)
"""By tenant and day (days since 1970, UTC); `price` in millionths."""

model_generations = sa.Table(
    "model_generation",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("generation", integer(), nullable=False),
    mysql_charset="utf8mb4",
)
"""Raised by every change of a tenant's configurations or results: caches of them are then read again."""
