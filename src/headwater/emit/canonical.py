r"""JSON in the canonical form of RFC 8785, and the hash of a bundle in that form.

>>> canonical({"b": [1.0, "\u20ac"], "a": 1e21})
b'{"a":1e+21,"b":[1,"\xe2\x82\xac"]}'
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any

__all__ = ["bundle_hash", "canonical"]

_LARGEST = 1 << 53


def canonical(value: Any) -> bytes:
    """The canonical text of a JSON value. Raises ValueError for values outside RFC 7493."""
    return "".join(_parts(value)).encode()


def bundle_hash(bundle: Mapping[str, Any], volatile: Collection[str]) -> str:
    """SHA-256 (hexadecimal) of a bundle without the members that change while its content stays the same."""
    kept = {name: value for name, value in bundle.items() if name not in volatile}
    return hashlib.sha256(canonical(kept)).hexdigest()


def _parts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield "{"
        for index, name in enumerate(sorted(value, key=_order)):
            yield f"{',' if index else ''}{_text(name)}:"
            yield from _parts(value[name])
        yield "}"
    elif isinstance(value, list):
        yield "["
        for index, item in enumerate(value):
            if index:
                yield ","
            yield from _parts(item)
        yield "]"
    elif isinstance(value, str):
        yield _text(value)
    elif isinstance(value, bool) or value is None:
        yield json.dumps(value)
    else:
        yield _number(value)


def _order(name: str) -> bytes:
    """Names are ordered by their UTF-16 code units."""
    return name.encode("utf-16-be", "surrogatepass")


def _text(value: str) -> str:
    if not value.isascii() and any(0xD800 <= ord(letter) < 0xE000 for letter in value):
        raise ValueError("half of a surrogate pair")
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    """A number as ECMAScript writes it; whole numbers beyond 2^53 are the double that is nearest."""
    if isinstance(value, int):
        if -_LARGEST <= value <= _LARGEST:
            return str(value)
        try:
            value = float(value)
        except OverflowError:
            raise ValueError("a number that is too large") from None
    if not math.isfinite(value):
        raise ValueError("a number that is not finite")
    if value == 0:
        return "0"
    sign, digits, exponent = "-" if value < 0 else "", *_digits(abs(value))
    count = len(digits)
    if count <= exponent <= 21:
        return sign + digits + "0" * (exponent - count)
    if 0 < exponent <= 21:
        return f"{sign}{digits[:exponent]}.{digits[exponent:]}"
    if -6 < exponent <= 0:
        return f"{sign}0.{'0' * -exponent}{digits}"
    power = exponent - 1
    mantissa = digits if count == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{sign}{mantissa}e{'+' if power > 0 else '-'}{abs(power)}"


def _digits(value: float) -> tuple[str, int]:
    """The shortest digits d and the exponent n with value = 0.d * 10^n."""
    mantissa, _, power = repr(value).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    exponent = len(whole) + int(power or 0)
    stripped = digits.lstrip("0")
    exponent -= len(digits) - len(stripped)
    return stripped.rstrip("0"), exponent
