"""The check of tenants in statements itself: what it must let pass and what it must see."""

from __future__ import annotations

import pytest

from tests.statements import unbound


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("SELECT * FROM node WHERE tenant = 7 AND kind = 1", []),
        ("SELECT * FROM node WHERE kind = 1", ["node"]),
        ("SELECT * FROM node WHERE tenant = 8", ["node"]),
        ("SELECT * FROM node WHERE tenant = 7 OR kind = 1", ["node"]),
        ("SELECT * FROM node WHERE NOT tenant = 7", ["node"]),
        ("SELECT * FROM node AS n JOIN run AS r ON r.tenant = n.tenant WHERE n.tenant = 7", []),
        ("SELECT * FROM node AS n JOIN run AS r ON r.job = n.node WHERE n.tenant = 7", ["run"]),
        ("SELECT * FROM node AS n, run AS r WHERE n.tenant = 7 AND r.job = n.node", ["run"]),
        ("SELECT * FROM node n WHERE n.tenant = 7 AND n.node IN (SELECT job FROM run)", ["run"]),
        ("SELECT * FROM node n WHERE n.tenant = 7 AND EXISTS (SELECT 1 FROM run r WHERE r.tenant = n.tenant)", []),
        ("SELECT 1 FROM node WHERE tenant = 7 UNION ALL SELECT 2 FROM run", ["run"]),
        ("WITH a AS (SELECT * FROM run) SELECT * FROM a", ["run"]),
        ("SELECT * FROM (SELECT node FROM node WHERE tenant = 7) x JOIN run ON run.job = x.node", ["run"]),
        ("DELETE FROM dead_letter WHERE id = 1", ["dead_letter"]),
        ("DELETE FROM dead_letter WHERE id = 1 AND tenant_id = 7", []),
        ("UPDATE api_key SET revoked_at = 1 WHERE id = 'x'", ["api_key"]),
        ("INSERT INTO search_source (tenant, source) VALUES (7, x'00'), (8, x'01')", ["search_source"]),
        ("INSERT INTO search_source (tenant, source) SELECT tenant, node FROM node", ["node"]),
        ("SELECT id FROM tenant", []),
    ],
)
def test_what_it_sees(statement: str, found: list[str]) -> None:
    assert unbound(statement, 7) == found
