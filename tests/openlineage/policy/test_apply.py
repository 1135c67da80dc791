"""Events under a facet policy."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headwater.openlineage.decode import decode_event
from headwater.openlineage.policy.apply import under_policy
from headwater.openlineage.policy.errors import FacetRefused, PersonalDataRefused, WrongPolicy
from headwater.openlineage.policy.record import read_policy

OVERLAY = "overlay:prod"


def event(namespace: str = "db", **more: Any) -> dict[str, Any]:
    return {
        "eventTime": "2026-01-02T03:04:05Z",
        "eventType": "COMPLETE",
        "producer": "https://example.com",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json",
        "run": {"runId": "0197833d-511d-7034-be27-078fb128ca59", "facets": {}},
        "job": {"namespace": namespace, "name": "j"},
        "inputs": [],
        "outputs": [],
        **more,
    }


def let_through(sent: dict[str, Any] | bytes, policy: dict[str, Any] | None = None) -> dict[str, Any]:
    body = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
    text = None if policy is None else json.dumps(policy)
    once = under_policy(decode_event(body), text)
    assert under_policy(decode_event(once.body), text).body == once.body, "a second time changes nothing"
    return json.loads(once.body)


def test_without_a_policy_nothing_changes() -> None:
    body = b' {"eventTime" :"2026-01-02T03:04:05Z", "x": 1.0, "job":{"namespace":"n","name":"j"}}'
    decoded = decode_event(body)
    assert under_policy(decoded, None) is decoded


def test_overlays_have_their_list_without_a_policy() -> None:
    spv = {"confs": 3, "bundleUrl": "https://o/b", "bundleHash": "00", "readyReasons": ["x"], "_producer": "https://p"}
    sent = event(
        OVERLAY,
        run={"runId": "r", "facets": {"gitdataSpv": spv | {"owner": "ann"}, "nominalTime": {"nominalStartTime": "t"}}},
        outputs=[
            {
                "namespace": OVERLAY,
                "name": "v1",
                "facets": {"datasetVersion": {"type": "dlm1", "by": "ann"}, "schema": {"fields": []}},
                "outputFacets": {"outputStatistics": {"rowCount": 1}},
                "mail": "a@b.example",
            },
            {"namespace": "db", "name": "t", "facets": {"schema": {"fields": []}}},
        ],
        secret="x",
    )
    kept = let_through(sent)
    assert kept["run"]["facets"] == {"gitdataSpv": spv, "nominalTime": {"nominalStartTime": "t"}}
    assert kept["outputs"][0] == {
        "namespace": OVERLAY,
        "name": "v1",
        "facets": {"datasetVersion": {"type": "dlm1"}},
        "outputFacets": {},
    }
    assert kept["outputs"][1] == sent["outputs"][1], "the namespace of another dataset has no rule"
    assert "secret" not in kept


def test_run_and_job_facets_follow_the_job_and_dataset_facets_their_dataset() -> None:
    facets = {"a": {"x": 1}}
    sent = event(
        "etl",
        run={"runId": "r", "facets": facets},
        job={"namespace": "etl", "name": "j", "facets": facets},
        inputs=[{"namespace": "db", "name": "t", "facets": facets}],
        outputs=[{"namespace": "etl", "name": "t", "facets": facets}],
    )
    kept = let_through(sent, {"rules": [{"namespaces": ["etl"]}]})
    assert (kept["run"]["facets"], kept["job"]["facets"]) == ({}, {})
    assert (kept["inputs"][0]["facets"], kept["outputs"][0]["facets"]) == (facets, {})


def test_lists_of_fields() -> None:
    schema = {
        "_producer": "https://p",
        "_deleted": True,
        "fields": [{"name": "a", "description": "d", "tags": [1]}, 7, [["x"]], {"name": {"deep": 1}}],
        "more": {"deep": {"er": 1}},
    }
    sent = event("etl", outputs=[{"namespace": "db", "name": "t", "facets": {"schema": schema, "y": {"z": 1}}}])

    def facets(mode: str, fields: Any) -> dict[str, Any]:
        rule = {"namespaces": ["db"], "mode": mode, "facets": {"dataset": {"schema": fields}}}
        kept: dict[str, Any] = let_through(sent, {"rules": [rule]})["outputs"][0]["facets"]
        return kept

    frame = {"_producer": "https://p", "_deleted": True}
    assert facets("allow", ["fields.name"]) == {"schema": {**frame, "fields": [{"name": "a"}, {}]}}
    assert facets("allow", ["more.**"]) == {"schema": {**frame, "more": {"deep": {"er": 1}}}}
    assert facets("allow", "*") == {"schema": schema}
    assert facets("deny", "*") == {"y": {"z": 1}}
    left = facets("deny", ["fields.description", "more"])["schema"]
    assert left == {**frame, "fields": [{"name": "a", "tags": [1]}, 7, [["x"]], {"name": {"deep": 1}}]}


def test_the_first_rule_that_names_a_namespace_holds() -> None:
    sent = event("spark://Cluster/", run={"runId": "r", "facets": {"a": {"x": 1}}})
    open_rule = {"namespaces": ["spark://cluster"], "mode": "deny"}
    assert let_through(sent, {"rules": [open_rule, {"namespaces": ["*"]}]})["run"]["facets"] == {"a": {"x": 1}}
    assert let_through(sent, {"rules": [{"namespaces": ["*"]}, open_rule]})["run"]["facets"] == {}
    assert let_through(sent, {"rules": [{"namespaces": ["sp*k://*er"]}]})["run"]["facets"] == {}
    own = {"rules": [{"namespaces": ["overlay:test"], "mode": "deny"}]}
    assert let_through(event("overlay:test", x=1), own)["x"] == 1, "instead of the list that is built in"


def test_refused_with_its_place() -> None:
    sent = event("etl", run={"runId": "r", "facets": {"mail": {"x": "a@b.example"}, "a@b.example": {}}})
    with pytest.raises(FacetRefused) as refused:
        let_through(sent, {"rules": [{"namespaces": ["*"], "action": "refuse"}]})
    assert refused.value.path == "$.run.facets.mail"
    pattern = {"namespaces": ["*"], "mode": "deny", "patterns": ["email"], "on_match": "refuse"}
    with pytest.raises(PersonalDataRefused) as refused:
        let_through(sent, {"rules": [pattern]})
    assert refused.value.path == "$.run.facets.mail"
    assert "a@b" not in refused.value.message


def test_counted_and_reported_without_values() -> None:
    sent = event(
        "etl", run={"runId": "r", "facets": {"secret-facet": {"x": 1}, "b": {"to": "a@b.example, c@d.example"}}}
    )
    rule = {"namespaces": ["*"], "mode": "deny", "facets": {"run": {"secret-facet": "*"}}, "patterns": ["email"]}
    filtered = under_policy(decode_event(json.dumps(sent).encode()), json.dumps({"rules": [rule]}))
    assert filtered.policy_counts == (1, 2)
    (warning,) = filtered.warnings
    assert warning.path == "$.run.facets"
    assert "2 parts" in warning.message


@pytest.mark.parametrize(
    "body",
    [
        # Nothing that was not looked at stays: members that come twice, parts that cannot be read or identified.
        (
            b'{"eventTime":1,"run":{"runId":"r","facets":{"bad":1}},"run":{"runId":"r","facets":{}},'
            b'"job":{"namespace":"overlay:x","name":"j"}}'
        ),
        (
            b'{"eventTime":1,"run":{"runId":"r","facets":{"reorgFacet":{"unstable":true,"bad":1}}},'
            b'"job":{"namespace":" overlay:x","name":"j","facets":["bad"]}}'
        ),
        (
            b'{"eventTime":1,"job":{"namespace":"OVERLAY:x","name":"j"},"inputs":[{"facets":{"bad":1}},"bad",'
            b'{"namespace":"overlay:x","name":"v","facets":{"dataSource":{"name":{"bad":1},"uri":[["bad"]]}}}]}'
        ),
        (
            b'{"eventTime":1,"job":{"namespace":"other","name":"j"},"run":{"runId":"r"},'
            b'"dataset":{"namespace":"overlay:x","name":"v","facets":{"bad":1}}}'
        ),
        b'{"eventTime":1,"job":{"namespace":"\\u006fverlay:x","name":"j","b\\u0061d":1},"\\u0062ad":{"bad":1}}',
        (
            b'{"eventTime":1,"job":{"namespace":"overlay:x","name":"j"},"eventType":{"bad":1},"producer":["bad"],'
            b'"schemaURL":{"bad":1},"outputs":{"bad":1}}'
        ),
        (
            b'{"eventTime":1,"job":{"namespace":"overlay:x","name":"j"},"run":{"runId":"r","facets":{"reorgFacet":'
            b'{"_producer":{"bad":1},"_schemaURL":"is bad","_deleted":"bad","unstable":{"bad":1}},"nominalTime":"bad"}}}'
        ),
    ],
)
def test_nothing_hidden_gets_through(body: bytes) -> None:
    filtered = under_policy(decode_event(body), None)
    assert b"bad" not in filtered.body
    assert b"\\u00" not in filtered.body.replace(b'"namespace":"\\u006fverlay:x"', b"")


@pytest.mark.parametrize(
    ("text", "path", "problem"),
    [
        ("{", "$", "cannot be read"),
        ('{"rules": [{"namespaces": []}]}', "$.rules[0].namespaces", "at least one"),
        ('{"rules": [{"namespaces": ["*"], "mode": "off"}]}', "$.rules[0].mode", "cannot be read"),
        ('{"rules": [{"namespaces": ["*"], "patterns": ["vat"]}]}', "$.rules[0].patterns[0]", "no pattern 'vat'"),
        ('{"rules": [{"namespaces": ["*"], "facets": {"run": {"a": "b"}}}]}', "$.rules[0].facets.run.a", "no list"),
        (
            '{"rules": [{"namespaces": ["*"], "facets": {"run": {"a": ["b..c"]}}}]}',
            "$.rules[0].facets.run.a[0]",
            "no fi",
        ),
        ('{"rule": []}', "$", "unknown field"),
        ('{"patterns": {"email": "x"}}', "$.patterns.email", "no name"),
        ('{"patterns": {"x": "(a+"}}', "$.patterns.x", "not closed"),
        ('{"patterns": {"x": "' + "a" * 257 + '"}}', "$.patterns.x", "256"),
        ('{"patterns": {' + ",".join(f'"p{n}": "x"' for n in range(17)) + "}}", "$.patterns", "at most 16"),
        (" " * (65 << 10), None, "64 KiB"),
    ],
)
def test_wrong_policies(text: str, path: str | None, problem: str) -> None:
    with pytest.raises(WrongPolicy) as wrong:
        read_policy(text)
    assert wrong.value.path == path
    assert problem in wrong.value.message
