"""Search: documents that have all the words, the best first, with exact counts by kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from headwater.graph.facts import Node
from headwater.graph.search.documents import DocumentKind, SearchPosting
from headwater.store.read.lists.keyset import among
from headwater.store.tables import fact_tables

__all__ = ["Hit", "SearchReader", "SearchResult", "SearchTerm"]

_posting, _node = fact_tables[SearchPosting], fact_tables[Node]
_LAST = "\U0010ffff"
_FEW = 50
_WHOLE = 200
"""Weight of a whole word relative to the beginning of one."""


class SearchTerm(NamedTuple):
    """A word, or (prefix) the beginning of one."""

    text: str
    prefix: bool = False


class Hit(NamedTuple):
    document: bytes
    kind: DocumentKind
    score: int


class SearchResult(NamedTuple):
    hits: list[Hit]
    totals: dict[DocumentKind, int]
    """Of every kind, whichever kind was asked for."""


class SearchReader:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def find(
        self,
        tenant: int,
        terms: Sequence[SearchTerm],
        *,
        kinds: Sequence[DocumentKind] = (),
        namespaces: frozenset[bytes] | None = None,
        after: tuple[int, bytes] | None = None,
        limit: int = 20,
        without: frozenset[bytes] = frozenset(),
    ) -> SearchResult:
        """Documents with all these terms, by score and id, but for some."""
        with self._engine.connect() as connection:
            ordered = self._rarest_first(connection, tenant, terms)
            words = self._words_of_prefix(connection, tenant, ordered)
            matching = _matching(tenant, ordered, words, namespaces).subquery()
            counts = sa.select(matching.c.kind, sa.func.count()).group_by(matching.c.kind)
            query = sa.select(matching.c.document, matching.c.kind, matching.c.score)
            if without:
                shown = ~among(connection.dialect.name, matching.c.document, without)
                counts, query = counts.where(shown), query.where(shown)
            if kinds:
                query = query.where(matching.c.kind.in_([int(kind) for kind in kinds]))
            if after is not None:
                score, document = after
                tied = sa.and_(matching.c.score == score, matching.c.document > document)
                query = query.where(sa.or_(matching.c.score < score, tied))
            query = query.order_by(matching.c.score.desc(), matching.c.document).limit(limit)
            totals = {DocumentKind(row[0]): int(row[1]) for row in connection.execute(counts)}
            hits = [Hit(row[0], DocumentKind(row[1]), int(row[2])) for row in connection.execute(query)]
        return SearchResult(hits, totals)

    def _rarest_first(self, connection: sa.Connection, tenant: int, terms: Sequence[SearchTerm]) -> list[SearchTerm]:
        """So that the others are looked up for few documents."""
        if len(terms) == 1:
            return list(terms)
        numbers: list[sa.ColumnElement[int]] = [sa.literal_column(str(position)) for position in range(len(terms))]
        counts = [
            sa.select(numbers[position], sa.func.count()).where(_posting.c.tenant == tenant, *_words(_posting, term))
            for position, term in enumerate(terms)
        ]
        rarity = {row[0]: row[1] for row in connection.execute(sa.union_all(*counts))}
        return [terms[position] for position in sorted(rarity, key=lambda position: (rarity[position], position))]

    def _words_of_prefix(self, connection: sa.Connection, tenant: int, terms: Sequence[SearchTerm]) -> list[str] | None:
        """The words that a prefix stands for, if it does not come first and they are few: those can be looked up."""
        for term in terms[1:]:
            if term.prefix:
                meant = (
                    sa.select(_posting.c.token).distinct().where(_posting.c.tenant == tenant, *_words(_posting, term))
                )
                found = [row[0] for row in connection.execute(meant.limit(_FEW + 1))]
                return found if len(found) <= _FEW else None
        return None


def _matching(
    tenant: int, terms: Sequence[SearchTerm], words: list[str] | None, namespaces: frozenset[bytes] | None
) -> sa.Select[Any]:
    """One row per document that has all terms: a term counts by its best word, a document by the sum of its terms."""
    first = _documents(tenant, terms[0], namespaces).subquery()
    joined: sa.FromClause = first
    score: sa.ColumnElement[Any] = first.c.weight
    begun: sa.ColumnElement[Any] | None = None
    for term in terms[1:]:
        if not term.prefix:
            other = _posting.alias()
            key = (other.c.tenant == tenant, other.c.token == term.text, other.c.document == first.c.document)
            joined, score = joined.join(other, sa.and_(*key)), score + other.c.weight
        elif words is None:
            every = _documents(tenant, term, None).subquery()
            joined, score = joined.join(every, every.c.document == first.c.document), score + every.c.weight
        else:
            each = _posting.alias()
            key = (each.c.tenant == tenant, each.c.token.in_(words), each.c.document == first.c.document)
            begun = sa.select(sa.func.max(_weight(each, term))).where(*key).scalar_subquery()
    columns = (first.c.document, first.c.kind, score.label("score"))
    if begun is None:
        return sa.select(*columns).select_from(joined)
    both = sa.select(*columns, begun.label("begun")).select_from(joined).subquery()
    total = (both.c.score + both.c.begun).label("score")
    return sa.select(both.c.document, both.c.kind, total).where(both.c.begun.is_not(None))


def _documents(tenant: int, term: SearchTerm, namespaces: frozenset[bytes] | None) -> sa.Select[Any]:
    """The documents of one term, each once."""
    query = sa.select(_posting.c.document, _posting.c.kind, _posting.c.weight)
    if term.prefix:
        weight = sa.func.max(_weight(_posting, term)).label("weight")
        best = (sa.func.max(_posting.c.kind).label("kind"), weight)
        query = sa.select(_posting.c.document, *best).group_by(_posting.c.document)
    query = query.where(_posting.c.tenant == tenant, *_words(_posting, term))
    if namespaces is not None:
        placed = sa.select(_node.c.node).where(_node.c.tenant == tenant, _node.c.namespace.in_(namespaces))
        query = query.where(_posting.c.document.in_(placed))
    return query


def _weight(table: sa.FromClause, term: SearchTerm) -> sa.ColumnElement[Any]:
    return sa.case((table.c.token == term.text, table.c.weight + _WHOLE), else_=table.c.weight)


def _words(table: sa.FromClause, term: SearchTerm) -> list[sa.ColumnElement[bool]]:
    if not term.prefix:
        return [table.c.token == term.text]
    return [table.c.token >= term.text, table.c.token < term.text + _LAST]
