from __future__ import annotations

import json

import pytest

from headwater.demo.template import Template, number_slot, text_slot


def test_slots_are_filled_wherever_they_stand() -> None:
    template = Template(
        {
            "a": f"x{text_slot('name')}y",
            "b": [number_slot("count"), number_slot("count")],
            "c": {"d": text_slot("name")},
        }
    )
    filled = json.loads(template.fill({"name": b"n", "count": b"12"}))
    assert filled == {"a": "xny", "b": [12, 12], "c": {"d": "n"}}
    assert json.loads(template.fill({"name": b"m", "count": b"-1"}))["b"] == [-1, -1]


def test_a_slot_without_a_value_is_an_error() -> None:
    with pytest.raises(KeyError, match="name"):
        Template({"a": text_slot("name")}).fill({})
