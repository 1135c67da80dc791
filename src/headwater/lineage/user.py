"""All that is known of one user: the runs that were started in that name."""

from __future__ import annotations

from headwater.lineage.answers import UserEntity
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.listing import list_runs
from headwater.lineage.shown import moment
from headwater.openlineage.naming import clean
from headwater.store.catalog import Catalog
from headwater.store.read import Reader
from headwater.store.run_catalog import RunFilter

__all__ = ["user_entity"]

_RUNS_SHOWN = 20


def user_entity(reader: Reader, tenant: int, text: str) -> UserEntity:
    name = clean(text).strip().removeprefix("user:")
    found = Catalog(reader.engine).users(tenant, [name])
    if not found:
        raise NodeNotFound(f"Nobody called {name!r} started a run.", hint="GET /api/v2/users lists everybody who did.")
    user = found[0]
    runs = list_runs(reader, tenant, RunFilter(user=name), "-first_seen", cursor=None, limit=_RUNS_SHOWN)
    return UserEntity(
        kind="user",
        id=f"user:{user.name}",
        name=user.name,
        runs_total=user.runs,
        first_seen=moment(user.first_seen),
        last_seen=moment(user.last_seen),
        runs=runs.items,
    )
