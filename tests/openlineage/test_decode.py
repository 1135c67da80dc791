"""Which events are taken, which are refused, and what is said about them."""

from __future__ import annotations

import json
import uuid
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.openlineage.decode import decode_event
from headwater.openlineage.errors import InvalidJson, InvalidTime, MissingIdentity, NotAnObject, RefusedEvent
from headwater.openlineage.event import EventKind
from tests.conftest import EVENTS, read_events

RUN = str(uuid.UUID(int=7))
TIME = "2026-01-02T03:04:05Z"


def body(**changes) -> bytes:
    event = {"eventTime": TIME, "eventType": "START", "run": {"runId": RUN}, "job": {"namespace": "n", "name": "j"}}
    merged = {**event, **changes}
    return json.dumps({key: value for key, value in merged.items() if value is not ...}).encode()


def test_the_three_kinds_are_told_apart_by_their_keys() -> None:
    dataset = {"namespace": "n", "name": "d"}
    assert decode_event(body()).kind is EventKind.RUN
    assert decode_event(body(run=...)).kind is EventKind.JOB
    assert decode_event(body(run=..., job=..., dataset=dataset)).kind is EventKind.DATASET
    assert decode_event(body(run=..., dataset=dataset)).kind is EventKind.DATASET
    assert decode_event(body(run=..., dataset=dataset, schemaURL="x#/$defs/JobEvent")).kind is EventKind.JOB


@pytest.mark.parametrize(
    ("sent", "micros"),
    [
        ("2026-01-02T03:04:05Z", 0),
        ("2026-01-02T03:04:05", 0),
        ("2026-01-02 03:04:05", 0),
        ("2026-01-02T04:04:05+01:00", 0),
        ("2026-01-02T03:04:05+00:00Z", 0),
        ("2026-01-02T03:04:05.123456789Z", 123457),
        ("2026-01-02T04:04:05.123456489+01:00", 123456),
        ("2026-01-02t03:04:05.5z", 500000),
        (" 2026-01-02T03:04:05Z ", 0),
        ("2026-01-01T24:00:00Z", -11_045_000_000),
        (1767323045, 0),
        (1767323045000, 0),
        (1767323045000000, 0),
    ],
)
def test_times(sent: object, micros: int) -> None:
    assert decode_event(body(eventTime=sent)).time == 1767323045000000 + micros


def test_times_before_1970_are_times() -> None:
    assert decode_event(body(eventTime="1969-12-31T23:59:59Z")).time == -1_000_000


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "",
        "soon",
        "2026-13-01T00:00:00Z",
        [],
        {},
        True,
        1e300,
        "99999-01-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
    ],
)
def test_no_usable_time_is_refused(sent: object) -> None:
    with pytest.raises(InvalidTime) as refusal:
        decode_event(body(eventTime=sent))
    assert refusal.value.path == "$.eventTime"


def test_event_types_ignore_case_and_may_be_anything() -> None:
    assert decode_event(body(eventType="complete")).event_type == "COMPLETE"
    assert decode_event(body(eventType="Paused")).event_type == "PAUSED"
    assert decode_event(body(eventType=...)).event_type is None


def test_a_run_id_that_is_no_uuid_gets_one_and_is_kept() -> None:
    event = decode_event(body(run={"runId": "nightly-7"}))
    assert event.run_id == decode_event(body(run={"runId": "nightly-7"}, eventType="COMPLETE")).run_id
    assert event.run_id_sent == "nightly-7"
    assert decode_event(body(run={"runId": RUN.upper()})).run_id_sent is None


def test_what_breaks_the_spec_is_set_aside_with_its_place() -> None:
    event = decode_event(
        body(
            producer=7,
            inputs=[
                {"namespace": "n"},
                "text",
                {"namespace": "n", "name": "d", "facets": []},
                {"namespace": 1, "name": "x"},
            ],
            outputs="none",
        )
    )
    assert [(one.namespace, one.name) for one in event.inputs] == [("n", "d"), ("1", "x")]
    assert {warning.path for warning in event.warnings} == {
        "$.producer",
        "$.inputs[0].name",
        "$.inputs[1]",
        "$.inputs[2].facets",
        "$.inputs[3].namespace",
        "$.outputs",
    }


