"""Statements, the tables they read and write, and how often they were executed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from headwater.graph.assets.asset import TENANT, Owned, edge, node, times_of
from headwater.graph.assets.names import AssetNames
from headwater.graph.assets.shapes import Shapes, engine_of
from headwater.graph.facts import Node, NodeKind, Role, Run, RunShape, RunStatus, SqlText

__all__ = ["Executions", "statements", "text_of_statement"]

Executions = Mapping[bytes, int]
"""Runs that completed a statement, by the statement."""
_Read = Callable[[type[Any]], Iterable[Any]]


def text_of_statement(sql: bytes) -> str:
    """The id of a statement in the asset graph."""
    return f"sql:{sql.hex()}"


def statements(read: _Read, names: AssetNames, shapes: Shapes, executions: Executions | None) -> Iterator[Owned]:
    """SQL nodes with the number of distinct runs that completed them, and their inputs and outputs."""
    by_shape: dict[bytes, bytes] = {
        header.shape: header.sql for header in shapes.headers.values() if header.sql is not None
    }
    counts = executions if executions is not None else _executions(read, by_shape)
    of_statement: dict[bytes, list[tuple[int, bytes]]] = defaultdict(list)
    for shape, sql in by_shape.items():
        of_statement[sql].append((shapes.since(shape), shape))
    jobs = {found.node: found for found in read(Node) if found.kind == NodeKind.JOB}
    for statement in read(SqlText):
        own, found = text_of_statement(statement.sql), sorted(of_statement.get(statement.sql, ()))
        header = shapes.headers[found[0][1]] if found else None
        job = jobs.get(header.job) if header is not None and header.job is not None else None
        times = times_of(found[0][0], found[-1][0]) if found else {}
        yield (
            own,
            node(
                "SQL",
                own,
                None,
                content=statement.text,
                dialect=statement.dialect,
                engine=engine_of(header.producer) if header is not None else None,
                jobNamespace=names.places.get(job.namespace or b"") if job is not None else None,
                jobName=job.name if job is not None else None,
                executionCount=counts.get(statement.sql, 0),
                **times,
            ),
        )
        yield own, node("Tenant", TENANT, None)
        yield own, edge("OWNS_SQL", TENANT, own)
    edges = set()
    for part in shapes.parts:
        if part.shape not in by_shape:
            continue
        own = text_of_statement(by_shape[part.shape])
        for table in names.tables(part.dataset, part.shape):
            if part.role == Role.INPUT:
                edges.add((own, "INPUT_OF", table, own))
            elif part.role == Role.OUTPUT:
                edges.add((own, "OUTPUT_TO", own, table))
    for own, label, source, target in edges:
        yield own, edge(label, source, target)


def _executions(read: _Read, by_shape: Mapping[bytes, bytes]) -> Executions:
    succeeded = {run.run for run in read(Run) if run.status == RunStatus.SUCCEEDED}
    runs: dict[bytes, set[bytes]] = defaultdict(set)
    for link in read(RunShape):
        if link.shape in by_shape and link.run in succeeded:
            runs[by_shape[link.shape]].add(link.run)
    return {statement: len(found) for statement, found in runs.items()}
