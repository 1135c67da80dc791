"""Remarks of clients of Marquez that may write but not edit, under the facet policy of their tenant."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from headwater.lineage.edits.event import Remark
from headwater.openlineage.policy.facets import Findings
from headwater.openlineage.policy.rules import PolicyRule, rules_of

__all__ = ["under_policy"]

_STATES = ("hidden", "type")
"""Remarks whose values are words of the API."""


def under_policy(remarks: Iterable[Remark], policy: str | None) -> list[Remark]:
    """Those that the rule of their namespace lets through: none has a place in a list of facets that are allowed.

    Raises `PolicyRefusal` if the rule refuses them.
    """
    rules, findings = rules_of(policy), Findings()
    kept = []
    for remark in remarks:
        rule = rules.of(remark.namespace) if remark.namespace else None
        if rule is None or remark.kind in _STATES:
            kept.append(remark)
        elif rule.is_allow_list:
            findings.remove(rule, "$", f"$.{remark.kind}")
        else:
            kept.append(_redacted(rule, remark, findings))
    return kept


def _redacted(rule: PolicyRule, remark: Remark, findings: Findings) -> Remark:
    if rule.redactor is None:
        return remark
    found: dict[str, int] = {}
    texts = {name: rule.redactor.redact_text(getattr(remark, name), found) for name in ("value", "column", "name")}
    if found:
        findings.redact(rule, "$", f"$.{remark.kind}", found)
    return replace(remark, **texts)
