"""Search: documents that have all the words, the best first, with exact counts by kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from headwater.graph.facts import Node
from headwater.graph.search import DocumentKind, SearchPosting
from headwater.store.tables import fact_tables

__all__ = ["Found", "Hit", "SearchReader", "Term"]

_posting, _node = fact_tables[SearchPosting], fact_tables[Node]
_LAST = "\U0010ffff"
_WHOLE = 200
"""What a whole word weighs more than the beginning of one."""


class Term(NamedTuple):
    """A word, or (prefix) the beginning of one."""

    text: str
    prefix: bool = False


class Hit(NamedTuple):
    document: bytes
    kind: DocumentKind
    score: int


class Found(NamedTuple):
    hits: list[Hit]
    totals: dict[DocumentKind, int]
    """Of every kind, whichever kind was asked for."""


class SearchReader:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def find(
        self,
        tenant: int,
        terms: Sequence[Term],
        *,
        kinds: Sequence[DocumentKind] = (),
        namespaces: frozenset[bytes] | None = None,
        after: tuple[int, bytes] | None = None,
        limit: int = 20,
    ) -> Found:
        """Documents with all these terms, by score and id."""
        matching = _matching(tenant, terms, namespaces).subquery()
        counts = sa.select(matching.c.kind, sa.func.count()).group_by(matching.c.kind)
        query = sa.select(matching.c.document, matching.c.kind, matching.c.score)
        if kinds:
            query = query.where(matching.c.kind.in_([int(kind) for kind in kinds]))
        if after is not None:
            score, document = after
            tied = sa.and_(matching.c.score == score, matching.c.document > document)
            query = query.where(sa.or_(matching.c.score < score, tied))
        query = query.order_by(matching.c.score.desc(), matching.c.document).limit(limit)
        with self._engine.connect() as connection:
            totals = {DocumentKind(row[0]): int(row[1]) for row in connection.execute(counts)}
            hits = [Hit(row[0], DocumentKind(row[1]), int(row[2])) for row in connection.execute(query)]
        return Found(hits, totals)


def _matching(tenant: int, terms: Sequence[Term], namespaces: frozenset[bytes] | None) -> sa.Select[Any]:
    """One row per document that has all terms: a term counts by its best word, a document by the sum of its terms."""
    each = []
    for place, term in enumerate(terms):
        number: sa.ColumnElement[int] = sa.literal_column(str(place))
        whole = sa.case((_posting.c.token == term.text, _posting.c.weight + _WHOLE), else_=_posting.c.weight)
        weight = (whole if term.prefix else _posting.c.weight).label("weight")
        query = sa.select(_posting.c.document, _posting.c.kind, number.label("term"), weight)
        query = query.where(_posting.c.tenant == tenant, *_words(term))
        if namespaces is not None:
            placed = sa.select(_node.c.node).where(_node.c.tenant == tenant, _node.c.namespace.in_(namespaces))
            query = query.where(_posting.c.document.in_(placed))
        each.append(query)
    postings = sa.union_all(*each).subquery()
    best = (
        sa.select(
            postings.c.document,
            sa.func.max(postings.c.kind).label("kind"),
            sa.func.max(postings.c.weight).label("weight"),
        )
        .group_by(postings.c.document, postings.c.term)
        .subquery()
    )
    columns = (
        best.c.document,
        sa.func.max(best.c.kind).label("kind"),
        sa.func.sum(best.c.weight).label("score"),
    )
    return sa.select(*columns).group_by(best.c.document).having(sa.func.count() == len(terms))


def _words(term: Term) -> list[sa.ColumnElement[bool]]:
    if not term.prefix:
        return [_posting.c.token == term.text]
    return [_posting.c.token >= term.text, _posting.c.token < term.text + _LAST]
