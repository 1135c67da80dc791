"""Tenant of an event.

A source that knows tenants (Gravitino) names one in the event: in a `gravitino` facet, else in the namespace of a
dataset, else in that of the job. A compute engine knows none; its events belong to the tenant of its credential. In
both cases every signal that is there must agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from headwater.access.errors import NoTenant, TenantConflict, TenantDisabled, UnknownTenant
from headwater.access.identity import ANY, GRAVITINO, Identity, TenantIndex
from headwater.openlineage.event import Dataset, Event, Facets
from headwater.store.access.tenants import ACTIVE
from headwater.store.write.log import Tenant

__all__ = ["is_gravitino", "resolve_tenant"]

_FACET = "gravitino"
_PREFIX = "gravitino://tenant/"
_NAMESPACE = re.compile(r"gravitino://tenant/(\d{1,18})(?:/|$)")


class Signal(NamedTuple):
    """One place of an event that names a tenant, by id or by code."""

    path: str
    sent: int | str


def resolve_tenant(event: Event, identity: Identity, known: TenantIndex) -> Tenant:
    """The tenant of an event, or why it has none."""
    signals = list(_signals(event))
    names_tenant = is_gravitino(event, identity.source)
    if names_tenant and not signals:
        raise NoTenant(
            "The event is Gravitino's and names no tenant.",
            hint="A `gravitino` facet with tenantId, or the namespace gravitino://tenant/ID/..., must name it.",
        )
    if identity.tenant is not None:
        tenant = identity.tenant  # whether others exist is not for this sender to learn
    elif names_tenant:
        tenant = _find(signals[0], known)
    else:
        raise NoTenant(
            "The credential is for no tenant, and the event's source names none.",
            hint="Give this sender a key of its own: headwater key create --tenant CODE --source SPARK.",
        )
    _agree(tenant, signals, identity)
    if tenant.state != ACTIVE:
        raise _about(
            tenant,
            TenantDisabled(
                f"The tenant {tenant.code} is disabled.",
                hint="Events are taken again, and those kept as dead letters can be retried, once it is enabled.",
            ),
        )
    return tenant


def is_gravitino(event: Event, source: str) -> bool:
    """By the credential; one for any source leaves it to the event's own words, but never to a dataset's facets:
    Spark's events carry Gravitino's facets too when they touch its tables.
    """
    if source != ANY:
        return source == GRAVITINO
    job = event.job
    return "gravitino" in (event.producer or "").lower() or (job is not None and job.name.startswith("gravitino."))


def _find(signal: Signal, known: TenantIndex) -> Tenant:
    sent = signal.sent
    tenant = known.by_id.get(sent) if isinstance(sent, int) else known.by_code.get(sent)
    if tenant is None:
        raise UnknownTenant(
            f"There is no tenant with the {'id' if isinstance(sent, int) else 'code'} {sent!r}.",
            path=signal.path,
            hint="Create it: headwater tenant create CODE --id ID. Then retry the dead letter.",
        )
    return tenant


def _agree(tenant: Tenant, signals: list[Signal], identity: Identity) -> None:
    for signal in signals:
        if signal.sent not in (tenant.id, tenant.code):
            raise _about(
                identity.tenant,
                TenantConflict(
                    f"The event names the tenant {signal.sent!r} here, but belongs to {tenant.code} (id {tenant.id}).",
                    path=signal.path,
                    hint="All signals must agree: facets, namespaces and the credential. Check whose key is sent.",
                ),
            )


def _about(tenant: Tenant | None, refusal: Any) -> Any:
    refusal.tenant_id = tenant.id if tenant else None
    return refusal


def _signals(event: Event) -> Iterator[Signal]:
    """Facets first, then namespaces of datasets, then that of the job: the first that is there decides."""
    job, datasets = event.job, list(_datasets(event))
    for path, dataset in datasets:
        yield from _facet(dataset.facets, f"{path}.facets")
    if job is not None:
        yield from _facet(job.facets, "$.job.facets")
    yield from _facet(event.run_facets, "$.run.facets")
    for path, dataset in datasets:
        yield from _namespace(dataset.namespace, f"{path}.namespace")
    if job is not None:
        yield from _namespace(job.namespace, "$.job.namespace")


def _datasets(event: Event) -> Iterator[tuple[str, Dataset]]:
    if event.dataset is not None:
        yield "$.dataset", event.dataset
    for index, dataset in enumerate(event.inputs):
        yield f"$.inputs[{index}]", dataset
    for index, dataset in enumerate(event.outputs):
        yield f"$.outputs[{index}]", dataset


def _facet(facets: Facets, path: str) -> Iterator[Signal]:
    raw = facets.get(_FACET)
    if raw is None:
        return
    try:
        facet = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return
    if not isinstance(facet, dict):
        return
    tenant_id, code = facet.get("tenantId"), facet.get("tenantCode")
    if tenant_id is not None:
        yield Signal(f"{path}.gravitino.tenantId", _number(tenant_id))
    if isinstance(code, str) and code:
        yield Signal(f"{path}.gravitino.tenantCode", code)


def _number(sent: Any) -> int | str:
    """A numeric id, also if sent as text; any other text stays as it is, and is no tenant's id."""
    if isinstance(sent, int) and not isinstance(sent, bool):
        return sent
    text = str(sent)
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else f"tenantId {text}"


def _namespace(namespace: str, path: str) -> Iterator[Signal]:
    if namespace.startswith(_PREFIX):
        found = _NAMESPACE.match(namespace)
        if found:
            yield Signal(path, int(found.group(1)))
