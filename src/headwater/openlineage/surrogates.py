r"""Escapes in JSON that are half of a character: `\ud800` without its other half."""

from __future__ import annotations

import re

__all__ = ["without_lone_surrogates"]

_ESCAPES = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a whole character
    rb"|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|\\.",  # an escaped backslash escapes nothing else
    re.DOTALL,
)


def without_lone_surrogates(body: bytes) -> bytes:
    r"""JSON in which they are replacement characters: Java's clients send halves when they cut a text.

    >>> print(without_lone_surrogates(rb'\ud83d\ude00 \ud83d \\ud83d').decode())
    \ud83d\ude00 \ufffd \\ud83d
    """
    if b"\\ud" not in body and b"\\uD" not in body:
        return body
    return _ESCAPES.sub(_mended, body)


def _mended(found: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if found[1] else found[0]
