"""Events against the schema of OpenLineage and the contract of overlays, and their ids."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from uuid import UUID

import jsonschema_rs
import pytest
from msgspec.structs import replace
from openlineage.client import event_v2
from openlineage.client.facet_v2 import external_query_run, nominal_time_run

from headwater.demo.overlay.history import OverlayHistory
from headwater.emit.answers import Bundle
from headwater.emit.configuration import Overlay
from headwater.emit.events import event_body, original_run_id
from headwater.emit.steps import Step
from headwater.openlineage.decode import decode_event
from tests.emit.test_interpretation import OVERLAY, bodies_of

SCHEMAS = [
    jsonschema_rs.validator_for(json.loads(path.read_text()), validate_formats=True)
    for path in sorted((Path(__file__).parent / "schemas").glob("*.json"))
]
SETTINGS = [
    OVERLAY,
    replace(OVERLAY, job_by="txid", start=True),
    replace(OVERLAY, min_confs=2, url="http://127.0.0.1:8590/below/"),
]


def whole_history() -> OverlayHistory:
    """Publishes with parents, a reorg that ends well, one that does not, and a recall."""
    history = OverlayHistory()
    history.grow(8)
    known = [item["versionId"] for item in history.listings(None, 9)["listings"]]
    back = history.publish("back/with=signs & \u00fcmlaut", known[:3])
    gone = history.publish("gone")
    history.mine(2)
    history.reorg(2)
    history.drop(gone)
    history.mine(4)
    history.recall(back)
    return history


@pytest.mark.parametrize("overlay", SETTINGS)
def test_events_are_valid(overlay: Overlay) -> None:
    history, kinds = whole_history(), set()
    for item in history.listings(None, 100)["listings"]:
        for body in bodies_of(history, item["versionId"], overlay):
            event = json.loads(body)
            kinds.add(
                (event["eventType"], *sorted({"reorgFacet", "lifecycleStateChange"} & event["run"]["facets"].keys()))
            )
            for schema in SCHEMAS:
                assert [error.message for error in schema.iter_errors(event)] == []
            assert not decode_event(body).warnings
    assert kinds >= {
        ("COMPLETE",),
        ("COMPLETE", "reorgFacet"),
        ("ABORT", "reorgFacet"),
        ("COMPLETE", "lifecycleStateChange"),
    }
    assert (("START",) in kinds) == overlay.start


def test_the_schemas_notice_what_is_wrong() -> None:
    event = json.loads(bodies_of(whole_history(), "gone")[0])
    event["run"]["runId"] = "no uuid"
    event["run"]["facets"]["gitdataSpv"]["email"] = "a@b.example"
    assert [bool(list(schema.iter_errors(event))) for schema in SCHEMAS] == [True, True]


def test_the_official_client_says_the_same() -> None:
    """The event, made of the classes of the official client, has the same members."""
    (body, *_) = bodies_of(whole_history(), "gone")
    event = json.loads(body)
    nominal, query = (event["run"]["facets"][name] for name in ("nominalTime", "externalQuery"))
    made = event_v2.RunEvent(
        eventType=event_v2.RunState(event["eventType"]),
        eventTime=event["eventTime"],
        producer=event["producer"],
        run=event_v2.Run(
            runId=event["run"]["runId"],
            facets={
                "nominalTime": nominal_time_run.NominalTimeRunFacet(nominalStartTime=nominal["nominalStartTime"]),
                "externalQuery": external_query_run.ExternalQueryRunFacet(
                    externalQueryId=query["externalQueryId"], source=query["source"]
                ),
            },
        ),
        job=event_v2.Job(**event["job"]),
        outputs=[event_v2.OutputDataset(event["outputs"][0]["namespace"], event["outputs"][0]["name"])],
    )
    assert made.schemaURL == event["schemaURL"]
    for name, facet in made.run.facets.items():
        assert facet._schemaURL == event["run"]["facets"][name]["_schemaURL"]


def test_ids() -> None:
    bundle = Bundle("v", "2026-01-01T00:00:00Z", txid="ab" * 32)
    publish = Step("publish", "publish", 0)
    assert original_run_id(bundle, publish) == bundle.txid
    named = json.loads(event_body(OVERLAY, bundle, "0" * 64, publish))["run"]
    digest = hashlib.md5(b"ab" * 32, usedforsecurity=False).digest()
    assert named["runId"] == str(UUID(bytes=digest, version=3))
    assert named["facets"]["externalQuery"]["externalQueryId"] == bundle.txid
    without = replace(bundle, txid=None)
    assert original_run_id(without, publish) == hashlib.sha256(b"v|2026-01-01T00:00:00Z").hexdigest()
    by_txid = json.loads(event_body(replace(OVERLAY, job_by="txid"), without, "0" * 64, publish))["job"]["name"]
    assert by_txid == f"publish::{hashlib.sha256(b'v|2026-01-01T00:00:00Z').hexdigest()}"


def test_parents_are_inputs_once_each() -> None:
    bundle = Bundle("v", "2026-01-01T00:00:00Z", parents=("p", "q/=x", "p"))
    event = json.loads(event_body(OVERLAY, bundle, "0" * 64, Step("publish", "publish", 0)))
    assert [dataset["name"] for dataset in event["inputs"]] == ["p", "q/=x"]
    assert event["outputs"][0]["facets"]["gitdataProvenance"]["parentsCount"] == 2
