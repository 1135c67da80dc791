"""Facets under a rule: listed ones are kept, or removed; personal data in kept ones is replaced."""

from __future__ import annotations

import re

import msgspec
from msgspec import Raw, Struct

from headwater.openlineage.policy.errors import FacetRefused, PersonalDataRefused
from headwater.openlineage.policy.rules import PolicyNode, PolicyRule

__all__ = ["Findings", "filter_facets", "is_value", "items_of", "members_of", "redacted"]

_MOST_PLACES = 100
_DEEPEST_LISTS = 8
"""Depth of lists around a listed field; deeper values are removed."""
_URL = re.compile(r"[^\s\x00-\x1f\x7f]{0,2048}")
_SHOWN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
_object = msgspec.json.Decoder(dict[str, Raw])
_array = msgspec.json.Decoder(list[Raw])
_text = msgspec.json.Decoder(str)
Members = dict[str, Raw]


class Findings(Struct):
    """Parts that a policy removed from an event, and values that it replaced."""

    removed: int = 0
    redacted: dict[str, int] = {}
    by_place: dict[str, int] = {}
    """Removed and replaced parts by the place of their facets, such as `$.run.facets`."""
    places: list[tuple[str, str]] = []
    """The first of them, with their own place."""

    def remove(self, rule: PolicyRule, slot: str, path: str) -> None:
        """Note a part that is not let through; raises where the rule refuses such events."""
        if rule.refuses:
            raise FacetRefused(
                f"The facet policy of the tenant does not let this through (rule for {rule.name!r}).",
                path=path,
                hint="Leave it out, or have an administrator change the policy: headwater policy show.",
            )
        self.removed += 1
        self._note(slot, path, "removed")

    def redact(self, rule: PolicyRule, slot: str, path: str, found: dict[str, int]) -> None:
        """Note replaced values; raises where the rule refuses events with such values."""
        kinds = ", ".join(sorted(found))
        if rule.refuses_personal_data:
            raise PersonalDataRefused(
                f"The facet has values that look like personal data: {kinds} (rule for {rule.name!r}).",
                path=path,
                hint="Send it without them, or have an administrator change the policy: headwater policy show.",
            )
        for kind, count in found.items():
            self.redacted[kind] = self.redacted.get(kind, 0) + count
        self._note(slot, path, f"redacted: {kinds}")

    def _note(self, slot: str, path: str, outcome: str) -> None:
        self.by_place[slot] = self.by_place.get(slot, 0) + 1
        if len(self.places) < _MOST_PLACES:
            self.places.append((path, outcome))


def members_of(raw: bytes) -> Members | None:
    """The members of a JSON object, None for anything else, also for one that cannot be read."""
    try:
        return _object.decode(raw) if raw[:1] == b"{" else None
    except msgspec.DecodeError:
        return None


def items_of(raw: bytes) -> list[Raw]:
    """The items of a JSON array, none for anything else, also for one that cannot be read."""
    try:
        return _array.decode(raw) if raw[:1] == b"[" else []
    except msgspec.DecodeError:
        return []


def is_value(raw: bytes) -> bool:
    """Whether this is a text, number, boolean or null."""
    return raw[:1] not in (b"{", b"[")


def filter_facets(rule: PolicyRule, slot: str, raw: Raw, path: str, findings: Findings) -> Members:
    """The facets of one place that are let through."""
    facets, kept = members_of(bytes(raw)), {}
    if facets is None:
        if bytes(raw) != b"null":
            findings.remove(rule, path, path)
        return {}
    listed = rule.facets[slot]
    for name, facet in facets.items():
        place = f"{path}.{_shown(name)}"
        node = listed.get(name)
        if rule.is_allow_list:
            left = _let_in(rule, node, facet, path, place, findings) if node is not None else None
        else:
            left = _let_out(rule, node, facet, path, place, findings) if node is not None else facet
        if left is None:
            findings.remove(rule, path, place)
            continue
        given = redacted(rule, left, path, place, findings)
        key = redacted(rule, Raw(msgspec.json.encode(name)), path, path, findings)
        kept[_text.decode(key)] = given
    return kept


