"""Bytes to `Event`: fast for valid events, tolerant of all others.

An event is refused only when it is no JSON object, names neither a run nor a job nor a dataset, or has no
usable time. Other malformed parts are set aside, with a warning on the event.
"""

from __future__ import annotations

from typing import NoReturn

import msgspec

from headwater.openlineage.errors import InvalidJson, InvalidTime, MissingIdentity, NotAnObject
from headwater.openlineage.event import NO_FACETS, Dataset, Event, EventKind, EventWarning, Facets, Job
from headwater.openlineage.identity import fingerprint, run_key
from headwater.openlineage.salvage import salvage
from headwater.openlineage.surrogates import without_lone_surrogates
from headwater.openlineage.times import parse_time
from headwater.openlineage.wire import WireDataset, WireEvent, WireJob

__all__ = ["decode_event"]

_envelope = msgspec.json.Decoder(WireEvent)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_RUN, _JOB, _DATASET = EventKind.RUN, EventKind.JOB, EventKind.DATASET
"""Looked up once: a member of an enumeration takes ten times as long as a name."""


def decode_event(body: bytes) -> Event:
    """Decode one event from UTF-8 JSON.

    >>> decode_event(b'{"eventTime": "2025-01-01T00:00:00Z", "job": {"namespace": "n", "name": "j"}}').kind
    <EventKind.JOB: 'JOB_EVENT'>
    """
    body = body.removeprefix(_BYTE_ORDER_MARK).strip(b" \t\r\n")
    warnings: list[EventWarning] = []
    try:
        body.decode()  # raw facets are not looked at yet, so check the encoding of all of it here
        wire = _read(without_lone_surrogates(body), warnings)
    except UnicodeDecodeError as error:
        raise InvalidJson(
            f"The body is not UTF-8: byte {error.start} is 0x{body[error.start]:02x}.",
            hint="Send UTF-8, or name the charset in the Content-Type header.",
        ) from None
    except msgspec.DecodeError as error:
        _refuse_json(body, error)
    except RecursionError:
        raise InvalidJson("The event is nested too deeply to be read.", hint="Flatten the facet that nests.") from None
    return _assemble(wire, body, warnings)


def _read(body: bytes, warnings: list[EventWarning]) -> WireEvent:
    try:
        return _envelope.decode(body)
    except msgspec.ValidationError:
        if not body.startswith(b"{"):
            raise NotAnObject(
                f"An event is a JSON object; this is {_kind_of(body)}.",
                path="$",
                hint="Send one event per request, an array to /api/v1/lineage/batch, or NDJSON.",
            ) from None
    return salvage(body, warnings)


def _assemble(wire: WireEvent, body: bytes, warnings: list[EventWarning]) -> Event:
    kind, run = _kind(wire), wire.run
    run_id, run_id_sent, run_facets = None, None, NO_FACETS
    if run is not None:
        sent = run.runId
        if not sent:
            raise MissingIdentity(
                "A run event needs the id of its run.",
                path="$.run.runId",
                hint="Send a UUID; any other text works too.",
            )
        run_id, is_uuid = run_key(sent)
        run_id_sent = None if is_uuid else sent
        run_facets = run.facets or NO_FACETS
    job = _job(wire.job, required=kind is not _DATASET)
    dataset = None
    if kind is _DATASET:
        dataset = _subject(wire.dataset)
    elif wire.dataset is not None:
        warnings.append(EventWarning("$.dataset", "set aside: an event of a run or job has none"))
    time = parse_time(wire.eventTime)
    if time is None:
        what = "is missing" if wire.eventTime is None else f"cannot be read: {wire.eventTime!r}"
        raise InvalidTime(
            f"The event's time {what}.",
            path="$.eventTime",
            hint='Send ISO 8601, for example "2025-01-31T12:00:00.000Z".',
        )
    return Event(
        kind,
        time,
        fingerprint(body),
        body,
        wire.eventType.strip().upper() if wire.eventType else None,
        run_id,
        run_id_sent,
        run_facets,
        job,
        dataset,
        _datasets(wire.inputs, "inputs", warnings) if wire.inputs else (),
        _datasets(wire.outputs, "outputs", warnings) if wire.outputs else (),
        wire.producer,
        warnings,
    )


def _kind(wire: WireEvent) -> EventKind:
    if wire.run is not None:
        return _RUN
    if wire.dataset is not None and wire.job is not None:
        return _JOB if (wire.schemaURL or "").endswith("/JobEvent") else _DATASET
    if wire.dataset is not None:
        return _DATASET
    if wire.job is not None:
        return _JOB
    raise MissingIdentity(
        "The event names no run, no job and no dataset.",
        path="$",
        hint="A run event has `run` and `job`, a job event `job`, a dataset event `dataset`.",
    )


def _job(wire: WireJob | None, *, required: bool) -> Job | None:
    if wire is not None and wire.namespace and wire.name:
        return Job(wire.namespace, wire.name, wire.facets or NO_FACETS)
    if required:
        _refuse_names("job", wire.namespace if wire else None)
    return None


def _subject(wire: WireDataset | None) -> Dataset:
    if wire is None or not (wire.namespace and wire.name):
        _refuse_names("dataset", wire.namespace if wire else None)
    return Dataset(wire.namespace, wire.name, wire.facets or NO_FACETS)


def _refuse_names(what: str, namespace: str | None) -> NoReturn:
    missing = "name" if namespace else "namespace"
    raise MissingIdentity(
        f"The event's {what} has no {missing}.",
        path=f"$.{what}.{missing}",
        hint=f"A {what} is identified by `namespace` and `name`; both must be non-empty text.",
    )


def _datasets(wires: list[WireDataset], role: str, warnings: list[EventWarning]) -> tuple[Dataset, ...]:
    found = []
    is_input = role == "inputs"
    for index, wire in enumerate(wires):
        namespace, name = wire.namespace, wire.name
        if not (namespace and name):
            missing = "name" if namespace else "namespace"
            warnings.append(EventWarning(f"$.{role}[{index}].{missing}", "a dataset without it cannot be identified"))
            continue
        role_facets: Facets | None = wire.inputFacets if is_input else wire.outputFacets
        found.append(Dataset(namespace, name, wire.facets or NO_FACETS, role_facets or NO_FACETS))
    return tuple(found)


def _refuse_json(body: bytes, error: msgspec.DecodeError) -> NoReturn:
    if not body:
        raise InvalidJson("The body is empty.", hint="Send one OpenLineage event as JSON.") from None
    raise InvalidJson(
        f"The body is not valid JSON: {error}.",
        path="$",
        hint="Check that the whole event was sent, and that it is JSON (double quotes, no trailing comma).",
    ) from None


def _kind_of(body: bytes) -> str:
    first = body[:1]
    if first == b"[":
        return "an array"
    if first == b'"':
        return "a string"
    return {b"t": "a boolean", b"f": "a boolean", b"n": "null"}.get(first, "a number")
