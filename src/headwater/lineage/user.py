"""All that is known of one user: the runs that were started in that name."""

from __future__ import annotations

from headwater.lineage.answers import UserEntity
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.keys import read_key, user_key
from headwater.lineage.listing import list_runs
from headwater.lineage.shown import moment
from headwater.openlineage.naming import clean
from headwater.store.catalog import Catalog
from headwater.store.read import Reader
from headwater.store.run_catalog import RunFilter

__all__ = ["user_entity", "user_name"]

_RUNS_SHOWN = 20


def user_entity(reader: Reader, tenant: int, text: str) -> UserEntity:
    name = user_name(reader, tenant, clean(text).strip().removeprefix("user:"))
    found = Catalog(reader.engine).users(tenant, [name])
    if not found:
        raise NodeNotFound(f"Nobody called {name[:200]!r} started a run.", hint="GET /api/v2/users lists who did.")
    user = found[0]
    runs = list_runs(reader, tenant, RunFilter(user=name), "-first_seen", cursor=None, limit=_RUNS_SHOWN)
    return UserEntity(
        kind="user",
        id=f"user:{user.name}",
        key=user_key(user.name),
        name=user.name,
        runs_total=user.runs,
        first_seen=moment(user.first_seen),
        last_seen=moment(user.last_seen),
        runs=runs.items,
    )


def user_name(reader: Reader, tenant: int, text: str) -> str:
    """The name of the user who has this key, or the text itself."""
    key = read_key(text)
    if key is None or key.kind != "user":
        return text
    return next((user.name for user in Catalog(reader.engine).users(tenant) if user_key(user.name) == text), text)
