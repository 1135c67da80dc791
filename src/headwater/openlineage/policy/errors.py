"""Errors of the facet policy."""

from __future__ import annotations

from headwater.errors import HeadwaterError
from headwater.openlineage.errors import RefusedEvent

__all__ = ["FacetRefused", "PersonalDataRefused", "PolicyRefusal", "Withheld", "WrongPolicy"]


class WrongPolicy(HeadwaterError):
    """The text of a policy cannot be read, or names something unknown."""

    code = "wrong_policy"


class PolicyRefusal(RefusedEvent):
    """The facet policy of the tenant does not take the event."""

    code = "policy_refusal"


class FacetRefused(PolicyRefusal):
    """The event has a facet or field that the policy does not let through."""

    code = "facet_refused"


class PersonalDataRefused(PolicyRefusal):
    """A facet has a value that looks like personal data."""

    code = "personal_data_refused"


class Withheld(PolicyRefusal):
    """A dead letter whose event was not kept, because of the policy."""

    code = "event_withheld"
