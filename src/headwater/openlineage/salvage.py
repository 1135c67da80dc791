"""Slow path for invalid events: keep each readable part, warn of the rest."""

from __future__ import annotations

from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Raw, Struct

from headwater.openlineage.event import EventWarning
from headwater.openlineage.wire import WireDataset, WireEvent, WireJob, WireRun

__all__ = ["salvage", "salvage_facet"]

_Part = TypeVar("_Part", WireRun, WireJob, WireDataset)
_F = TypeVar("_F", bound=Struct)
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


def salvage_facet(kind: type[_F], raw: Raw, path: str, warnings: list[EventWarning]) -> _F | None:
    """Read a facet member by member, item by item; invalid parts are set aside with their places."""
    try:
        value = msgspec.json.decode(raw)
        found = _fit(kind, value, path, warnings)
    except (msgspec.DecodeError, RecursionError) as error:
        warnings.append(EventWarning(path, f"facet set aside: {error or 'nested too deeply'}"))
        return None
    return found if isinstance(found, kind) else None


def _fit(kind: Any, value: Any, path: str, warnings: list[EventWarning]) -> Any:
    """The value as this type, without invalid parts; None if nothing is left."""
    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        problem = str(error).partition(" - at")[0]
    if get_origin(kind) in (Union, UnionType):
        kind = next((member for member in get_args(kind) if member is not type(None)), kind)
    if isinstance(kind, type) and issubclass(kind, Struct) and isinstance(value, dict):
        hints, fields, fits = get_type_hints(kind), msgspec.structs.fields(kind), {}
        for field in fields:
            item = value.get(field.encode_name)
            fitted = None if item is None else _fit(hints[field.name], item, f"{path}.{field.encode_name}", warnings)
            if fitted is not None:
                fits[field.name] = fitted
        missing = [field.encode_name for field in fields if field.required and field.name not in fits]
        if not missing:
            return kind(**fits)
        problem = f"`{missing[0]}` is missing or does not fit"
    elif get_origin(kind) is list and isinstance(value, list):
        items = [_fit(get_args(kind)[0], item, f"{path}[{index}]", warnings) for index, item in enumerate(value)]
        return [item for item in items if item is not None]
    elif get_origin(kind) is dict and isinstance(value, dict):
        pairs = {name: _fit(get_args(kind)[1], item, f"{path}.{name}", warnings) for name, item in value.items()}
        return {name: item for name, item in pairs.items() if item is not None}
    warnings.append(EventWarning(path, f"set aside: {problem}"))
    return None
