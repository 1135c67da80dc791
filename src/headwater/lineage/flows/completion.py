"""Completes column edges without a transformation from the SQL of their job.

For example, dbt reports that `email_hash` comes from `email`, and sends the statement with `md5(email)`: together they
show that the value is masked. A statement is analysed on demand, once per process and within limits; an edge that it
does not explain stays unknown.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from headwater.bounded_cache import BoundedCache
from headwater.deadline import check
from headwater.graph.assets.column_kinds import How
from headwater.infer.dialect import dialect_of
from headwater.infer.statement import StatementQuestion, complete_edges
from headwater.infer.tables import KnownTable, aliases_of
from headwater.lineage.flows.transformation import in_order
from headwater.store.read.aliases import Aliases
from headwater.store.read.lookup import Lookup
from headwater.store.read.names import Name, names_of
from headwater.store.read.reader import Reader
from headwater.store.read.shapes.contents import ShapeBody, ShapeColumns, Untold

__all__ = ["completed_columns", "statements_of"]

_SECONDS = 1.0
"""Time for the statements of one step of a walk; the rest is analysed with the next question."""
_TEXTS = "SELECT [sql], text, dialect FROM sql_text WHERE tenant = ? AND [sql] {ids}"
_RUNS = (
    "SELECT s.shape, (SELECT r.run FROM run_shape r WHERE r.tenant = s.tenant AND r.shape = s.shape LIMIT 1) "
    "FROM shape s WHERE s.tenant = ? AND s.shape {ids}"
)
_STATED_EDGES = (
    "SELECT DISTINCT r.run, s.job, s.[sql] FROM run_shape r JOIN shape s ON s.tenant = r.tenant AND s.shape = r.shape "
    "WHERE r.tenant = ? AND r.run {ids} AND s.[sql] IS NOT NULL"
)
_completed: BoundedCache[Mapping[Untold, tuple[How, ...]]] = BoundedCache(200_000)
"""By statement and edges, the completed edges; the weight of an entry is its number of edges."""


def completed_columns(
    reader: Reader, tenant: int, lookup: Lookup, aliases: Aliases, shapes: Collection[bytes]
) -> tuple[dict[bytes, ShapeColumns], bool]:
    """The column edges of these shapes, and whether all of them are as complete as their SQL allows."""
    listed = reader.shapes.columns(tenant, lookup, shapes)
    untold = {shape for shape, edges in listed.items() if edges.may_be_untold}
    if not untold:
        return listed, True
    bodies = reader.shapes.bodies(tenant, lookup, untold)
    statements = statements_of(tenant, lookup, bodies)
    texts = {sql: (text, dialect) for sql, text, dialect in lookup.rows(_TEXTS, tenant, set(statements.values()))}
    wanted = {shape: texts[sql] for shape, sql in statements.items() if sql in texts and texts[sql][0]}
    names = _Tables(tenant, lookup, aliases, [bodies[shape] for shape in wanted])
    ends = time.monotonic() + _SECONDS
    for shape in sorted(wanted):
        check()
        if time.monotonic() > ends:
            return listed, False
        text, dialect = wanted[shape]
        listed[shape].complete(_complete(names.question(bodies[shape], text, dialect), listed[shape].untold()))
    return listed, True


def statements_of(tenant: int, lookup: Lookup, bodies: Mapping[bytes, ShapeBody]) -> dict[bytes, bytes]:
    """The statement of each shape: its own, or the only other one of a run with this shape."""
    found = {shape: body.sql for shape, body in bodies.items() if body.sql is not None}
    others = {shape: body.job for shape, body in bodies.items() if body.sql is None and body.job is not None}
    runs = {shape: run for shape, run in lookup.rows(_RUNS, tenant, others) if run is not None}
    stated: dict[tuple[bytes, bytes], set[bytes]] = defaultdict(set)
    for run, job, sql in lookup.rows(_STATED_EDGES, tenant, set(runs.values())):
        stated[run, job].add(sql)
    for shape, run in runs.items():
        other_shapes = stated.get((run, others[shape] or b""), set())
        if len(other_shapes) == 1:
            found[shape] = next(iter(other_shapes))
    return found


def _complete(question: StatementQuestion, untold: set[Untold]) -> Mapping[Untold, tuple[How, ...]]:
    key = question, frozenset(untold)
    known = _completed.get(key)
    if known is None:
        known = {edge: in_order(hows) for edge, hows in complete_edges(question, untold).items()}
        _completed.put(key, known, 10 + len(untold))
    return known


class _Tables:
    """The datasets of some shapes, by the names that a statement may have for them."""

    def __init__(self, tenant: int, lookup: Lookup, aliases: Aliases, bodies: Iterable[ShapeBody]) -> None:
        datasets = {dataset for body in bodies for dataset in (*_read(body), *_written(body))}
        aliases.learn(datasets)
        self._groups = {dataset: aliases.group(dataset) for dataset in datasets}
        self._names: dict[bytes, Name] = names_of(
            tenant, lookup, {member for group in self._groups.values() for member in group} | datasets
        )

    def question(self, body: ShapeBody, text: str, dialect: str | None) -> StatementQuestion:
        read, written = _read(body), _written(body)
        uses = {self._names[dataset].namespace for dataset in (*read, *written) if dataset in self._names}
        return StatementQuestion(
            text,
            dialect_of(dialect, body.job_type, uses),
            tuple(map(self._table, read)),
            tuple(map(self._table, written)),
        )

    def _table(self, dataset: bytes) -> KnownTable:
        members = [dataset, *sorted(self._groups[dataset] - {dataset})]
        return KnownTable(dataset, aliases_of(self._names[member].name for member in members if member in self._names))


def _read(body: ShapeBody) -> tuple[bytes, ...]:
    return tuple(sorted({part.dataset for part in body.inputs} | set(body.references)))


def _written(body: ShapeBody) -> tuple[bytes, ...]:
    return tuple(sorted({part.dataset for part in (*body.outputs, *body.subjects)}))
