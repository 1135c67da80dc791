"""Whose event it is: every rule of the decision table, one case each."""

from __future__ import annotations

import json

import pytest

from headwater.access.errors import NoTenant, TenantConflict, TenantDisabled, TenantRefused, UnknownTenant
from headwater.access.identity import Identity, Role, TenantIndex
from headwater.access.resolve_tenant import resolve_tenant
from headwater.openlineage.decode import decode_event
from headwater.store.write.log import Tenant
from tests.access.gravitino import gravitino_event

SEVEN, EIGHT, OFF = Tenant(7, "t7", "T7"), Tenant(8, "t8", "T8"), Tenant(9, "t9", "T9", "DISABLED")
BOOK = TenantIndex([SEVEN, EIGHT, OFF])


def spark_event(namespace: str = "spark", facet: dict | None = None) -> bytes:
    body = {
        "eventTime": "2026-03-01T00:00:00Z",
        "producer": "https://github.com/OpenLineage/OpenLineage/tree/1.40.0/integration/spark",
        "run": {"runId": "0197833d-511d-7034-be27-078fb128ca59"},
        "job": {"namespace": namespace, "name": "etl"},
        "inputs": [{"namespace": "s3://lake", "name": "orders", "facets": {"gravitino": facet} if facet else {}}],
    }
    return json.dumps(body).encode()


def resolve(body: bytes, source: str, tenant: Tenant | None) -> Tenant:
    identity = Identity(source=source, roles=frozenset({Role.WRITER}), tenant=tenant, key_id="k")
    return resolve_tenant(decode_event(body), identity, BOOK)


@pytest.mark.parametrize(
    ("body", "source", "credential", "expected"),
    [
        # Gravitino: facet, else dataset namespace, else job namespace; a credential without a tenant may be shared.
        (gravitino_event(facet={"tenantId": 7, "tenantCode": "t7"}), "GRAVITINO", None, SEVEN),
        (gravitino_event(None, facet={"tenantId": "7"}), "GRAVITINO", None, SEVEN),
        (gravitino_event(None, facet={"tenantCode": "t8"}), "GRAVITINO", None, EIGHT),
        (gravitino_event(7), "GRAVITINO", None, SEVEN),
        (gravitino_event(None, job=8), "GRAVITINO", None, EIGHT),
        (gravitino_event(7, facet={"tenantId": 7}), "GRAVITINO", SEVEN, SEVEN),
        (gravitino_event(7), "ANY", None, SEVEN),
        (gravitino_event(7, producer="x"), "ANY", None, SEVEN),  # by the name of its job
        # Compute engines: the credential.
        (spark_event(), "SPARK", SEVEN, SEVEN),
        (spark_event(), "ANY", EIGHT, EIGHT),
        (spark_event(facet={"tenantId": 7}), "SPARK", SEVEN, SEVEN),
        (spark_event("gravitino://lake/hive"), "SPARK", SEVEN, SEVEN),
        (spark_event("gravitino://tenant/7/lake"), "FLINK", SEVEN, SEVEN),
    ],
)
def test_resolved(body: bytes, source: str, credential: Tenant | None, expected: Tenant) -> None:
    assert resolve(body, source, credential) == expected


@pytest.mark.parametrize(
    ("body", "source", "credential", "error", "path"),
    [
        (gravitino_event(7, facet={"tenantId": 8}), "GRAVITINO", None, TenantConflict, "$.outputs[0].namespace"),
        (gravitino_event(7, job=8), "GRAVITINO", None, TenantConflict, "$.job.namespace"),
        (
            gravitino_event(7, facet={"tenantId": 7, "tenantCode": "t8"}),
            "GRAVITINO",
            None,
            TenantConflict,
            "$.outputs[0].facets.gravitino.tenantCode",
        ),
        (gravitino_event(7), "GRAVITINO", EIGHT, TenantConflict, "$.outputs[0].namespace"),
        (gravitino_event(70), "GRAVITINO", EIGHT, TenantConflict, "$.outputs[0].namespace"),
        (gravitino_event(9), "GRAVITINO", EIGHT, TenantConflict, "$.outputs[0].namespace"),
        (gravitino_event(None), "GRAVITINO", None, NoTenant, None),
        (gravitino_event(None), "GRAVITINO", SEVEN, NoTenant, None),
        (gravitino_event(70), "GRAVITINO", None, UnknownTenant, "$.outputs[0].namespace"),
        (
            gravitino_event(None, facet={"tenantId": "x"}),
            "GRAVITINO",
            None,
            UnknownTenant,
            "$.outputs[0].facets.gravitino.tenantId",
        ),
        (gravitino_event(9), "GRAVITINO", None, TenantDisabled, None),
        (spark_event(), "SPARK", None, NoTenant, None),
        (spark_event(facet={"tenantId": 7}), "ANY", None, NoTenant, None),  # a facet makes it no event of Gravitino's
        (spark_event(facet={"tenantId": 8}), "SPARK", SEVEN, TenantConflict, "$.inputs[0].facets.gravitino.tenantId"),
        (spark_event("gravitino://tenant/8/lake"), "SPARK", SEVEN, TenantConflict, "$.job.namespace"),
        (spark_event(), "SPARK", OFF, TenantDisabled, None),
    ],
)
def test_refused(
    body: bytes, source: str, credential: Tenant | None, error: type[TenantRefused], path: str | None
) -> None:
    with pytest.raises(error) as refusal:
        resolve(body, source, credential)
    assert refusal.value.path == path
    assert refusal.value.hint
    if credential is not None and error is TenantConflict:
        assert refusal.value.tenant_id == credential.id  # the sender's, never that of the tenant it names


def test_a_refusal_tells_nothing_of_other_tenants() -> None:
    said = set()
    for number in (7, 9, 70):  # active, disabled, unknown
        with pytest.raises(TenantConflict) as refusal:
            resolve(gravitino_event(number), "GRAVITINO", EIGHT)
        said.add(refusal.value.message.replace(str(number), "N"))
    assert len(said) == 1


@pytest.mark.parametrize("facet", ["text", 5, None, [], {"tenantId": None}, {"tenantCode": 5}])
def test_a_facet_that_says_nothing(facet: object) -> None:
    body = json.loads(gravitino_event(7))
    body["outputs"][0]["facets"]["gravitino"] = facet
    assert resolve(json.dumps(body).encode(), "GRAVITINO", None) == SEVEN


@pytest.mark.parametrize("place", ["job", "run"])
def test_facets_of_job_and_run(place: str) -> None:
    body = json.loads(gravitino_event(None))
    body[place]["facets"] = {"gravitino": {"tenantId": 8}}
    assert resolve(json.dumps(body).encode(), "GRAVITINO", None) == EIGHT
