"""RFC 8785, with the numbers of its appendix B, and the hash of a bundle."""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.emit.canonical import bundle_hash, canonical

NUMBERS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
}


@pytest.mark.parametrize(("bits", "text"), NUMBERS.items())
def test_numbers(bits: str, text: str) -> None:
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical(value).decode() == text


def test_the_order_of_names_is_that_of_utf_16() -> None:
    names = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    ordered = list(json.loads(canonical(dict.fromkeys(names))))
    assert ordered == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


def test_strings_are_escaped_as_little_as_possible() -> None:
    assert canonical('\u20ac$\x0f\nA\'B"\\\\"/\x7f').decode() == '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\x7f"'


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), "\ud800", 10**400])
def test_what_has_no_canonical_form(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"half|finite|large"):
        canonical([wrong])


@given(st.recursive(st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
       | st.text(st.characters(exclude_categories=["Cs"])), lambda inner: st.lists(inner) | st.dictionaries(st.text(
           st.characters(exclude_categories=["Cs"])), inner)))  # fmt: skip
def test_it_says_the_same_and_is_stable(value: object) -> None:
    text = canonical(value)
    assert json.loads(text, parse_int=float) == value
    assert canonical(json.loads(text)) == text


def test_the_hash_leaves_out_what_changes() -> None:
    bundle = {"versionId": "v", "parents": [], "confs": 1}
    assert bundle_hash(bundle, ["confs"]) == bundle_hash({"parents": [], "confs": 2, "versionId": "v"}, ["confs"])
    assert bundle_hash(bundle, ["confs"]) != bundle_hash({**bundle, "parents": ["p"]}, ["confs"])