def redacted(rule: PolicyRule, raw: Raw, slot: str, path: str, findings: Findings) -> Raw:
    """A value in which personal data is replaced, if the rule looks for any."""
    if rule.redactor is None:
        return raw
    clean, found = rule.redactor.redact(bytes(raw))
    if not found:
        return raw
    findings.redact(rule, slot, path, found)
    return Raw(clean)


def _let_in(rule: PolicyRule, node: PolicyNode, raw: Raw, slot: str, path: str, findings: Findings) -> Raw | None:
    """The listed members of a facet or of an object in one; None if there is none. Common members always stay."""
    if node.is_whole:
        return raw
    members = members_of(bytes(raw))
    if members is None:
        return raw if bytes(raw) == b"null" else None
    kept: Members = {}
    for name, value in members.items():
        place, child = f"{path}.{_shown(name)}", node.members.get(name)
        left = _of_frame(name, value) if child is None else _field(rule, child, value, slot, place, findings)
        if left is None:
            findings.remove(rule, slot, place)
        else:
            kept[name] = left
    return Raw(msgspec.json.encode(kept))


def _field(rule: PolicyRule, node: PolicyNode, raw: Raw, slot: str, path: str, findings: Findings) -> Raw | None:
    """The listed members of a field: a value, an object, or a list of these."""
    given = bytes(raw)
    if node.is_whole or given == b"null":
        return raw
    if given[:1] != b"[":
        return _item(rule, node, raw, slot, path, findings)
    kept = []
    for item in items_of(given):
        left = _item(rule, node, item, slot, f"{path}[]", findings)
        if left is None:
            findings.remove(rule, slot, f"{path}[]")
        else:
            kept.append(left)
    return Raw(msgspec.json.encode(kept))


def _item(rule: PolicyRule, node: PolicyNode, raw: Raw, slot: str, path: str, findings: Findings) -> Raw | None:
    if is_value(bytes(raw)):
        return raw if node.has_value else None
    if not node.members or bytes(raw)[:1] == b"[":
        return None
    return _let_in(rule, node, raw, slot, path, findings)


def _of_frame(name: str, value: Raw) -> Raw | None:
    """Members of every facet: the addresses of its producer and schema, and whether it is deleted."""
    given = bytes(value)
    if name in ("_producer", "_schemaURL"):
        return value if given[:1] == b'"' and _is_url(given) else None
    if name == "_deleted":
        return value if given in (b"true", b"false") else None
    return None


def _is_url(given: bytes) -> bool:
    try:
        return _URL.fullmatch(_text.decode(given)) is not None
    except msgspec.DecodeError:
        return False


def _let_out(
    rule: PolicyRule, node: PolicyNode, raw: Raw, slot: str, path: str, findings: Findings, depth: int = 0
) -> Raw | None:
    """A facet, or an object in one, without its listed members; None if nothing is left."""
    if node.is_whole or node.has_value or depth > _DEEPEST_LISTS:
        return None
    given = bytes(raw)
    if given[:1] == b"[":
        items = [_let_out(rule, node, item, slot, f"{path}[]", findings, depth + 1) for item in items_of(given)]
        return Raw(msgspec.json.encode([item for item in items if item is not None]))
    members = members_of(given)
    if members is None:
        return raw if is_value(given) else None
    kept: Members = {}
    for name, value in members.items():
        child, place = node.members.get(name), f"{path}.{_shown(name)}"
        left = value if child is None else _let_out(rule, child, value, slot, place, findings)
        if left is None:
            findings.remove(rule, slot, place)
        else:
            kept[name] = left
    return Raw(msgspec.json.encode(kept))


def _shown(name: str) -> str:
    """A name for messages and logs: only one that looks like a name."""
    return name if _SHOWN.fullmatch(name) else "?"
