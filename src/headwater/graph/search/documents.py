"""Search documents: words per node, from facts alone.

A document is a dataset, a job, a statement or a location. Its words come from its name and from all events about it:
columns, descriptions, tags, owners. A posting only ever gains fields and weight, so it merges as facts do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum, IntFlag
from typing import Any, ClassVar

import msgspec

from headwater.graph.annotations.notes import INFORMATION, NO
from headwater.graph.annotations.tags import same_tag, tags_of_facet
from headwater.graph.fact import Fact, Id, declare
from headwater.graph.facts import Edit, Namespace, Node, NodeKind, SchemaVersion, Shape, ShapeDataset, SqlText
from headwater.graph.merge_rules import AnyOf, Flags, Max
from headwater.graph.search.words import LONGEST_WORD, words_of

__all__ = [
    "OWNER_MARK",
    "TAG_MARK",
    "DocumentKind",
    "SearchField",
    "SearchPending",
    "SearchPosting",
    "SearchSource",
    "described",
    "edited",
    "named",
    "owner_token",
    "tag_token",
]

TAG_MARK = "#"
"""Begins the token of a whole tag; no word has it."""
OWNER_MARK = "@"
"""Begins the token of the whole name of an owner."""
_MOST_WORDS = 2000
"""Words of one text that count: a statement of a megabyte is found by its beginning."""


class DocumentKind(IntEnum):
    DATASET = NodeKind.DATASET
    JOB = NodeKind.JOB
    SQL = 3
    LOCATION = 4


class SearchField(IntFlag):
    """Where in a document a word is."""

    NAME = 1
    COLUMN = 2
    DESCRIPTION = 4
    TAG = 8
    OWNER = 16
    SQL = 32


_WEIGHTS = {
    SearchField.NAME: 700,  # of a title; the parts of a name have weights of their own
    SearchField.TAG: 400,
    SearchField.COLUMN: 300,
    SearchField.OWNER: 250,
    SearchField.DESCRIPTION: 200,
    SearchField.SQL: 150,
}


_EDITED = {"DATASET": DocumentKind.DATASET, "JOB": DocumentKind.JOB, "NAMESPACE": DocumentKind.LOCATION}


@declare
class SearchPosting(Fact, frozen=True, gc=False):
    """A word leads to a document."""

    table: ClassVar[str] = "search_posting"
    token: str
    document: Id
    kind: AnyOf[DocumentKind] = None
    fields: Flags[SearchField] = None
    weight: Max[int] = None


@declare
class SearchPending(Fact, frozen=True, gc=False):
    """A node, shape or namespace that may be new to search."""

    table: ClassVar[str] = "search_pending"
    source: Id


@declare
class SearchSource(Fact, frozen=True, gc=False):
    """All words of this node, shape or namespace have their postings."""

    table: ClassVar[str] = "search_source"
    source: Id


def named(fact: Node | Namespace) -> Iterator[SearchPosting]:
    """The postings of a name. The last part of a name weighs more than the rest, a short name more than a long one."""
    if isinstance(fact, Namespace):
        kind, document, name = DocumentKind.LOCATION, fact.namespace, fact.text or ""
    else:
        kind, document, name = DocumentKind(fact.kind or 1), fact.node, fact.name or ""
    words = words_of(name)[:_MOST_WORDS]
    last = words_of(name.rstrip("/").replace("/", ".").rpartition(".")[2])
    shorter = 5 * min(len(words), 40)
    for word in words:
        best = 1000 if last == (word,) else 700 if word in last else 500
        yield SearchPosting(fact.tenant, word, document, kind=kind, fields=SearchField.NAME, weight=best - shorter)


def described(
    shape: Shape,
    parts: Iterable[ShapeDataset],
    schemas: Mapping[bytes, SchemaVersion],
    statements: Mapping[bytes, SqlText],
) -> Iterator[SearchPosting]:
    """Postings of a shape for its job, its datasets and its statement."""
    if shape.job is not None:
        yield from _facets(shape.tenant, DocumentKind.JOB, shape.job, shape.facets)
    statement = statements.get(shape.sql or b"")
    if statement is not None:
        words = _some(statement.text or "")
        yield from _postings(shape.tenant, DocumentKind.SQL, statement.sql, SearchField.SQL, words)
    for part in parts:
        yield from _facets(shape.tenant, DocumentKind.DATASET, part.dataset, part.facets)
        schema = schemas.get(part.schema or b"")
        if schema is not None and schema.fields:
            fields = list(_columns(msgspec.json.decode(schema.fields)))
            for field, texts in (
                (SearchField.COLUMN, [name for name, _ in fields]),
                (SearchField.DESCRIPTION, [text for _, text in fields if text]),
            ):
                found = list(dict.fromkeys(word for text in texts for word in words_of(text)))[:_MOST_WORDS]
                yield from _postings(shape.tenant, DocumentKind.DATASET, part.dataset, field, found)


def edited(edit: Edit) -> Iterator[SearchPosting]:
    """Postings of notes by hand; a former note is found even if it was taken back."""
    kind = _EDITED.get(edit.about_type or "")
    if kind is None or edit.about is None or not edit.value or edit.value == NO:
        return
    if edit.kind == "tag" and edit.name:
        yield from _postings(edit.tenant, kind, edit.about, SearchField.TAG, _of_tag(edit.name))
    elif edit.kind == "owner":
        owner = edit.name or edit.value
        yield from _postings(edit.tenant, kind, edit.about, SearchField.OWNER, _of_owner(owner))
    elif edit.kind == "description":
        yield from _postings(edit.tenant, kind, edit.about, SearchField.DESCRIPTION, _some(edit.value))


def tag_token(tag: str) -> str:
    """The token of a whole tag, `key` or `key=value`, whatever its case."""
    return (TAG_MARK + same_tag(tag))[:LONGEST_WORD]


def owner_token(name: str) -> str:
    """The token of the whole name of an owner."""
    return (OWNER_MARK + name)[:LONGEST_WORD]


def _of_tag(tag: str) -> list[str]:
    return [*_some(tag), *{tag_token(tag), tag_token(tag.partition("=")[0])}]


def _of_owner(name: str) -> list[str]:
    return [*_some(name), owner_token(name)]


def _facets(tenant: int, kind: DocumentKind, document: bytes, blob: bytes | None) -> Iterator[SearchPosting]:
    facets = msgspec.json.decode(blob) if blob else {}
    documentation, ownership = facets.get("documentation"), facets.get("ownership")
    if isinstance(documentation, dict) and isinstance(documentation.get("description"), str):
        words = _some(documentation["description"])
        yield from _postings(tenant, kind, document, SearchField.DESCRIPTION, words)
    information = facets.get(INFORMATION)
    if isinstance(information, dict) and isinstance(information.get("title"), str):
        words = _some(information["title"])
        yield from _postings(tenant, kind, document, SearchField.NAME, words)
    owners = ownership.get("owners") if isinstance(ownership, dict) else None
    for owner in owners if isinstance(owners, list) else ():
        if isinstance(owner, dict) and isinstance(owner.get("name"), str):
            yield from _postings(tenant, kind, document, SearchField.OWNER, _of_owner(owner["name"]))
    for tag in dict.fromkeys(tag for tag, _ in tags_of_facet(facets.get("tags"))):
        yield from _postings(tenant, kind, document, SearchField.TAG, _of_tag(tag))


def _postings(
    tenant: int, kind: DocumentKind, document: bytes, field: SearchField, words: Iterable[str]
) -> Iterator[SearchPosting]:
    for word in words:
        yield SearchPosting(tenant, word, document, kind=kind, fields=field, weight=_WEIGHTS[field])


def _columns(fields: list[dict[str, Any]], depth: int = 0) -> Iterator[tuple[str, str | None]]:
    for field in fields:
        yield field["name"], field.get("description")
        if field.get("fields") and depth < 50:
            yield from _columns(field["fields"], depth + 1)


def _some(text: str) -> tuple[str, ...]:
    return words_of(text[: _MOST_WORDS * 20])[:_MOST_WORDS]
