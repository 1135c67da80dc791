"""One user: runs started, things owned."""

from __future__ import annotations

from headwater.lineage.answer.entity_records import UserEntity
from headwater.lineage.answer.values import moment
from headwater.lineage.entities.annotations import owned_by
from headwater.lineage.entities.hidden import hidden_nodes
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.lists.listing import list_runs
from headwater.lineage.names.keys import read_key, user_key
from headwater.openlineage.naming import clean
from headwater.store.read.aliases import Aliases
from headwater.store.read.lists.catalog import Catalog, User
from headwater.store.read.lists.runs import RunFilter
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader

__all__ = ["user_entity", "user_name"]

_RUNS_SHOWN = 20
_OWNS_SHOWN = 1000


def user_entity(reader: Reader, tenant: int, text: str) -> UserEntity:
    name = user_name(reader, tenant, clean(text).strip().removeprefix("user:"))
    found = Catalog(reader.engine).users(tenant, [name])
    owned = _owned(reader, tenant, name)
    if not found and not owned:
        raise NodeNotFound(
            f"Nobody called {name[:200]!r} started a run or owns anything.",
            hint="GET /api/v2/users lists everybody who does.",
        )
    user = found[0] if found else User(name, 0, None, None)
    wanted = RunFilter(user=name)
    runs = list_runs(reader, tenant, wanted, "-first_seen", cursor=None, limit=_RUNS_SHOWN).items if found else []
    return UserEntity(
        kind="user",
        id=f"user:{user.name}",
        key=user_key(user.name),
        name=user.name,
        runs_total=user.runs,
        first_seen=moment(user.first_seen),
        last_seen=moment(user.last_seen),
        runs=runs,
        owns_total=len(owned),
        owns=owned[:_OWNS_SHOWN],
    )


def user_name(reader: Reader, tenant: int, text: str) -> str:
    """Name of the user with this key; a text that is no key is a name already."""
    key = read_key(text)
    if key is None or key.kind != "user":
        return text
    known = {user.name for user in Catalog(reader.engine).users(tenant)}
    owned = owned_by(tenant, Lookup(reader.engine), Aliases(reader, tenant), None)
    known |= {owner for annotation in owned.values() for owner in annotation.owners}
    return next((name for name in known if user_key(name) == text), text)


def _owned(reader: Reader, tenant: int, name: str) -> list[str]:
    aliases, lookup = Aliases(reader, tenant), Lookup(reader.engine)
    found = owned_by(tenant, lookup, aliases, name)
    if not found:
        return []
    hidden = hidden_nodes(reader, tenant, lookup, aliases=aliases)
    return sorted(item.node_id for item in reader.names(tenant, found.keys() - hidden).values())
