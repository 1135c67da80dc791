"""Versions of a made-up overlay verified: what passes, what fails when one thing is changed, what cannot be checked."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headwater.demo.overlay.chain import double_sha256, mine, shown
from headwater.demo.overlay.history import OverlayHistory
from headwater.demo.overlay.server import OverlayServer
from headwater.emit.answers import read_bundle, read_ready
from headwater.emit.canonical import bundle_hash
from headwater.emit.configuration import VOLATILE
from headwater.emit.verify import Verification, verify
from tests.application import InProcess

PROOF = {"transaction", "content", "merkle_path", "headers"}


def history() -> tuple[OverlayHistory, str]:
    made = OverlayHistory()
    parents = [made.publish(f"p{number}") for number in range(3)]
    made.mine()
    version = made.publish("v", parents)
    for number in range(4):
        made.publish(f"other{number}")
    made.mine(3)
    return made, version


def checked(members: dict[str, Any], ready: dict[str, Any] | None, **more: Any) -> Verification:
    bundle, sent = read_bundle(json.dumps(members).encode(), members["versionId"])
    said = None if ready is None else read_ready(json.dumps(ready).encode())
    stored = {"facet_hash": bundle_hash(sent, VOLATILE), "parents_shown": list(bundle.parents)} | more
    return verify(bundle, sent, said, volatile=VOLATILE, **stored)


def results(found: Verification) -> dict[str, str]:
    return {step.name: step.result for step in found.steps}


def test_all_of_it_passes() -> None:
    made, version = history()
    found = checked(made.bundle(version), made.ready(version))
    assert set(results(found).values()) == {"pass"}, found
    assert found.outcome == "verified"


def change(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def work(members: dict[str, Any]) -> None:
        *way, last = path.split(".")
        for step in way:
            members = members[int(step) if step.isdigit() else step]
        members[int(last) if last.isdigit() else last] = value(members[last]) if callable(value) else value

    return work


def flipped(text: str) -> str:
    return text[:-1] + ("0" if text[-1] != "0" else "1")


def unlinked(headers: list[str]) -> list[str]:
    return [headers[0], headers[2], *headers[3:]]


def unworked(headers: list[str]) -> list[str]:
    """The same headers with a target that none of them meets."""
    return [header[:144] + (0x03000001).to_bytes(4, "little").hex() + header[152:] for header in headers]


@pytest.mark.parametrize(
    ("changed", "failing"),
    [
        (change("rawTx", flipped), {"transaction", "content"}),
        (change("txid", flipped), {"transaction", "merkle_path"}),
        (change("contentHash", "0" * 64), {"content"}),
        (change("proof.merklePath.0.hash", flipped), {"merkle_path"}),
        (
            lambda members: change("side", lambda side: {"left": "right", "right": "left"}[side])(
                members["proof"]["merklePath"][0]
            ),
            {"merkle_path"},
        ),
        (change("proof.merklePath", [{}]), {"merkle_path"}),
        (change("proof.blockHash", flipped), {"headers"}),
        (change("proof.headers", unlinked), {"headers", "confirmations"}),
        (change("proof.headers", unworked), {"headers"}),
        (change("proof.headers", ["zz"]), {"headers", "merkle_path", "confirmations"}),
        (change("confs", 1000), {"confirmations"}),
    ],
)
def test_one_thing_changed(changed: Callable[[dict[str, Any]], None], failing: set[str]) -> None:
    made, version = history()
    members = copy.deepcopy(made.bundle(version))
    changed(members)
    found = checked(members, made.ready(version))
    assert found.outcome == "failed"
    failed = {name for name, result in results(found).items() if result == "fail"}
    assert failed & failing
    assert failed <= failing | {"content", "headers"}, found


def test_never_verified_by_the_hash_alone() -> None:
    made, version = history()
    bare = {name: value for name, value in made.bundle(version).items() if name not in ("rawTx", "proof", "confs")}
    found = checked(bare, None)
    assert results(found)["bundle_hash"] == "pass"
    assert {results(found)[name] for name in PROOF} == {"unknown"}
    assert found.outcome == "incomplete"


def test_never_verified_by_the_proof_of_another_transaction() -> None:
    """A transaction in a block proves nothing of a bundle that it does not name."""
    made, version = history()
    members = made.bundle(version)
    foreign = b"a transaction of somebody else"
    block = mine(1, bytes(32), [double_sha256(foreign)], 1)
    proof = {"blockHash": shown(block.hash), "merklePath": [], "headers": [block.header.hex()]}
    members |= {"rawTx": foreign.hex(), "txid": shown(double_sha256(foreign)), "proof": proof, "confs": 1}
    found = checked(members, None)
    assert results(found) == {**dict.fromkeys(results(found), "pass"), "content": "unknown", "readiness": "unknown"}
    assert found.outcome == "incomplete"


def test_a_bundle_that_is_nested_too_deep_fails() -> None:
    made, version = history()
    bundle, sent = read_bundle(json.dumps(made.bundle(version)).encode(), version)
    deep: Any = {}
    for _ in range(3_000):
        deep = [deep]
    found = verify(bundle, {**sent, "more": deep}, None, facet_hash="00", volatile=VOLATILE, parents_shown=None)
    assert results(found)["bundle_hash"] == "fail"


def test_what_the_lineage_says() -> None:
    made, version = history()
    members, ready = made.bundle(version), made.ready(version)
    assert results(checked(members, ready, facet_hash="00"))["bundle_hash"] == "fail"
    assert results(checked(members, ready, facet_hash=None))["bundle_hash"] == "unknown"
    assert results(checked(members, ready, parents_shown=["p0", "p1"]))["parents"] == "fail"
    assert results(checked(members, ready, parents_shown=["p0", "p1", "p2", "x"]))["parents"] == "fail"
    assert results(checked(members, ready, parents_shown=None))["parents"] == "unknown"


def test_in_no_block_after_a_reorg() -> None:
    made, version = history()
    made.reorg(3)
    found = checked(made.bundle(version), made.ready(version))
    assert results(found)["readiness"] == "fail"
    assert results(found)["merkle_path"] == "unknown"
    assert found.outcome == "failed"


def test_over_http(tmp_path: Path) -> None:
    made, version = history()
    with OverlayServer(made) as overlay, InProcess(tmp_path, outgoing_private="127.0.0.0/8") as app:
        configured = {"name": "test", "url": overlay.url, "producer_host": "h.example"}
        assert app.post("/api/v2/emit/overlays", json=configured).status_code in (200, 201)
        hash_of = bundle_hash(made.bundle(version), VOLATILE)
        event = {
            "eventTime": "2026-01-02T03:04:05Z",
            "eventType": "COMPLETE",
            "producer": "https://h.example",
            "run": {"runId": "tx", "facets": {"gitdataSpv": {"bundleHash": hash_of, "confs": 1}}},
            "job": {"namespace": "overlay:test", "name": f"publish::{version}"},
            "inputs": [{"namespace": "overlay:test", "name": f"p{number}"} for number in range(3)],
            "outputs": [{"namespace": "overlay:test", "name": version}],
        }
        assert app.post("/api/v2/emit/verify", json={"version": version}).json()["outcome"] == "verified"
        assert app.send(json.dumps(event).encode()).status_code == 201
        answer = app.post("/api/v2/emit/verify", json={"version": version, "overlay": "test"}).json()
        assert {step["name"]: step["result"] for step in answer["steps"]} == dict.fromkeys(
            (step["name"] for step in answer["steps"]), "pass"
        )
        made.reorg(3)
        assert app.post("/api/v2/emit/verify", json={"version": version}).json()["outcome"] == "failed"
        assert app.post("/api/v2/emit/verify", json={"version": "nothing"}).status_code == 404
