"""Events under a facet policy: the body with the allowed parts, decoded anew, with a fingerprint of its own.

Run and job facets follow the namespace of the job, or of the dataset in an event without a job; facets of a dataset
follow its own.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Raw

from headwater.openlineage.decode import decode_event
from headwater.openlineage.event import Event, EventWarning
from headwater.openlineage.policy.facets import Findings, filter_facets, is_value, items_of, members_of, redacted
from headwater.openlineage.policy.rules import PolicyRule, Rules, rules_of
from headwater.openlineage.surrogates import without_lone_surrogates

__all__ = ["concerns_overlay", "filter_event", "under_policy"]

_ENVELOPE = ("eventTime", "eventType", "producer", "schemaURL")
_FIRST = frozenset("oO") | {chr(code) for code in range(0x3001) if chr(code).isspace()}
_OVERLAY = "overlay:"
_MOST_WARNINGS = 50


def under_policy(event: Event, policy: str | None) -> Event:
    """The event as the policy of its tenant lets it through; None is a tenant without a policy.

    Raises `PolicyRefusal` if the policy does not take it.
    """
    if policy is None and not event.warnings and not concerns_overlay(event):
        return event
    filtered, findings = filter_event(event, rules_of(policy))
    if filtered is event:
        return event
    places = list(findings.by_place.items())
    for place, count in places[:_MOST_WARNINGS]:
        filtered.warnings.append(EventWarning(place, f"{count} parts removed or redacted by the facet policy"))
    if len(places) > _MOST_WARNINGS:
        more = len(places) - _MOST_WARNINGS
        filtered.warnings.append(EventWarning("$", f"parts at {more} more places, by the facet policy"))
    return filtered


def concerns_overlay(event: Event) -> bool:
    """Whether the event names a job or dataset of an overlay, for which there is a policy without one."""
    job, dataset = event.job, event.dataset
    if job is not None and job.namespace[0] in _FIRST and _is_overlay(job.namespace):
        return True
    if dataset is not None and _is_overlay(dataset.namespace):
        return True
    for one in event.inputs:
        if one.namespace[0] in _FIRST and _is_overlay(one.namespace):
            return True
    for one in event.outputs:  # noqa: SIM110 - twice as fast as `any`, and this runs for every event
        if one.namespace[0] in _FIRST and _is_overlay(one.namespace):
            return True
    return False


def _is_overlay(namespace: str) -> bool:
    return namespace.strip()[:8].lower() == _OVERLAY


def filter_event(event: Event, rules: Rules) -> tuple[Event, Findings]:
    """The event with its allowed parts; the same one if no rule applies."""
    findings = Findings()
    main = event.job or event.dataset
    owner = rules.of(main.namespace) if main is not None else None
    parts = members_of(without_lone_surrogates(event.body)) or {}
    if owner is None and not any(rules.of(namespace) for namespace in _namespaces(parts)):
        return event, findings
    kept: dict[str, object] = {}
    for name, raw in parts.items():
        left = _part(name, raw, owner, rules, findings)
        if left is not None:
            kept[name] = left
    body = msgspec.json.encode(kept)
    filtered = decode_event(body)
    counts = (findings.removed, sum(findings.redacted.values()))
    return msgspec.structs.replace(filtered, policy_counts=counts), findings


def _part(name: str, raw: Raw, owner: PolicyRule | None, rules: Rules, findings: Findings) -> object | None:
    path = f"$.{name}"
    if name in ("inputs", "outputs"):
        return _datasets(raw, path, rules, findings)
    if name == "dataset":
        return _dataset(raw, path, rules, findings)
    if owner is None:
        return raw
    if name == "run":
        return _thing(raw, ("runId",), {"facets": "run"}, path, owner, findings)
    if name == "job":
        return _thing(raw, ("namespace", "name"), {"facets": "job"}, path, owner, findings)
    if name in _ENVELOPE:
        return raw if is_value(bytes(raw)) else None
    if owner.is_allow_list:
        findings.remove(owner, "$", "$.?")
        return None
    return redacted(owner, raw, "$", "$.?", findings)


def _datasets(raw: Raw, path: str, rules: Rules, findings: Findings) -> list[object] | None:
    """The datasets of a list; those without a namespace or name have no rule, and are set aside."""
    if bytes(raw)[:1] != b"[":
        return None
    found = (_dataset(item, f"{path}[{index}]", rules, findings) for index, item in enumerate(items_of(bytes(raw))))
    return [item for item in found if item is not None]


def _dataset(raw: Raw, path: str, rules: Rules, findings: Findings) -> object | None:
    namespace = _namespace_of(raw)
    if namespace is None:
        return None
    rule = rules.of(namespace)
    if rule is None:
        return raw
    slots = {"facets": "dataset", "inputFacets": "input", "outputFacets": "output"}
    return _thing(raw, ("namespace", "name"), slots, path, rule, findings)


def _thing(
    raw: Raw, names: tuple[str, ...], slots: dict[str, str], path: str, rule: PolicyRule, findings: Findings
) -> dict[str, object] | None:
    """A run, job or dataset: names, facets, and other members if the rule lists denied facets."""
    members = members_of(bytes(raw))
    if members is None:
        return None
    kept: dict[str, object] = {}
    for name, value in members.items():
        if name in slots:
            kept[name] = filter_facets(rule, slots[name], value, f"{path}.{name}", findings)
        elif name in names:
            if is_value(bytes(value)):
                kept[name] = value
        elif rule.is_allow_list:
            findings.remove(rule, path, f"{path}.?")
        else:
            kept[name] = redacted(rule, value, path, f"{path}.?", findings)
    return kept


def _namespaces(parts: dict[str, Raw]) -> Iterator[str]:
    """The namespaces of all datasets that stand in an event, also where it should have none."""
    for name in ("dataset", "inputs", "outputs"):
        raw = bytes(parts.get(name, b""))
        for item in [Raw(raw)] if name == "dataset" else items_of(raw):
            namespace = _namespace_of(item)
            if namespace is not None:
                yield namespace


def _namespace_of(raw: Raw) -> str | None:
    """The namespace of a dataset, if it has a name too."""
    members = members_of(bytes(raw)) or {}
    texts = [_text_of(members.get("namespace")), _text_of(members.get("name"))]
    return texts[0] if all(texts) else None


def _text_of(raw: Raw | None) -> str | None:
    """A text, or the JSON form of a number, as `decode_event` reads it."""
    if raw is None or not is_value(bytes(raw)) or bytes(raw) == b"null":
        return None
    try:
        value = msgspec.json.decode(raw)
    except msgspec.DecodeError:
        return None
    return value if isinstance(value, str) else bytes(raw).decode()
