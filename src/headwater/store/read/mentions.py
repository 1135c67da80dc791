"""Where datasets are mentioned, in few columns and with a limit: a hub is read by thousands of jobs."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from typing import Any

import sqlalchemy as sa

from headwater.graph.facts import Role, Shape, ShapeDataset
from headwater.store.tables import fact_tables

__all__ = ["jobs_using", "mentions"]

_AT_ONCE = 100
_part, _shape = fact_tables[ShapeDataset], fact_tables[Shape]


def mentions(
    connection: sa.Connection, tenant: int, datasets: Collection[bytes], role: Role, most: int
) -> dict[bytes, list[tuple[bytes, bytes]]]:
    """By dataset, the shapes in which it has this role, and the newest stamp of each."""
    found: dict[bytes, list[tuple[bytes, bytes]]] = {}
    for chunk in _chunks(datasets):
        values: dict[str, Any] = {f"dataset_{index}": dataset for index, dataset in enumerate(chunk)}
        values |= {"tenant": tenant, "role": int(role), "most": most}
        for dataset, shape, last in connection.execute(_statement(len(chunk)), values).all():
            if last is not None:
                found.setdefault(dataset, []).append((shape, last))
    return found


@cache
def _statement(count: int) -> sa.TextClause:
    """As text: to build it out of expressions takes longer than to run it."""
    part = (
        "SELECT * FROM (SELECT p.dataset, p.shape, e.last FROM shape_dataset p"
        " JOIN evidence e ON e.tenant = :tenant AND e.shape = p.shape"
        " WHERE p.tenant = :tenant AND p.dataset = :dataset_{index} AND p.role = :role LIMIT :most) AS of_{index}"
    )
    return sa.text(" UNION ALL ".join(part.format(index=index) for index in range(count)))


def jobs_using(
    connection: sa.Connection, tenant: int, datasets: Collection[bytes], most: int
) -> list[tuple[bytes, bytes]]:
    """Pairs of a dataset and a job that ever read or wrote it."""
    joined = _part.join(_shape, sa.and_(_shape.c.tenant == tenant, _shape.c.shape == _part.c.shape))
    roles = (int(Role.INPUT), int(Role.OUTPUT))
    found: list[tuple[bytes, bytes]] = []
    for chunk in _chunks(datasets):
        query = (
            sa.select(_part.c.dataset, _shape.c.job)
            .select_from(joined)
            .where(_part.c.tenant == tenant, _part.c.dataset.in_(chunk), _part.c.role.in_(roles))
            .where(_shape.c.job.is_not(None))
            .distinct()
            .limit(most)
        )
        found += [(row[0], row[1]) for row in connection.execute(query)]
    return found


def _chunks(ids: Collection[bytes]) -> Iterator[list[bytes]]:
    ordered = sorted(set(ids))
    for start in range(0, len(ordered), _AT_ONCE):
        yield ordered[start : start + _AT_ONCE]
