"""Query parameters as records, read by the rules of Marquez and refused in its words; unknown ones are ignored."""

from __future__ import annotations

import re
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import msgspec
from msgspec import Meta, Struct, inspect
from starlette.requests import Request

from headwater.api.marquez.http.refuse import NOT_FOUND, Refused
from headwater.openlineage.naming import clean
from headwater.openlineage.times import parse_time

__all__ = ["Depth", "Moment", "PageQuery", "moment", "page_of", "query_of"]

_T = TypeVar("_T", bound=Struct)
_MOST = (1 << 31) - 1
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d(:?\d\d)?)")

Depth = Annotated[int, Meta(ge=-_MOST, le=_MOST, description="How many steps to go; at most 100 are gone.")]
Moment = Annotated[
    str,
    Meta(
        description="A time in ISO 8601 with its offset.",
        examples=["2026-01-31T12:00:00Z"],
        extra_json_schema={"format": "date-time"},
    ),
]


class PageQuery(Struct, frozen=True, kw_only=True):
    """Which part of a list is asked for."""

    limit: Annotated[int, Meta(ge=0, le=_MOST, description="How many at most.")] = 100
    offset: Annotated[int, Meta(ge=0, le=_MOST, description="How many to leave out.")] = 0


def query_of(request: Request, kind: type[_T]) -> _T:
    """The query of a request as a record."""
    values: dict[str, Any] = {}
    for field, type_info in _fields(kind):
        sent = [clean(text) for text in request.query_params.getlist(field.encode_name)]
        if isinstance(type_info, inspect.VarTupleType):
            values[field.name] = tuple(_value(field, text, type_info.item_type) for text in sent if text)
        elif sent and (sent[0].strip() or isinstance(type_info, inspect.StrType)):
            values[field.name] = _value(field, sent[0], type_info)
        elif field.required:
            raise _refused(field.encode_name, _absent(type_info))
    return kind(**values)


def page_of(request: Request) -> dict[str, int]:
    """Limit and offset, for a function that takes them by name."""
    page = query_of(request, PageQuery)
    return {"limit": page.limit, "offset": page.offset}


def moment(name: str, text: str | None, default: int) -> int:
    """A time in the query, in microseconds; it must have an offset."""
    if text is None or not text.strip():
        return default
    # A `+` in a query that was not escaped arrives as a blank.
    text = text.strip().replace(" ", "+")
    time = parse_time(text) if _MOMENT.fullmatch(text) else None
    if time is None:
        raise Refused(400, {"code": 400, "message": f"query param {name} is not in a valid format."})
    return time


@cache
def _fields(kind: type[Struct]) -> list[tuple[msgspec.structs.FieldInfo, inspect.Type]]:
    return [(field, _plain(inspect.type_info(field.type))) for field in msgspec.structs.fields(kind)]


def _words(kind: Any) -> list[str]:
    """The choices of a parameter in the order in which they are declared."""
    if get_origin(kind) is Literal:
        return [str(word) for word in get_args(kind)]
    return next((words for member in get_args(kind) if (words := _words(member))), [])


def _plain(kind: inspect.Type) -> inspect.Type:
    """Without its description, and without null: a parameter is there or not."""
    while True:
        if isinstance(kind, inspect.Metadata):
            kind = kind.type
        elif isinstance(kind, inspect.UnionType):
            kind = next(member for member in kind.types if not isinstance(member, inspect.NoneType))
        else:
            return kind


def _value(field: msgspec.structs.FieldInfo, text: str, kind: inspect.Type) -> Any:
    name = field.encode_name
    if isinstance(kind, inspect.IntType):
        return _whole(name, text, kind)
    if isinstance(kind, inspect.BoolType):
        return text.strip().lower() == "true"
    if isinstance(kind, inspect.LiteralType):
        return _word(name, text, _words(field.type))
    if isinstance(kind, inspect.StrType):
        if kind.min_length and not text.strip():
            raise _refused(name, _absent(kind))
        if kind.pattern is not None and re.search(kind.pattern, text) is None:
            raise _refused(name, f'must match "{kind.pattern}"')
    return text


def _whole(name: str, text: str, kind: inspect.IntType) -> int:
    """A whole number of 32 bits; anything else is answered 404, as in Marquez."""
    value = int(text) if len(text) < 12 and _WHOLE.fullmatch(text) else _MOST + 1
    if not -_MOST - 1 <= value <= _MOST:
        raise Refused(404, NOT_FOUND)
    if kind.ge is not None and kind.ge >= 0 and value < kind.ge:
        raise _refused(name, f"must be greater than or equal to {kind.ge}")
    return value


def _word(name: str, text: str, words: list[str]) -> str:
    """One of these words, in any case, with any of `-`, `.` and blanks for `_`."""
    word = re.sub(r"[-. ]", "_", text.strip()).upper()
    if word not in words:
        raise Refused(400, {"code": 400, "message": f"query param {name} must be one of [{', '.join(words)}]"})
    return word


def _absent(kind: inspect.Type) -> str:
    return "must not be blank" if isinstance(kind, inspect.StrType) and kind.min_length else "must not be null"


def _refused(name: str, problem: str) -> Refused:
    return Refused(400, {"errors": [f"query param {name} {problem}"]})
