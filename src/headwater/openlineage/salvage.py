"""The slow road for an event whose envelope breaks the spec: keep each part that can be read, warn of the rest."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import Raw

from headwater.openlineage.event import EventWarning
from headwater.openlineage.wire import WireDataset, WireEvent, WireJob, WireRun

__all__ = ["salvage"]

_Part = TypeVar("_Part", WireRun, WireJob, WireDataset)
_object = msgspec.json.Decoder(dict[str, Raw])
_array = msgspec.json.Decoder(list[Raw])
_scalar = msgspec.json.Decoder(str | int | float | bool | None)


def salvage(body: bytes, warnings: list[EventWarning]) -> WireEvent:
    """Read an event part by part. The body is known to be a JSON object."""
    parts = _object.decode(body)
    event_time = _read_scalar(parts.get("eventTime"))
    if isinstance(event_time, bool):
        event_time = None
    return WireEvent(
        eventTime=event_time,
        eventType=_text(parts, "eventType", "$", warnings),
        run=_part(WireRun, parts.get("run"), "$.run", warnings),
        job=_part(WireJob, parts.get("job"), "$.job", warnings),
        dataset=_part(WireDataset, parts.get("dataset"), "$.dataset", warnings),
        inputs=_list(parts.get("inputs"), "$.inputs", warnings),
        outputs=_list(parts.get("outputs"), "$.outputs", warnings),
        producer=_text(parts, "producer", "$", warnings),
        schemaURL=_text(parts, "schemaURL", "$", warnings),
    )


def _part(kind: type[_Part], raw: Raw | None, path: str, warnings: list[EventWarning]) -> _Part | None:
    if raw is None or bytes(raw) == b"null":
        return None
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError:
        pass
    try:
        members = _object.decode(raw)
    except msgspec.ValidationError:
        warnings.append(EventWarning(path, "set aside: not an object"))
        return None
    part = kind()
    for field in kind.__struct_fields__:
        if field in members:
            is_facets = field.lower().endswith("facets")
            value = _facets(members[field], f"{path}.{field}", warnings) if is_facets else None
            setattr(part, field, value if is_facets else _text(members, field, path, warnings) or "")
    return part


def _list(raw: Raw | None, path: str, warnings: list[EventWarning]) -> list[WireDataset] | None:
    if raw is None or bytes(raw) == b"null":
        return None
    try:
        items = _array.decode(raw)
    except msgspec.ValidationError:
        warnings.append(EventWarning(path, "set aside: not an array"))
        return None
    read = (_part(WireDataset, item, f"{path}[{index}]", warnings) for index, item in enumerate(items))
    return [item for item in read if item is not None]


def _facets(raw: Raw, path: str, warnings: list[EventWarning]) -> dict[str, Raw] | None:
    if bytes(raw) == b"null":
        return None
    try:
        return _object.decode(raw)
    except msgspec.ValidationError:
        warnings.append(EventWarning(path, "set aside: not an object"))
        return None


def _text(members: dict[str, Raw], field: str, path: str, warnings: list[EventWarning]) -> str | None:
    value = _read_scalar(members.get(field))
    if value is None or isinstance(value, str):
        if value is None and field in members and bytes(members[field]) != b"null":
            warnings.append(EventWarning(f"{path}.{field}", "set aside: not text"))
        return value
    warnings.append(EventWarning(f"{path}.{field}", "not text; its JSON form is used"))
    return bytes(members[field]).decode()


def _read_scalar(raw: Raw | None) -> str | int | float | bool | None:
    if raw is None:
        return None
    try:
        value: str | int | float | bool | None = _scalar.decode(raw)
    except msgspec.DecodeError:
        return None
    return value