def test_nulls_are_nothing() -> None:
    event = decode_event(body(inputs=None, outputs=None, producer=None, run={"runId": RUN, "facets": None}))
    assert event.inputs == event.outputs == ()
    assert event.warnings == []


@pytest.mark.parametrize(
    ("sent", "error", "path"),
    [
        (b"", InvalidJson, None),
        (b"{", InvalidJson, "$"),
        (b"\xff\xfe{}", InvalidJson, None),
        (b'{"eventTime": "\xe9"}', InvalidJson, None),
        (b"[]", NotAnObject, "$"),
        (b"7", NotAnObject, "$"),
        (b"null", NotAnObject, "$"),
        (b"{}", MissingIdentity, "$"),
        (body(run={}), MissingIdentity, "$.run.runId"),
        (body(run={"runId": ""}), MissingIdentity, "$.run.runId"),
        (body(job=...), MissingIdentity, "$.job.namespace"),
        (body(job={"namespace": "n"}), MissingIdentity, "$.job.name"),
        (body(run=..., job=..., dataset={"namespace": "n"}), MissingIdentity, "$.dataset.name"),
        (b'{"run": ' + b"[" * 3000 + b"]" * 3000 + b"}", RefusedEvent, None),
    ],
)
def test_refusals_say_what_and_where(sent: bytes, error: type[RefusedEvent], path: str | None) -> None:
    with pytest.raises(error) as refusal:
        decode_event(sent)
    if path is not None:
        assert refusal.value.path == path
    assert refusal.value.hint


def test_half_a_surrogate_pair_is_replaced_and_kept_in_the_log() -> None:
    sent = body(job={"namespace": "n", "name": "cut\ud83d"})
    event = decode_event(sent)
    assert event.job is not None
    assert event.job.name == "cut\N{REPLACEMENT CHARACTER}"
    assert event.body == sent
    whole = decode_event(body(job={"namespace": "n", "name": "whole \N{GRINNING FACE}"}))
    assert whole.job is not None
    assert whole.job.name.endswith("\N{GRINNING FACE}")


def test_a_byte_order_mark_and_white_space_do_not_matter() -> None:
    plain = decode_event(body())
    assert decode_event(b"\xef\xbb\xbf\r\n " + body() + b"\n").fingerprint == plain.fingerprint


@pytest.mark.parametrize("line", range(len(read_events("written/refused.ndjson"))))
def test_refused_events(line: int) -> None:
    expected = json.loads((EVENTS / "written/refused.json").read_text())[line]
    with pytest.raises(RefusedEvent) as refusal:
        decode_event(read_events("written/refused.ndjson")[line])
    assert refusal.value.code == expected["reason"], expected.get("about")


@pytest.mark.parametrize(
    "file", sorted(path.name for path in (EVENTS / "written").glob("*.ndjson") if path.stem != "refused")
)
def test_every_other_event_is_taken(file: str) -> None:
    for line in read_events(f"written/{file}"):
        assert decode_event(line).body == line.strip()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=8), children, max_size=3),
    max_leaves=12,
)


@given(
    st.fixed_dictionaries(
        {},
        optional=dict.fromkeys(
            ("eventTime", "eventType", "run", "job", "dataset", "inputs", "outputs", "producer", "schemaURL"),
            json_values,
        ),
    )
)
def test_no_json_object_fails_in_any_other_way(event: dict) -> None:
    with suppress(RefusedEvent):
        decode_event(msgspec.json.encode(event))


@given(st.binary(max_size=60))
def test_no_bytes_fail_in_any_other_way(noise: bytes) -> None:
    with suppress(RefusedEvent):
        decode_event(noise)
