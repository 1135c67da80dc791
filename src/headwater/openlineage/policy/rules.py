"""A policy in the form in which it is applied: rules by namespace, lists of fields as trees."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from headwater.openlineage.naming import canonical_namespace
from headwater.openlineage.policy.own_pattern import OwnPattern
from headwater.openlineage.policy.record import OVERLAY, FacetLists, FacetPolicy, Fields, NamespaceRule, read_policy
from headwater.openlineage.policy.redact import Redactor

__all__ = ["PolicyNode", "PolicyRule", "Rules", "rules_of"]


class PolicyNode(Struct):
    """A facet or a field of one, and its listed members."""

    is_whole: bool = False
    """All of it is listed, whatever it is."""
    has_value: bool = False
    """A text, number or boolean in its place is listed, or a list of these."""
    members: dict[str, PolicyNode] = {}


class PolicyRule(Struct, frozen=True):
    """Rule for a namespace."""

    name: str
    """Its first namespace, as written."""
    is_allow_list: bool
    refuses: bool
    refuses_personal_data: bool
    facets: dict[str, dict[str, PolicyNode]]
    """By slot and name."""
    redactor: Redactor | None


class Rules:
    """The rules of a tenant, or those that hold without a policy."""

    def __init__(self, policy: FacetPolicy, *, strips: bool = False) -> None:
        own = {name: OwnPattern(pattern) for name, pattern in policy.patterns.items()}
        self._rules = [
            (_wildcards(namespace), _rule(rule, own, strips=strips))
            for rule in (*policy.rules, OVERLAY)
            for namespace in rule.namespaces
        ]
        self.of = lru_cache(4096)(self._of)
        """The rule of a namespace, None where anything is let through."""

    def _of(self, namespace: str) -> PolicyRule | None:
        canonical = canonical_namespace(namespace).lower()
        return next((rule for parts, rule in self._rules if _fits(parts, canonical)), None)


@lru_cache(maxsize=256)
def rules_of(policy: str | None, *, strips: bool = False) -> Rules:
    """The rules of a policy's text; None for a tenant without one. `strips`: none refuses, each removes instead."""
    return Rules(FacetPolicy() if policy is None else read_policy(policy), strips=strips)


def _rule(rule: NamespaceRule, own: dict[str, OwnPattern], *, strips: bool) -> PolicyRule:
    return PolicyRule(
        name=rule.namespaces[0],
        is_allow_list=rule.mode == "allow",
        refuses=rule.action == "refuse" and not strips,
        refuses_personal_data=rule.on_match == "refuse" and not strips,
        facets={
            slot: {name: _tree(fields) for name, fields in getattr(rule.facets, slot).items()}
            for slot in FacetLists.__struct_fields__
        },
        redactor=Redactor(rule.patterns, own) if rule.patterns else None,
    )


def _tree(fields: Fields) -> PolicyNode:
    if isinstance(fields, str):
        return PolicyNode(is_whole=True)
    root = PolicyNode()
    for field in fields:
        node, steps = root, field.split(".")
        for step in steps:
            if step == "**":
                node.is_whole = True
            else:
                node = node.members.setdefault(step, PolicyNode())
        node.has_value = True
    return root


def _wildcards(namespace: str) -> list[str]:
    """The parts between the `*`; one without any is compared as the namespaces of events are."""
    text = namespace.strip()
    return (text if "*" in text else canonical_namespace(text)).lower().split("*")


def _fits(parts: list[str], namespace: str) -> bool:
    """Whether the parts are there in this order, the first at the beginning and the last at the end."""
    if len(parts) == 1:
        return namespace == parts[0]
    if not namespace.startswith(parts[0]):
        return False
    place = len(parts[0])
    for part in parts[1:-1]:
        found = namespace.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return len(namespace) - place >= len(parts[-1]) and namespace.endswith(parts[-1])
