"""Personal data in JSON text: every string and number in it is looked at, and replaced where it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from headwater.openlineage.policy.own_pattern import OwnPattern
from headwater.openlineage.policy.personal_data import BUILT_IN, Finder

__all__ = ["Redaction", "Redactor", "marker"]

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|-?\d[\d.eE+-]*+', re.DOTALL)
_MAY_HOLD_EMAIL = (b"@", b"%40", b"\\u")
_DIGITS = re.compile(rb"\d(?:[ ./()A-Za-z-]{0,3}\d){6}|\\u00")


class Redaction(NamedTuple):
    """JSON text with findings replaced, and the number of each kind."""

    raw: bytes
    found: dict[str, int]


def marker(kind: str) -> str:
    """Replacement for personal data."""
    return f"[redacted:{kind}]"


class Redactor:
    """Looks for some kinds of personal data."""

    def __init__(self, kinds: Iterable[str], own: dict[str, OwnPattern]) -> None:
        wanted = list(kinds)
        self._built_in: list[tuple[str, Finder]] = [(kind, find) for kind, find in BUILT_IN.items() if kind in wanted]
        self._own = [(kind, own[kind]) for kind in wanted if kind in own]
        self._has_email = "email" in wanted
        self._has_numbers = any(kind in wanted for kind in ("iban", "card", "phone"))

    def redact(self, raw: bytes) -> Redaction:
        """Replace findings in a JSON text. All other bytes stay."""
        if not self._may_find(raw):
            return Redaction(raw, {})
        found: dict[str, int] = {}

        def replaced(token: re.Match[bytes]) -> bytes:
            given = token[0]
            try:
                text = json.loads(given) if given[:1] == b'"' else given.decode("ascii")
            except ValueError:  # an escape that is none: nobody can read it, and nobody need keep it
                found["unreadable"] = found.get("unreadable", 0) + 1
                return json.dumps(marker("unreadable")).encode()
            clean = self.redact_text(text, found)
            return given if clean == text else json.dumps(clean).encode()

        clean = _TOKEN.sub(replaced, raw)
        return Redaction(clean, found)

    def redact_text(self, text: str, found: dict[str, int]) -> str:
        """Replace findings in a text; adds to `found`."""
        for kind, find in self._built_in:
            text = _replace(text, kind, list(find(text)), found)
        for kind, pattern in self._own:
            text = _replace(text, kind, pattern.spans(text), found)
        return text

    def _may_find(self, raw: bytes) -> bool:
        if self._own:
            return True
        if self._has_email and any(sign in raw for sign in _MAY_HOLD_EMAIL):
            return True
        return self._has_numbers and _DIGITS.search(raw) is not None


def _replace(text: str, kind: str, spans: Sequence[tuple[int, int]], found: dict[str, int]) -> str:
    if not spans:
        return text
    found[kind] = found.get(kind, 0) + len(spans)
    parts, end = [], 0
    for start, stop in spans:
        parts += [text[end:start], marker(kind)]
        end = stop
    return "".join([*parts, text[end:]])
