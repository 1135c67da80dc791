"""Search across names, columns, descriptions, tags, owners and SQL: ranked, counted by kind, with the places marked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, cast

import msgspec

from headwater.graph.annotations.described import Described, described
from headwater.graph.current.newest_facets import newest_facets
from headwater.graph.facts import Edit, Namespace, SchemaVersion, Shape, ShapeDataset, SqlText
from headwater.graph.search.documents import DocumentKind
from headwater.graph.search.words import terms_of, words_of
from headwater.lineage.answer.cursor import read_cursor, write_cursor
from headwater.lineage.answer.records import Highlight, Reason, SearchAnswer, SearchHit
from headwater.lineage.answer.text_types import HitKind
from headwater.lineage.entities.annotations import described_of
from headwater.lineage.entities.hidden import hidden_namespaces, hidden_nodes
from headwater.lineage.errors import BadQuestion
from headwater.lineage.lists.near_names import near_names
from headwater.lineage.names.keys import location_key
from headwater.store.read.aliases import Aliases
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Name, Reader
from headwater.store.read.search import Hit, SearchReader, SearchResult, SearchTerm
from headwater.store.read.summaries import Summaries

__all__ = ["KINDS", "ShownHits", "search", "without_hidden", "words_for"]

KINDS = {kind.name.lower(): kind for kind in DocumentKind}
_MOST_TERMS = 12
_MOST_MARKED = 5
"""Highlights of one hit and field."""
_AROUND = 60
"""Characters of a long text before and after the words that were found."""
_ORDER = "score"
_CANDIDATE = re.compile(r"[^\W_]+")


def search(
    reader: Reader,
    tenant: int,
    text: str,
    *,
    kinds: Iterable[DocumentKind] = (),
    namespaces: frozenset[bytes] | None = None,
    cursor: str | None = None,
    limit: int = 20,
) -> SearchAnswer:
    """Everything in which all words occur; of the last word the beginning is enough; else similar names."""
    words = words_for(text)
    terms = [SearchTerm(word, prefix=location == len(words) - 1) for location, word in enumerate(words)]
    chosen = list(kinds)
    after = read_cursor(cursor, _ORDER, int)
    without = without_hidden(reader, tenant)
    found = SearchReader(reader.engine).find(
        tenant,
        terms,
        kinds=chosen,
        namespaces=namespaces,
        after=None if after is None else (after[0] or 0, after[1]),
        limit=limit + 1,
        without=without,
    )
    if cursor is None and namespaces is None and not any(found.totals.values()):
        found = _near(reader, tenant, text, words, chosen, without, limit)
    hits = found.hits[:limit]
    last = hits[-1] if len(found.hits) > limit else None
    return SearchAnswer(
        items=ShownHits(reader, tenant, hits, words).hits(),
        total=sum(count for kind, count in found.totals.items() if not chosen or kind in chosen),
        totals={name: found.totals.get(kind, 0) for name, kind in KINDS.items()},
        next=write_cursor(_ORDER, last.score, last.document) if last else None,
        terms=words,
        mode="text",
        notice=None,
    )


def words_for(text: str) -> list[str]:
    """The words of a question, within the limits."""
    words = terms_of(text)
    if not words:
        raise BadQuestion("There is no word to search for.", path="?q", hint="Use letters or digits: ?q=orders.")
    if len(words) > _MOST_TERMS:
        raise BadQuestion(f"{len(words)} words are too many; {_MOST_TERMS} is the most.", path="?q")
    return words


def without_hidden(reader: Reader, tenant: int) -> frozenset[bytes]:
    """Datasets, jobs and locations that are hidden."""
    return hidden_nodes(reader, tenant, aliases=Aliases(reader, tenant)) | hidden_namespaces(reader, tenant).keys()


def _near(
    reader: Reader,
    tenant: int,
    text: str,
    words: list[str],
    kinds: list[DocumentKind],
    without: frozenset[bytes],
    limit: int,
) -> SearchResult:
    """Names similar to the search text, if nothing has its words."""
    near = near_names(reader, tenant, text, words, without, limit)
    hits = [Hit(name.id, DocumentKind[name.kind.name], 0) for name in near]
    hits = [hit for hit in hits if not kinds or hit.kind in kinds]
    return SearchResult(hits, dict(Counter(hit.kind for hit in hits)))


class ShownHits:
    """The documents of one page with their texts, read in a fixed number of questions."""

    def __init__(self, reader: Reader, tenant: int, hits: list[Hit], words: list[str]) -> None:
        self._hits, self._words = hits, words
        ids = {kind: [hit.document for hit in hits if hit.kind is kind] for kind in DocumentKind}
        datasets, summaries = ids[DocumentKind.DATASET], Summaries(reader.engine)
        self._names: dict[bytes, Name] = reader.names(tenant, [*datasets, *ids[DocumentKind.JOB]])
        self._statements = {fact.sql: fact for fact in reader.facts(tenant, SqlText, sql=ids[DocumentKind.SQL])}
        places = reader.facts(tenant, Namespace, namespace=ids[DocumentKind.LOCATION])
        self._locations = {fact.namespace: fact for fact in places}
        self._facets = summaries.dataset_facets(tenant, datasets)
        nodes = [*datasets, *ids[DocumentKind.JOB]]
        aliases = Aliases(reader, tenant)
        aliases.learn(nodes)
        self._described = described_of(tenant, Lookup(reader.engine), {node: (node,) for node in nodes})
        groups = {node: aliases.group(node) for node in nodes if len(aliases.group(node)) > 1}
        for node, members in groups.items():  # one by one, since a page may have two names of one thing
            self._described |= described_of(tenant, Lookup(reader.engine), {node: members})
        self._edits: dict[bytes, list[Edit]] = {}
        for edit in reader.facts(tenant, Edit, about={*nodes, *ids[DocumentKind.LOCATION]}):
            self._edits.setdefault(edit.about or b"", []).append(edit)
        for shape in reader.facts(tenant, Shape, job=ids[DocumentKind.JOB]):
            if shape.job is not None and shape.facets is not None:
                self._facets[shape.job] = (*self._facets.get(shape.job, ()), shape.facets)
        parts = reader.facts(tenant, ShapeDataset, dataset=datasets)
        used = {(part.dataset, part.schema) for part in parts if part.schema}
        schemas = {
            fact.schema: list(_columns(msgspec.json.decode(fact.fields or b"[]")))
            for fact in reader.facts(tenant, SchemaVersion, schema={schema for _, schema in used})
        }
        self._columns: dict[bytes, dict[str, str | None]] = {}
        for dataset, schema in used:
            self._columns.setdefault(dataset, {}).update(schemas.get(schema or b"", ()))

    def hits(self) -> list[SearchHit]:
        return [self._hit(hit) for hit in self._hits]

    def _hit(self, hit: Hit) -> SearchHit:
        kind = hit.kind.name.lower()
        if hit.kind is DocumentKind.SQL:
            text = self._statements[hit.document].text or ""
            marked = self._marked([("sql", text)])
            title = " ".join(text.split())[:200]
            return _search_hit(hit, (f"sql:{hit.document.hex()}",) * 2, None, title, None, marked)
        if hit.kind is DocumentKind.LOCATION:
            location = self._locations[hit.document].text or ""
            ids = f"{kind}:{location}", location_key(location)
            marked = self._marked([("name", location), *_edited(self._edits.get(hit.document, ()))])
            return _search_hit(hit, ids, None, location, None, marked)
        name = self._names[hit.document]
        blobs = self._facets.get(hit.document, ())
        about = self._described.get(hit.document) or Described()
        marked = self._marked([("name", name.name), *self._texts(hit.document, about)])
        if not self._all_found(marked):  # said once, but no more: show it all the same
            older = [
                (field, text) for blob in blobs for field, text in _described_texts(described(newest_facets([blob])))
            ]
            older += _edited(self._edits.get(hit.document, ()))
            marked += [item for item in self._marked(older) if item not in marked]
        return _search_hit(hit, (name.node_id, name.key), name.namespace, name.name, about.description, marked)

    def _texts(self, document: bytes, about: Described) -> Iterator[tuple[str, str]]:
        for column, text in sorted(self._columns.get(document, {}).items()):
            yield "column", column
            if text and column not in about.column_descriptions:
                yield "column_description", text
        yield from _described_texts(about)

    def _all_found(self, marked: list[Highlight]) -> bool:
        texts = [word for item in marked for word in words_of(item.text)]
        return all(any(word.startswith(term) for word in texts) for term in self._words)

    def _marked(self, texts: Iterable[tuple[str, str]]) -> list[Highlight]:
        found: list[Highlight] = []
        counts: dict[str, int] = {}
        for field, text in texts:
            marks = _marks(text, self._words)
            if marks and counts.get(field, 0) < _MOST_MARKED:
                counts[field] = counts.get(field, 0) + 1
                found.append(_cut(field, text, marks))
        return found


def _described_texts(about: Described) -> Iterator[tuple[str, str]]:
    if about.title:
        yield "title", about.title
    if about.description:
        yield "description", about.description
    for text in about.column_descriptions.values():
        yield "column_description", text
    for tag in about.all_tags:
        yield "tag", tag
    for owner in about.owners:
        yield "owner", owner


def _edited(edits: Iterable[Edit]) -> list[tuple[str, str]]:
    """Notes by hand, current and former."""
    return [
        (edit.kind, edit.name or edit.value or "")
        for edit in edits
        if edit.kind in ("tag", "owner", "description") and edit.value
    ]


def _search_hit(
    hit: Hit, ids: tuple[str, str], namespace: str | None, name: str, description: str | None, marked: list[Highlight]
) -> SearchHit:
    return SearchHit(
        kind=cast("HitKind", hit.kind.name.lower()),
        id=ids[0],
        key=ids[1],
        namespace=namespace,
        name=name,
        score=hit.score,
        description=description,
        highlights=marked,
        reasons=[Reason("text", field, None, hit.score) for field in dict.fromkeys(item.field for item in marked)],
    )


def _marks(text: str, words: list[str]) -> list[list[int]]:
    """Where in a text the words are: of a longer word the beginning, or all of it if only a part of it is meant."""
    found = []
    for match in _CANDIDATE.finditer(text):
        parts = words_of(match.group())
        begun = [word for word in words if parts and parts[0].startswith(word)]
        if begun:
            found.append([match.start(), min(match.start() + max(map(len, begun)), match.end())])
        elif any(part.startswith(word) for part in parts for word in words):
            found.append([match.start(), match.end()])
    return found


def _cut(field: str, text: str, marks: list[list[int]]) -> Highlight:
    """A long text is shown around its first mark."""
    start = max(0, marks[0][0] - _AROUND)
    end = min(len(text), max(marks[0][1] + 2 * _AROUND, start + 4 * _AROUND))
    inside = [[low - start, min(high, end) - start] for low, high in marks if low < end]
    return Highlight(field, text[start:end], inside)


def _columns(fields: list[dict[str, Any]]) -> Iterator[tuple[str, str | None]]:
    for field in fields:
        yield field["name"], field.get("description")
        yield from _columns(field.get("fields") or [])
