"""Refused events as they are kept under a facet policy: without the values that the policy would not let through.

An event that is fine but for its tenant, such as one of a disabled tenant, is kept as the policy lets it through and
can be retried. Of any other only its size and fingerprint are kept.
"""

from __future__ import annotations

import copy
from typing import TypeVar

import msgspec

from headwater.errors import HeadwaterError
from headwater.openlineage.decode import decode_event
from headwater.openlineage.errors import RefusedEvent
from headwater.openlineage.identity import fingerprint
from headwater.openlineage.policy.apply import concerns_overlay, filter_event
from headwater.openlineage.policy.errors import FacetRefused, PersonalDataRefused, Withheld
from headwater.openlineage.policy.rules import rules_of

__all__ = ["check_not_withheld", "kept_form", "withheld_form"]

_BEGINS = b'{"headwater_withheld":'
_LARGEST_FILTERED = 1 << 20
"""A larger one is withheld as a whole: filtering it would take too long for a refused event."""
_E = TypeVar("_E", bound=HeadwaterError)


def kept_form(error: _E, body: bytes, policy: str | None, *, keeps_event: bool = False) -> tuple[_E, bytes]:
    """A refusal and the body to keep with it, for an event of a tenant with this policy, None for one without.

    `keeps_event`: the event is only refused for its tenant.
    """
    if policy is None and not _may_concern_overlay(error, body):
        return error, body
    if keeps_event and len(body) <= _LARGEST_FILTERED:
        try:
            event = decode_event(body)
            filtered, _ = filter_event(event, rules_of(policy, strips=True))
        except RefusedEvent:
            pass
        else:
            return (error, body) if policy is None and filtered is event else (_without_values(error), filtered.body)
    return withheld_form(error, body)


def withheld_form(error: _E, body: bytes) -> tuple[_E, bytes]:
    """A refusal and a body without any values."""
    members = {"reason": error.code, "bytes": len(body), "fingerprint": fingerprint(body).hex()}
    return _without_values(error), _BEGINS + msgspec.json.encode(members) + b"}"


def check_not_withheld(body: bytes) -> None:
    """Raise if this dead letter holds no event."""
    if body.startswith(_BEGINS):
        raise Withheld(
            "The event was not kept: a facet policy holds for it, and it could not be read or was refused by it.",
            hint="Have its producer send it again.",
        )


def _may_concern_overlay(error: HeadwaterError, body: bytes) -> bool:
    """Whether the policy for overlays holds, for an event of a tenant without a policy of its own."""
    if isinstance(error, (FacetRefused, PersonalDataRefused)):
        return True
    if b"verlay:" not in body.lower() and b"\\u" not in body:
        return False
    try:
        event = decode_event(body)
    except RefusedEvent:
        return b"verlay:" in body.lower()
    return bool(event.warnings) or concerns_overlay(event)


def _without_values(error: _E) -> _E:
    if isinstance(error, (FacetRefused, PersonalDataRefused)):
        return error
    copied = copy.copy(error)
    copied.message = f"The event was refused ({error.code}); its values are withheld by the facet policy."
    copied.args = (copied.message,)
    return copied
