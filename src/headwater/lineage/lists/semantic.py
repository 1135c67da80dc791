"""Search by meaning, alone or together with words: one ranking, and why each thing is in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Literal

import msgspec

from headwater.graph.search.documents import DocumentKind
from headwater.lineage.answer.cursor import read_cursor, write_cursor
from headwater.lineage.answer.records import Reason, SearchAnswer, SearchHit
from headwater.lineage.lists.search import KINDS, ShownHits, search, without_hidden, words_for
from headwater.lineage.names.find import parse_node_id
from headwater.models.search.semantic_search import SemanticHit, SemanticSearch
from headwater.models.texts.texts import EMBEDDED
from headwater.openlineage.naming import namespace_id
from headwater.store.assets.graph import StoredNode
from headwater.store.read.reader import Reader
from headwater.store.read.search import Hit
from headwater.store.write.log import Tenant

__all__ = ["search_by_meaning"]

_RANKS = 60
"""Reciprocal rank fusion: the first place counts little more than the second."""
_SCORE = 1_000_000
_MOST = 1_000
"""Nodes and documents that are ranked."""
_SPARE = 4
"""Nodes that are looked at for each hit: columns are shown with their table, and some may be hidden."""
_MOST_REASONS = 5
_ORDER = "rank"
_OF_DATASETS = ("Table", "Column", "Chart", "Dashboard")
_LABELS: dict[str, tuple[str, ...]] = {
    "dataset": _OF_DATASETS,
    "sql": ("SQL",),
    "asset": tuple(label for label in EMBEDDED if label not in (*_OF_DATASETS, "SQL")),
}
_GRAVITINO = "gravitino://"
Key = tuple[str, bytes | str]
"""A kind of hit, and the document or id."""


def search_by_meaning(
    reader: Reader,
    tenant: Tenant,
    semantic: SemanticSearch,
    text: str,
    *,
    mode: Literal["semantic", "hybrid"],
    kinds: Collection[str] = (),
    namespaces: frozenset[bytes] | None = None,
    cursor: str | None = None,
    limit: int = 20,
) -> SearchAnswer:
    """The best hits of both rankings. Raises the error of the model if it does not answer."""
    words = words_for(text)
    after = read_cursor(cursor, _ORDER, int)
    skipped = int(after[0] or 0) if after is not None else 0
    wanted = min(skipped + limit + 1, _MOST)
    labels = [label for kind in kinds for label in _LABELS.get(kind, ())]
    near: list[SemanticHit] = []
    if not kinds or labels:
        near = semantic.nearest(tenant, text, min(wanted * _SPARE + 50, 4 * _MOST), labels)
    reasons = _Reasons(reader, tenant.id, near, namespaces)
    documents: list[SearchHit] = []
    if mode == "hybrid":
        chosen = [KINDS[kind] for kind in kinds if kind in KINDS]
        if chosen or not kinds:
            found = search(reader, tenant.id, text, kinds=chosen, namespaces=namespaces, limit=wanted)
            documents = found.items
    ranks: Counter[Key] = Counter()
    by_text = {_key_of(hit): hit for hit in documents}
    for ranking in (list(reasons.by_key), list(by_text)):
        for place, key in enumerate(ranking):
            ranks[key] += round(_SCORE / (_RANKS + place + 1))
    order = sorted(ranks, key=lambda key: (-ranks[key], str(key)))
    page = order[skipped : skipped + limit]
    hits = [_with_score(reasons.hit(key, by_text.get(key)), ranks[key]) for key in reasons.loaded(page, words)]
    told = semantic.summaries(tenant.id, [hit.id for hit in hits if hit.kind == "sql"])
    following = skipped + limit
    return SearchAnswer(
        items=[msgspec.structs.replace(hit, description=told[hit.id]) if hit.id in told else hit for hit in hits],
        total=len(order),
        totals={name: sum(key[0] == name for key in order) for name in (*KINDS, "asset")},
        next=write_cursor(_ORDER, following, b"") if following < min(len(order), _MOST) else None,
        terms=words,
        mode=mode,
        notice=None,
    )


class _Reasons:
    """Hits by meaning, under the hit that shows them: columns are shown with their table."""

    def __init__(
        self, reader: Reader, tenant: int, near: list[SemanticHit], namespaces: frozenset[bytes] | None
    ) -> None:
        self._reader, self._tenant = reader, tenant
        self._shown: dict[Key, SearchHit] = {}
        self.by_key: dict[Key, list[Reason]] = {}
        self._assets: dict[str, StoredNode] = {}
        datasets = self._datasets([found.node for found in near])
        without = without_hidden(reader, tenant) if near else frozenset()
        for found in near:
            key = self._key(found.node, datasets, without, namespaces)
            if key is not None:
                reasons = self.by_key.setdefault(key, [])
                if len(reasons) < _MOST_REASONS:
                    reasons.append(_reason(found))

    def _datasets(self, nodes: list[StoredNode]) -> dict[str, bytes]:
        """The dataset of each table that is one, by the id of the table."""
        ids: dict[bytes, str] = {}
        for table in {_table_of(node) for node in nodes if node.label in _OF_DATASETS}:
            for text in _spellings(table, self._tenant):
                ids |= dict.fromkeys(parse_node_id(f"dataset:{text}"), table)
        names = self._reader.names(self._tenant, ids)
        self._namespaces = {node: namespace_id(name.namespace) for node, name in names.items()}
        return {ids[node]: node for node in names}

    def _key(
        self,
        node: StoredNode,
        datasets: dict[str, bytes],
        without: frozenset[bytes],
        namespaces: frozenset[bytes] | None,
    ) -> Key | None:
        if node.label == "SQL":
            return ("sql", bytes.fromhex(node.id.removeprefix("sql:"))) if namespaces is None else None
        dataset = datasets.get(_table_of(node)) if node.label in _OF_DATASETS else None
        if dataset is None:
            self._assets[node.id] = node
            return ("asset", node.id) if namespaces is None else None
        place = self._namespaces[dataset]
        if dataset in without or place in without or (namespaces is not None and place not in namespaces):
            return None
        return "dataset", dataset

    def loaded(self, page: list[Key], words: list[str]) -> list[Key]:
        """Those of these keys that can be shown; reads their names at once."""
        hits = [
            Hit(document, DocumentKind[kind.upper()], 0)
            for kind, document in page
            if isinstance(document, bytes) and (kind, document) in self.by_key
        ]
        for hit, shown in zip(hits, ShownHits(self._reader, self._tenant, hits, words).hits(), strict=True):
            self._shown[hit.kind.name.lower(), hit.document] = shown
        return page

    def hit(self, key: Key, by_text: SearchHit | None) -> SearchHit:
        reasons = self.by_key.get(key, [])
        if by_text is not None:
            return msgspec.structs.replace(by_text, reasons=[*by_text.reasons, *reasons])
        if key in self._shown:
            return msgspec.structs.replace(self._shown[key], reasons=reasons)
        node = self._assets[str(key[1])]
        name = str(node.properties.get("name") or node.properties.get("code") or node.id)
        description = node.properties.get("description")
        return SearchHit(
            kind="asset",
            id=node.id,
            key=node.id,
            namespace=None,
            name=name,
            score=0,
            description=str(description) if description else None,
            highlights=[],
            reasons=reasons,
        )


def _reason(found: SemanticHit) -> Reason:
    node = found.node
    if node.label == "SQL":
        return Reason("meaning", "summary", None, round(found.score, 4))
    name = str(node.properties.get("name") or "") if node.label == "Column" else None
    return Reason("meaning", node.label.lower(), name, round(found.score, 4))


def _table_of(node: StoredNode) -> str:
    return node.id if node.label != "Column" else node.id.rpartition("#")[0]


def _spellings(table: str, tenant: int) -> list[str]:
    """A table's id is that of its dataset; Gravitino also names it with the tenant."""
    if not table.startswith(_GRAVITINO):
        return [table]
    return [table, f"{_GRAVITINO}tenant/{tenant}/{table.removeprefix(_GRAVITINO)}"]


def _key_of(hit: SearchHit) -> Key:
    if hit.kind == "sql":
        return "sql", bytes.fromhex(hit.id.removeprefix("sql:"))
    return hit.kind, bytes.fromhex(hit.key.rpartition("@")[2])


def _with_score(hit: SearchHit, score: int) -> SearchHit:
    return msgspec.structs.replace(hit, score=score)
