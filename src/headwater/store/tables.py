"""Tables, generated from the declared facts, and the event log beside them.

One representation everywhere: times are whole microseconds (BIGINT), ids and stamps are bytes, text compares by
code point. So the same statement gives the same answer on SQLite, MySQL/MariaDB and PostgreSQL.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from headwater.graph.derived import DERIVED, Derived
from headwater.graph.fact import Column, Fact, columns_of
from headwater.graph.facts import STORED, Node
from headwater.graph.merge_rules import Rule
from headwater.graph.search.documents import SearchPending, SearchPosting, SearchSource
from headwater.store.dialects.types import binary, blob, integer, text, word

__all__ = [
    "NAME_KEY",
    "NAME_KEY_SIZE",
    "STAMP_SUFFIX",
    "api_keys",
    "browser_sessions",
    "catalog_sources",
    "dead_letters",
    "derived_tables",
    "edit_leases",
    "events",
    "fact_tables",
    "gateway_assertions",
    "graph_changes",
    "late_facts",
    "metadata",
    "pipeline_jobs",
    "pipeline_locks",
    "pipeline_progress",
    "pipeline_splits",
    "rollup_marks",
    "stored_columns",
    "tenants",
]

STAMP_SUFFIX = "_stamp"
NAME_KEY = "name_key"
"""By which names are sorted: the beginning of a name without regard to case, worked out by the database."""
NAME_KEY_SIZE = 128
_OTHER_TABLES: tuple[type[Fact], ...] = (SearchPending, SearchPosting, SearchSource)
"""Declared as facts are, but no part of the fold of the log."""
_STAMP_SIZE = 24

metadata = sa.MetaData()


def _type(column: Column) -> sa.types.TypeEngine[Any]:
    if issubclass(column.kind, int):
        return integer()
    if issubclass(column.kind, bytes):
        return binary(column.size) if column.size else blob()
    return word(64) if column.rule is None else text()


def _fact_table(fact: type[Fact]) -> sa.Table:
    columns: list[sa.Column[Any]] = []
    for column in columns_of(fact):
        is_key = column.rule is None
        columns.append(
            sa.Column(column.name, _type(column), primary_key=is_key, nullable=not is_key, autoincrement=False)
        )
        if column.rule is Rule.LATEST:
            columns.append(sa.Column(column.name + STAMP_SUFFIX, binary(_STAMP_SIZE)))
    indexes = [sa.Index(f"ix_{fact.table}_{'_'.join(names)}", "tenant", *names) for names in fact.indexes]
    # SQLite: clustered by key, unless rows are wide; those would spill over a page each, and append better by rowid.
    wide = any(issubclass(column.kind, bytes) and column.size is None for column in columns_of(fact))
    return sa.Table(fact.table, metadata, *columns, *indexes, sqlite_with_rowid=wide, mysql_charset="utf8mb4")


def _derived_table(derived: type[Derived]) -> sa.Table:
    declared = columns_of(derived)
    keys = len(declared) - len(derived.__struct_defaults__)
    columns = [
        sa.Column(column.name, _type(column), primary_key=index < keys, nullable=index >= keys, autoincrement=False)
        for index, column in enumerate(declared)
    ]
    indexes = [sa.Index(f"ix_{derived.table}_{'_'.join(names)}", "tenant", *names) for names in derived.indexes]
    return sa.Table(derived.table, metadata, *columns, *indexes, sqlite_with_rowid=False, mysql_charset="utf8mb4")


tenants = sa.Table(
    "tenant",
    metadata,
    sa.Column("id", integer(), primary_key=True, autoincrement=True),
    sa.Column("code", word(64), nullable=False, unique=True),
    sa.Column("name", word(128), nullable=False),
    sa.Column("state", word(16), nullable=False),
    sa.Column("event_rate", integer()),
    sa.Column("event_burst", integer()),
    sa.Column("facet_policy", text()),
    mysql_charset="utf8mb4",
)

events = sa.Table(
    "lineage_events",
    metadata,
    sa.Column("id", integer(), primary_key=True, autoincrement=True),
    sa.Column("tenant_id", integer(), nullable=False),
    sa.Column("tenant_code", word(64), nullable=False),
    sa.Column("tenant_name", word(128), nullable=False),
    sa.Column("event_time", integer(), nullable=False),
    sa.Column("fingerprint", binary(16), nullable=False),
    sa.Column("event_kind", word(16), nullable=False),
    sa.Column("event_type", word(32)),
    sa.Column("run", binary(16)),
    sa.Column("job_namespace", text()),
    sa.Column("job_name", text()),
    sa.Column("producer", text()),
    sa.Column("event", blob(), nullable=False),
    sa.Column("warnings", text()),
    sa.Column("received_at", integer(), nullable=False),
    # Time leads the fingerprint: inserts stay local, and the same index serves every look-up by time.
    sa.Index("uq_lineage_events", "tenant_id", "event_time", "fingerprint", unique=True),
    sa.Index("ix_lineage_events_run", "tenant_id", "run"),
    sqlite_autoincrement=True,
    mysql_charset="utf8mb4",
)

api_keys = sa.Table(
    "api_key",
    metadata,
    sa.Column("id", word(32), primary_key=True),
    sa.Column("tenant_id", integer()),
    sa.Column("source", word(32), nullable=False),
    sa.Column("roles", word(64), nullable=False),
    sa.Column("hash", binary(32), nullable=False),
    sa.Column("name", word(128), nullable=False),
    sa.Column("created_at", integer(), nullable=False),
    sa.Column("expires_at", integer()),
    sa.Column("revoked_at", integer()),
    sa.Column("last_used_at", integer()),
    sa.Column("networks", text()),
    mysql_charset="utf8mb4",
)

dead_letters = sa.Table(
    "dead_letter",
    metadata,
    sa.Column("id", integer(), primary_key=True, autoincrement=True),
    sa.Column("tenant_id", integer()),
    sa.Column("key_id", word(64)),
    sa.Column("source", word(32), nullable=False),
    sa.Column("received_at", integer(), nullable=False),
    sa.Column("reason", word(64), nullable=False),
    sa.Column("message", text(), nullable=False),
    sa.Column("path", text()),
    sa.Column("body", blob(), nullable=False),
    sa.Column("state", word(16), nullable=False),
    sa.Column("retried_at", integer()),
    sa.Column("attempts", integer(), nullable=False),
    sa.Column("vouched", text()),
    sa.Index("ix_dead_letter_tenant_id", "tenant_id", "id"),
    sqlite_autoincrement=True,
    mysql_charset="utf8mb4",
)

gateway_assertions = sa.Table(
    "gateway_assertion",
    metadata,
    sa.Column("jti", binary(32), primary_key=True),
    sa.Column("expires_at", integer(), nullable=False),
    sa.Index("ix_gateway_assertion_expires_at", "expires_at"),
    mysql_charset="utf8mb4",
)

browser_sessions = sa.Table(
    "browser_session",
    metadata,
    sa.Column("token_hash", binary(32), primary_key=True),
    sa.Column("key_id", word(32), nullable=False),
    sa.Column("created_at", integer(), nullable=False),
    sa.Column("expires_at", integer(), nullable=False),
    sa.Index("ix_browser_session_key_id", "key_id"),
    sa.Index("ix_browser_session_expires_at", "expires_at"),
    mysql_charset="utf8mb4",
)

edit_leases = sa.Table(
    "edit_lease",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("subject", binary(16), primary_key=True),
    sa.Column("token", word(32), nullable=False),
    sa.Column("expires_at", integer(), nullable=False),
    mysql_charset="utf8mb4",
)

unfinished_events = sa.Table(
    "unfinished_event",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("event_time", integer(), primary_key=True, autoincrement=False),
    sa.Column("fingerprint", binary(16), primary_key=True),
    sa.Column("attempts", integer(), nullable=False),
    mysql_charset="utf8mb4",
)

graph_changes = sa.Table(
    "graph_change",
    metadata,
    sa.Column("id", integer(), primary_key=True, autoincrement=True),
    sa.Column("tenant", integer(), nullable=False),
    sa.Column("names", integer(), nullable=False),
    sa.Column("shapes", blob()),
    sa.Column("jobs", blob()),
    sqlite_autoincrement=True,
    mysql_charset="utf8mb4",
)


def stored_columns(table: sa.Table) -> list[sa.Column[Any]]:
    """The columns that are written; the others the database works out."""
    return [column for column in table.columns if column.computed is None]


fact_tables: dict[type[Fact], sa.Table] = {fact: _fact_table(fact) for fact in (*STORED, *_OTHER_TABLES)}
_nodes = fact_tables[Node]
_nodes.append_column(
    sa.Column(NAME_KEY, word(NAME_KEY_SIZE), sa.Computed(f"lower(substr(name, 1, {NAME_KEY_SIZE}))", persisted=True))
)
sa.Index("ix_node_name_key", _nodes.c.tenant, _nodes.c.kind, _nodes.c[NAME_KEY], _nodes.c.node)
derived_tables: dict[type[Derived], sa.Table] = {derived: _derived_table(derived) for derived in DERIVED}

pipeline_progress = sa.Table(
    "pipeline_progress",
    metadata,
    sa.Column("job", word(64), primary_key=True),
    sa.Column("position", integer(), nullable=False),
    sa.Column("batch", integer(), nullable=False),
    sa.Column("events", integer(), nullable=False),
    sa.Column("batch_events", integer(), nullable=False),
    sa.Column("batch_seconds", sa.Double(), nullable=False),
    sa.Column("updated_at", integer(), nullable=False),
    sa.Column("event_received_at", integer()),
    sa.Column("error", text()),
    sa.Column("error_at", integer()),
    mysql_charset="utf8mb4",
)

pipeline_jobs = sa.Table(
    "pipeline_job",
    metadata,
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

pipeline_locks = sa.Table(
    "pipeline_lock",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("part", word(16), primary_key=True),
    sa.Column("token", word(32), nullable=False),
    mysql_charset="utf8mb4",
)

catalog_sources = sa.Table(
    "catalog_source",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("metalake", word(128), primary_key=True),
    sa.Column("url", text(), nullable=False),
    sa.Column("token", text(), nullable=False),
    sa.Column("rate", integer(), nullable=False),
    mysql_charset="utf8mb4",
)

pipeline_splits = sa.Table(
    "pipeline_split",
    metadata,
    sa.Column("source", binary(16), primary_key=True),
    sa.Column("split", binary(16), primary_key=True),
    sa.Column("lines", integer(), nullable=False),
    sa.Column("noted_at", integer(), nullable=False),
    mysql_charset="utf8mb4",
)

late_facts = sa.Table(
    "pipeline_late_facts",
    metadata,
    sa.Column("id", integer(), primary_key=True, autoincrement=True),
    sa.Column("owner", word(64)),
    sa.Column("first", integer(), nullable=False),
    sa.Column("last", integer()),
    sa.Column("noted_at", integer(), nullable=False),
    sqlite_autoincrement=True,
    mysql_charset="utf8mb4",
)

rollup_marks = sa.Table(
    "pipeline_rollup_mark",
    metadata,
    sa.Column("tenant", integer(), primary_key=True, autoincrement=False),
    sa.Column("position", integer(), nullable=False),
    sa.Column("definitions", word(64), nullable=False),
    mysql_charset="utf8mb4",
)
