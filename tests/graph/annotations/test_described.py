"""How a tag reads, and what counts of what events and people say."""

from __future__ import annotations

from itertools import permutations

import pytest

from headwater.graph.annotations.described import described
from headwater.graph.annotations.notes import NO, TAKEN_BACK, YES, note_id
from headwater.graph.annotations.tags import carries, read_tag, tags_of_facet
from headwater.graph.facts import Note
from headwater.openlineage.identity import stamp


def note(second: int, kind: str, value: str, name: str = "", column: str = "", about: bytes = b"a") -> Note:
    said = (stamp(second, bytes(16)), value)
    return Note(1, about, note_id(kind, column, name), kind=kind, column=column or None, name=name or None, value=said)


@pytest.mark.parametrize(
    ("sent", "reads"),
    [
        ({"key": "pii"}, "pii"),
        ({"key": "pii", "value": "true", "source": "dbt"}, "pii"),
        ({"key": "pii", "value": "True"}, "pii"),
        ({"key": "pii", "value": True}, "pii"),
        ({"key": "pii", "value": ""}, "pii"),
        ({"key": "pii", "value": False}, "pii=false"),
        ({"key": " retention ", "value": "30d"}, "retention=30d"),
        ({"key": "level", "value": 3}, "level=3"),
        ({"key": "odd", "value": {"a": 1}}, "odd"),
    ],
)
def test_how_a_tag_of_an_event_reads(sent: dict, reads: str) -> None:
    assert list(tags_of_facet({"tags": [sent, {**sent, "field": "c"}]})) == [(reads, ""), (reads, "c")]
    assert read_tag(reads.upper()).casefold() == reads, "typed, it reads the same"


@pytest.mark.parametrize("facet", [None, [], {"tags": None}, {"tags": [1, {}, {"key": 5}, {"key": " "}]}])
def test_what_is_no_tag(facet: object) -> None:
    assert list(tags_of_facet(facet)) == []


@pytest.mark.parametrize(
    ("known", "asked", "found"),
    [
        ("PII", "pii", True),
        ("pii", "pii=true", True),
        ("pii=email", "pii", True),
        ("pii=email", "PII=Email", True),
        ("pii=email", "pii=name", False),
        ("pii", "pii=email", False),
        ("pii=false", "pii", False),
        ("pii=false", "pii=false", True),
        ("piix", "pii", False),
    ],
)
def test_what_is_found_by_a_tag(known: str, asked: str, found: bool) -> None:
    assert carries([known], [asked]) is found


FACETS = {
    "tags": {"tags": [{"key": "pii"}, {"key": "mail", "field": "email"}]},
    "documentation": {"description": "by an event"},
    "ownership": {"owners": [{"name": "bob"}]},
}


def test_people_go_before_events() -> None:
    said = described(
        FACETS,
        [
            note(1, "tag", NO, "PII"),
            note(1, "tag", YES, "gold"),
            note(1, "tag", YES, "pii", "email"),
            note(1, "description", "by hand"),
            note(1, "description", "an address", column="email"),
            note(1, "owner", NO, "bob"),
            note(1, "owner", YES, "alice"),
        ],
    )
    assert (said.tags, said.column_tags) == (["gold"], {"email": ["mail", "pii"]})
    assert (said.description, said.column_descriptions) == ("by hand", {"email": "an address"})
    assert said.owners == ["alice"]


def test_what_is_taken_back_leaves_what_events_say() -> None:
    kinds = [("tag", "pii", ""), ("tag", "mail", "email"), ("owner", "bob", ""), ("description", "", "")]
    said = described(FACETS, [note(1, kind, TAKEN_BACK, name, column) for kind, name, column in kinds])
    assert said == described(FACETS)


def test_of_several_names_and_spellings_the_newest_counts() -> None:
    notes = [
        note(1, "tag", YES, "pii"),
        note(3, "tag", TAKEN_BACK, "PII", about=b"b"),
        note(2, "tag", NO, "Pii", about=b"c"),
    ]
    for order in permutations(notes):
        assert described({}, order).tags == []
        assert described({}, [*order, note(4, "tag", YES, "PII", about=b"c")]).tags == ["PII"]
