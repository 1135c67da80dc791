"""The record of a facet policy, as an administrator writes it in JSON, and the checks of it."""

from __future__ import annotations

import re
from typing import Literal

import msgspec
from msgspec import Struct

from headwater.openlineage.policy.errors import WrongPolicy
from headwater.openlineage.policy.own_pattern import OwnPattern, WrongPattern
from headwater.openlineage.policy.personal_data import BUILT_IN

__all__ = ["OVERLAY", "OVERLAY_NAMESPACES", "FacetLists", "FacetPolicy", "NamespaceRule", "read_policy"]

_MOST_BYTES = 64 << 10
_MOST_RULES, _MOST_NAMESPACES, _MOST_PATTERNS, _MOST_FIELDS, _MOST_DEPTH = 100, 100, 16, 200, 8
_LONGEST_PATTERN = 256
_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
Fields = str | list[str]
"""`*` for the whole facet, or the fields of it."""


class FacetLists(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Facets by the place where they stand."""

    run: dict[str, Fields] = {}
    job: dict[str, Fields] = {}
    dataset: dict[str, Fields] = {}
    input: dict[str, Fields] = {}
    output: dict[str, Fields] = {}


class NamespaceRule(Struct, forbid_unknown_fields=True, kw_only=True):
    """Rule for some namespaces. The first rule that names a namespace applies."""

    namespaces: list[str]
    """Exactly so, or with `*` for any text."""
    mode: Literal["allow", "deny"] = "allow"
    """Whether `facets` lists the allowed ones or the denied ones."""
    facets: FacetLists = msgspec.field(default_factory=FacetLists)
    action: Literal["strip", "refuse"] = "strip"
    """Effect on an event with other facets: they are removed, or the event is refused."""
    patterns: list[str] = []
    """Kinds of personal data that are looked for in the values of facets."""
    on_match: Literal["redact", "refuse"] = "redact"


class FacetPolicy(Struct, forbid_unknown_fields=True, kw_only=True):
    """The policy of a tenant."""

    rules: list[NamespaceRule] = []
    patterns: dict[str, str] = {}
    """Patterns of the tenant's own, by name."""


OVERLAY_NAMESPACES = "overlay:*"
OVERLAY = NamespaceRule(
    namespaces=[OVERLAY_NAMESPACES],
    facets=FacetLists(
        run={
            "nominalTime": ["nominalStartTime"],
            "gitdataSpv": ["confs", "bundleUrl", "bundleHash", "readyDecision", "readyReasons"],
            "lifecycleStateChange": ["lifecycleState"],
            "reorgFacet": ["unstable", "reason"],
            "externalQuery": ["externalQueryId", "source"],
        },
        dataset={
            "datasetVersion": ["contentHash", "createdAt", "type"],
            "dataSource": ["name", "uri"],
            "gitdataProvenance": ["producerIdentityKey", "parentsCount", "lineageDepth"],
        },
    ),
)
"""Holds for overlays wherever a tenant has no rule of its own for them."""


def read_policy(text: str | bytes) -> FacetPolicy:
    """The policy in a text; raises `WrongPolicy` with the error and its place."""
    if len(text) > _MOST_BYTES:
        raise WrongPolicy(f"A policy has at most {_MOST_BYTES >> 10} KiB; this one has {len(text) >> 10}.")
    try:
        policy = msgspec.json.decode(text, type=FacetPolicy)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        problem, _, place = str(error).partition(" - at `")
        raise WrongPolicy(
            f"The policy cannot be read: {problem or type(error).__name__}.",
            path=place.rstrip("`") or "$",
            hint="It is JSON with `rules` and `patterns`; docs/policy.md has examples.",
        ) from None
    _at_most(len(policy.rules), _MOST_RULES, "rules", "$.rules")
    _at_most(len(policy.patterns), _MOST_PATTERNS, "patterns", "$.patterns")
    for name, pattern in policy.patterns.items():
        _check_pattern(name, pattern)
    for index, rule in enumerate(policy.rules):
        _check_rule(rule, f"$.rules[{index}]", policy)
    return policy


def _check_pattern(name: str, pattern: str) -> None:
    path = f"$.patterns.{name}"
    if not _NAME.fullmatch(name) or name in BUILT_IN:
        raise WrongPolicy(
            f"{name!r} is no name for a pattern of your own.",
            path=path,
            hint=f"Up to 32 small letters, digits and _; not {', '.join(BUILT_IN)}, which are there already.",
        )
    if len(pattern) > _LONGEST_PATTERN:
        raise WrongPolicy(f"The pattern has more than {_LONGEST_PATTERN} characters.", path=path)
    try:
        OwnPattern(pattern)
    except WrongPattern as error:
        raise WrongPolicy(f"The pattern cannot be used: {error}.", path=path, hint=error.hint) from None


def _check_rule(rule: NamespaceRule, path: str, policy: FacetPolicy) -> None:
    if not rule.namespaces or not all(namespace.strip() for namespace in rule.namespaces):
        raise WrongPolicy("A rule names at least one namespace.", path=f"{path}.namespaces", hint='["*"] is any.')
    _at_most(len(rule.namespaces), _MOST_NAMESPACES, "namespaces", f"{path}.namespaces")
    for index, name in enumerate(rule.patterns):
        if name not in BUILT_IN and name not in policy.patterns:
            known = ", ".join([*BUILT_IN, *policy.patterns])
            raise WrongPolicy(f"There is no pattern {name!r}.", path=f"{path}.patterns[{index}]", hint=f"Use {known}.")
    for slot in FacetLists.__struct_fields__:
        facets: dict[str, Fields] = getattr(rule.facets, slot)
        _at_most(len(facets), _MOST_FIELDS, "facets", f"{path}.facets.{slot}")
        for facet, fields in facets.items():
            _check_fields(fields, f"{path}.facets.{slot}.{facet}")


def _check_fields(fields: Fields, path: str) -> None:
    if isinstance(fields, str):
        if fields != "*":
            raise WrongPolicy(f"{fields!r} is no list of fields.", path=path, hint='Write "*", or ["field", "a.b"].')
        return
    _at_most(len(fields), _MOST_FIELDS, "fields", path)
    for index, field in enumerate(fields):
        steps = field.split(".")
        if len(steps) > _MOST_DEPTH or not all(steps) or "**" in steps[:-1]:
            raise WrongPolicy(
                f"{field!r} is no field.",
                path=f"{path}[{index}]",
                hint=f"Names with dots between them, up to {_MOST_DEPTH}; `**` only at the end.",
            )


def _at_most(count: int, most: int, of: str, path: str) -> None:
    if count > most:
        raise WrongPolicy(f"There are {count} {of}; at most {most} are possible.", path=path)
