"""The facet policy of a tenant: shown, set, and tried on an event."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, render
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query
from headwater.api.operators.request_body import body_as
from headwater.lineage.errors import BadQuestion
from headwater.openlineage.decode import decode_event
from headwater.openlineage.errors import RefusedEvent
from headwater.openlineage.policy.apply import filter_event
from headwater.openlineage.policy.record import OVERLAY, FacetPolicy, NamespaceRule, read_policy
from headwater.openlineage.policy.rules import Rules, rules_of

__all__ = ["ROUTES", "trial_of"]

_RULE = {
    "namespaces": ["*"],
    "mode": "deny",
    "facets": {"run": {"environmentVariables": "*"}},
    "action": "strip",
    "patterns": ["email"],
    "on_match": "redact",
}
_POLICY = {"rules": [_RULE], "patterns": {}}
_EVENT = {
    "eventTime": "2026-03-01T00:00:00Z",
    "eventType": "COMPLETE",
    "producer": "https://example.com",
    "run": {
        "runId": "0197833d-511d-7034-be27-078fb128ca59",
        "facets": {"environmentVariables": {"environmentVariables": [{"name": "USER", "value": "ann"}]}},
    },
    "job": {"namespace": "etl", "name": "load"},
}


class PolicyAnswer(Struct):
    """The policy that holds for a tenant."""

    tenant: str
    policy: FacetPolicy | None
    """None: the tenant has none of its own."""
    built_in: list[NamespaceRule]
    """Rules that hold for namespaces for which the policy has none."""


class Trial(Struct, forbid_unknown_fields=True):
    """An event to try a policy on."""

    event: Any
    policy: FacetPolicy | None = None
    """Instead of the policy that the tenant has."""


class TouchedPart(Struct):
    path: str
    outcome: str


class TrialAnswer(Struct):
    """Effect of a policy on an event, which is not stored."""

    outcome: Literal["unchanged", "changed", "refused"]
    removed: int
    redacted: dict[str, int]
    """By kind of personal data."""
    parts: list[TouchedPart]
    """The first of the parts that would be removed or redacted."""
    error: str | None
    message: str | None
    event: Any
    """The event as it would be kept, None if it would be refused."""


@declare(
    "The facet policy of a tenant.",
    answer=PolicyAnswer,
    example={"tenant": "sales", "policy": _POLICY, "built_in": [msgspec.to_builtins(OVERLAY)]},
)
async def show_policy(request: Request) -> Response:
    read_query(request, NoQuery)
    tenant = context_of(request).tenant
    return render(_answer(tenant.code, tenant.facet_policy))


@declare(
    "Set the facet policy of a tenant.",
    answer=PolicyAnswer,
    body=FacetPolicy,
    body_example=_POLICY,
    example={"tenant": "sales", "policy": _POLICY, "built_in": [msgspec.to_builtins(OVERLAY)]},
)
async def set_policy(request: Request) -> Response:
    read_query(request, NoQuery)
    policy = read_policy(await request.body())
    return await _set(request, msgspec.json.encode(policy).decode())


@declare(
    "Take the facet policy of a tenant away; rules that are built in still hold.",
    answer=PolicyAnswer,
    example={"tenant": "sales", "policy": None, "built_in": [msgspec.to_builtins(OVERLAY)]},
)
async def clear_policy(request: Request) -> Response:
    read_query(request, NoQuery)
    return await _set(request, None)


@declare(
    "Try a facet policy on an event. Nothing is kept.",
    answer=TrialAnswer,
    body=Trial,
    body_example={"event": _EVENT},
    example={
        "outcome": "changed",
        "removed": 1,
        "redacted": {},
        "parts": [{"path": "$.run.facets.environmentVariables", "outcome": "removed"}],
        "error": None,
        "message": None,
        "event": {**_EVENT, "run": {"runId": "0197833d-511d-7034-be27-078fb128ca59", "facets": {}}},
    },
)
async def try_policy(request: Request) -> Response:
    read_query(request, NoQuery)
    tenant, trial = context_of(request).tenant, await body_as(request, Trial)
    policy = trial.policy
    rules = rules_of(tenant.facet_policy) if policy is None else Rules(read_policy(msgspec.json.encode(policy)))
    return render(await ask(trial_of, msgspec.json.encode(trial.event), rules))


def trial_of(body: bytes, rules: Rules) -> TrialAnswer:
    """Effect of a policy on an event."""
    try:
        event = decode_event(body)
        filtered, found = filter_event(event, rules)
    except RefusedEvent as error:
        where = f" (at {error.path})" if error.path else ""
        return TrialAnswer("refused", 0, {}, [], error.code, error.message + where, None)
    is_changed = bool(found.removed or found.redacted)
    parts = [TouchedPart(*place) for place in found.places]
    kept = Raw(filtered.body if filtered is not event else event.body)
    return TrialAnswer("changed" if is_changed else "unchanged", found.removed, found.redacted, parts, None, None, kept)


async def _set(request: Request, policy: str | None) -> Response:
    context = context_of(request)
    tenant = context.tenant
    changed = await ask(context.services.tenants.set_facet_policy, tenant.id, tenant.code, policy)
    if changed is None:
        raise BadQuestion(f"There is no tenant {tenant.code!r}.", path="?tenant")
    context.services.directory.forget()
    return render(_answer(changed.code, changed.facet_policy))


def _answer(code: str, policy: str | None) -> PolicyAnswer:
    return PolicyAnswer(code, None if policy is None else read_policy(policy), [OVERLAY])


ROUTES = [
    Route("/api/v2/policy", show_policy, methods=["GET"]),
    Route("/api/v2/policy/set", set_policy, methods=["POST"]),
    Route("/api/v2/policy/clear", clear_policy, methods=["POST"]),
    Route("/api/v2/policy/test", try_policy, methods=["POST"]),
]
