"""Tags, descriptions and owners of datasets and jobs under all their names, read for many at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from headwater.graph.annotations.described import Described, described
from headwater.graph.annotations.notes import INFORMATION
from headwater.graph.annotations.tags import carries, read_tag
from headwater.graph.facts import Note
from headwater.graph.search.documents import OWNER_MARK, TAG_MARK, owner_token, tag_token
from headwater.store.read.aliases import Aliases
from headwater.store.read.lists.catalog import Chosen
from headwater.store.read.lookup import Lookup

__all__ = ["chosen_by_owner", "chosen_by_tag", "described_of", "owned_by", "tagged"]

_OF_DATASETS = (
    "SELECT p.dataset, p.facets, e.[last] FROM shape_dataset p JOIN evidence e ON e.tenant = p.tenant "
    "AND e.shape = p.shape WHERE p.tenant = ? AND p.dataset {ids} AND p.facets IS NOT NULL"
)
_OF_JOBS = (
    "SELECT s.job, s.facets, e.[last] FROM shape s JOIN evidence e ON e.tenant = s.tenant AND e.shape = s.shape "
    "WHERE s.tenant = ? AND s.job {ids} AND s.facets IS NOT NULL"
)
_NOTES = (
    "SELECT tenant, about, note, [kind], [column], [name], [value], [value_stamp] FROM note "
    "WHERE tenant = ? AND about {ids} AND [kind] IN ('tag', 'owner', 'description')"
)
_POSTED = "SELECT DISTINCT document FROM search_posting WHERE tenant = ? AND token = ?"
_POSTED_ANY = "SELECT DISTINCT document FROM search_posting WHERE tenant = ? AND token >= ? AND token < ?"
_WAITING_DATASETS = (
    "SELECT p.dataset FROM search_pending w JOIN shape_dataset p ON p.tenant = w.tenant AND p.shape = w.source "
    "WHERE w.tenant = ? AND p.facets IS NOT NULL"
)
_WAITING_JOBS = (
    "SELECT s.job FROM search_pending w JOIN shape s ON s.tenant = w.tenant AND s.shape = w.source "
    "WHERE w.tenant = ? AND s.facets IS NOT NULL AND s.job IS NOT NULL"
)
_WAITING_EDITS = (
    "SELECT e.about FROM search_pending w JOIN edit e ON e.tenant = w.tenant AND e.edit = w.source "
    "WHERE w.tenant = ? AND e.[kind] IN ('tag', 'owner') AND e.about_type IN ('DATASET', 'JOB')"
)
_WAITING = (_WAITING_DATASETS, _WAITING_JOBS, _WAITING_EDITS)
"""Greatest number of events that search has not indexed yet and that are read here."""
_READ = ("documentation", "ownership", "tags", "datasetType", INFORMATION)


def described_of(
    tenant: int, lookup: Lookup, groups: Mapping[bytes, Collection[bytes]], *, with_notes: bool = True
) -> dict[bytes, Described]:
    """Notes about each of these things, given with all their ids; without notes by hand: from events alone."""
    owner = {member: node for node, members in groups.items() for member in members}
    newest: dict[bytes, dict[str, tuple[bytes, Any]]] = defaultdict(dict)
    for query in (_OF_DATASETS, _OF_JOBS):
        for member, facets, last in lookup.rows(query, tenant, owner):
            annotation = newest[owner[member]]
            for name, value in _facets(bytes(facets)).items():
                known = annotation.get(name)
                if known is None or (last or b"") > known[0]:
                    annotation[name] = last or b"", value
    notes: dict[bytes, list[Note]] = defaultdict(list)
    for _, about, note, kind, column, name, value, stamp in lookup.rows(_NOTES, tenant, owner if with_notes else ()):
        if stamp is not None:
            found = Note(tenant, about, note, kind=kind, column=column, name=name, value=(stamp, value or ""))
            notes[owner[about]].append(found)
    return {
        node: described({name: value for name, (_, value) in newest[node].items()}, notes[node])
        for node in groups.keys() & (newest.keys() | notes.keys())
    }


def tagged(tenant: int, lookup: Lookup, aliases: Aliases, tag: str | None) -> dict[bytes, Described]:
    """Datasets and jobs that carry this tag, or any, or a column of which does; by the ids by which they are shown."""
    wanted = None if tag is None else read_tag(tag)
    candidates = _candidates(tenant, lookup, None if wanted is None else tag_token(wanted), TAG_MARK)
    found = described_of(tenant, lookup, _groups(aliases, candidates))
    if wanted is None:
        return {node: annotation for node, annotation in found.items() if annotation.all_tags}
    return {node: annotation for node, annotation in found.items() if carries(annotation.all_tags, (wanted,))}


def owned_by(tenant: int, lookup: Lookup, aliases: Aliases, name: str | None) -> dict[bytes, Described]:
    """Datasets and jobs that have this owner, or any; by the ids under which they are shown."""
    candidates = _candidates(tenant, lookup, None if name is None else owner_token(name), OWNER_MARK)
    found = described_of(tenant, lookup, _groups(aliases, candidates))
    return {
        node: annotation
        for node, annotation in found.items()
        if (annotation.owners if name is None else name in annotation.owners)
    }


def chosen_by_tag(tenant: int, lookup: Lookup, aliases: Aliases, tag: str) -> Chosen:
    """For lists: all names of things with this tag, or with a column that has it."""
    return _chosen(tenant, lookup, aliases, tag_token(read_tag(tag)), tagged(tenant, lookup, aliases, tag))


def chosen_by_owner(tenant: int, lookup: Lookup, aliases: Aliases, name: str) -> Chosen:
    """For lists: all names of things with this owner."""
    return _chosen(tenant, lookup, aliases, owner_token(name), owned_by(tenant, lookup, aliases, name))


def _chosen(tenant: int, lookup: Lookup, aliases: Aliases, token: str, found: Iterable[bytes]) -> Chosen:
    posted = {row[0] for row in lookup.all(_POSTED, tenant, token)}
    meant = {member for node in found for member in aliases.group(node)}
    return Chosen(token, frozenset(posted - meant), frozenset(meant - posted))


def _candidates(tenant: int, lookup: Lookup, token: str | None, mark: str) -> set[bytes]:
    """Nodes that the search index has under a token, or under a prefix, and those it has not indexed yet."""
    after = chr(ord(mark) + 1)
    rows = lookup.all(_POSTED_ANY, tenant, mark, after) if token is None else lookup.all(_POSTED, tenant, token)
    for query in _WAITING:
        rows += lookup.all(query, tenant)
    return {row[0] for row in rows}


def _groups(aliases: Aliases, nodes: Iterable[bytes]) -> dict[bytes, frozenset[bytes]]:
    nodes = set(nodes)
    aliases.learn(nodes)
    return {shown: aliases.group(shown) for shown in map(aliases.canonical, nodes)}


@lru_cache(maxsize=8192)
def _facets(blob: bytes) -> dict[str, Any]:
    """Descriptive facets, each distinct one once. An empty facet counts: it was deleted."""
    found = msgspec.json.decode(blob)
    return {name: found[name] for name in _READ if name in found}
