"""Query parameters as a record: read, checked and explained. An unknown one is refused, never ignored."""

from __future__ import annotations

import difflib
import time
from typing import Annotated, Any, TypeVar, get_args, get_origin

import msgspec
from msgspec import Meta, Struct
from starlette.requests import Request

from headwater.lineage.answer.moment import AGO, FORMS, Edge, parse_moment
from headwater.lineage.errors import BadQuestion
from headwater.openlineage.naming import clean

__all__ = ["EVERYWHERE", "Time", "present", "read_query", "refuse_unknown", "time_in"]

_T = TypeVar("_T", bound=Struct)
EVERYWHERE = ("tenant", "api_key")
"""Parameters of every route: the tenant, and a key."""
_LONGEST = 16 << 10
_MOST_VALUES = 100
"""Values of one parameter: databases take no more than some hundred conditions in one statement."""
"""Bytes; a request line has about as much room."""

Time = Annotated[
    str,
    Meta(
        description=f"{FORMS}. In UTC where it says no zone.",
        examples=["2026-01-31T12:00:00Z", "-1d"],
        extra_json_schema={
            "anyOf": [
                {"enum": ["now", "today", "yesterday"]},
                {"pattern": AGO, "description": "So many minutes, hours, days or weeks ago."},
                {"format": "date", "description": "The whole day in UTC."},
                {"format": "date-time", "description": "ISO 8601; UTC where it says no zone."},
            ]
        },
    ),
]


def read_query(request: Request, kind: type[_T]) -> _T:
    """The query of a request as a record. An empty value counts as not given."""
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    sent: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        if value != "":
            sent.setdefault(name, []).append(clean(value))
    refuse_unknown(request, tuple(fields))
    values: dict[str, Any] = {}
    for name, field in fields.items():
        if name in sent:
            values[field.name] = _convert(name, sent[name], field.type)
        elif field.required:
            raise BadQuestion(f"The parameter `{name}` is missing.", path=f"?{name}", hint=_example(name, field.type))
    return kind(**values)


def refuse_unknown(request: Request, known: tuple[str, ...]) -> None:
    """Refuse parameters that the route does not have: a misspelt filter would otherwise give a wrong answer."""
    for name in request.query_params:
        if name not in known and name not in EVERYWHERE:
            shown = clean(name)[:100]
            close = difflib.get_close_matches(shown, [*known, *EVERYWHERE], n=1, cutoff=0.5)
            hint = f"Did you mean {close[0]}? " if close else ""
            hint += f"Known are: {', '.join(sorted((*known, *EVERYWHERE)))}."
            raise BadQuestion(f"There is no parameter {shown!r} here.", path=f"?{shown}", hint=hint)


def present() -> int:
    """The present time, in microseconds."""
    return time.time_ns() // 1000


def time_in(text: str | None, name: str, edge: Edge = "first", now: int | None = None) -> int | None:
    """A moment in the query, in microseconds; `edge` chooses the microsecond of a day."""
    if text is None:
        return None
    # A `+` in a query that was not escaped arrives as a blank.
    moment = parse_moment(text.strip().replace(" ", "+"), present() if now is None else now, edge)
    if moment is None:
        raise BadQuestion(f"{name} is no time: {text[:100]!r}.", path=f"?{name}", hint=f"Use {FORMS}.")
    return moment


def _convert(name: str, values: list[str], kind: Any) -> Any:
    many = get_origin(_plain(kind)) is tuple
    if len(values) > _MOST_VALUES:
        raise BadQuestion(
            f"{name} is given {len(values)} times; {_MOST_VALUES} is the most.",
            path=f"?{name}",
            hint="Ask several times, each for some of them.",
        )
    given: Any = values if many else values[-1]
    if any(len(value) > _LONGEST or len(value.encode()) > _LONGEST for value in values):
        raise BadQuestion(f"{name} is longer than {_LONGEST} bytes.", path=f"?{name}")
    try:
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        raise _explained(name, values[-1], kind, str(error)) from None


def _explained(name: str, value: str, kind: Any, reason: str) -> BadQuestion:
    schema: dict[str, Any] = msgspec.json.schema(kind)
    candidates = [schema, schema.get("items") or {}, *schema.get("anyOf", ())]
    choices = [str(choice) for candidate in candidates for choice in candidate.get("enum", ()) if choice is not None]
    if choices:
        close = difflib.get_close_matches(value, choices, n=1, cutoff=0.5)
        return BadQuestion(
            f"{name} must be one of {', '.join(choices)}, not {value!r}.",
            path=f"?{name}",
            hint=f"Did you mean {close[0]}?" if close else None,
        )
    if schema.get("type") == "integer" and "minimum" in schema and "maximum" in schema:
        low, high = schema["minimum"], schema["maximum"]
        return BadQuestion(f"{name} must be a whole number from {low} to {high}, not {value!r}.", path=f"?{name}")
    return BadQuestion(f"{name} cannot be {value!r}: {reason}.", path=f"?{name}")


def _plain(kind: Any) -> Any:
    """The type without its notes, and without None."""
    while True:
        if get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
            continue
        members = [member for member in get_args(kind) if member is not type(None)]
        if type(None) in get_args(kind) and len(members) == 1:
            kind = members[0]
            continue
        return kind


def _example(name: str, kind: Any) -> str | None:
    examples = msgspec.json.schema(kind).get("examples")
    return f"For example ?{name}={examples[0]}." if examples else None
