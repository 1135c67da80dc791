"""Declarations of routes beside their handlers: parameters, bodies and answers. The OpenAPI document is made from them.

    @declare("One dataset.", answer=DatasetEntity, query=NoQuery, errors=(404,))
    async def get_dataset(request: Request) -> Response: ...

A route without a declaration gets a generic entry, so that the document is complete in any case.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import unwrap
from typing import Any, TypeVar

from msgspec import Struct

from headwater.lineage.by_hand.errors import Problem

__all__ = ["ErrorAnswer", "NoQuery", "OneOf", "RouteDeclaration", "declaration_of", "declare"]

_H = TypeVar("_H", bound=Callable[..., Any])


class NoQuery(Struct, frozen=True):
    """No parameters of its own; those that every route takes are added."""


class ErrorAnswer(Struct, frozen=True, omit_defaults=True):
    """The one shape of all errors."""

    code: int
    """The HTTP status."""
    error: str
    """A stable word for programs."""
    message: str
    """The problem and its place."""
    path: str | None = None
    """The JSON path, or `?parameter`, of the place."""
    hint: str | None = None
    """How to fix it."""
    errors: list[Problem] | None = None
    """All that is wrong, where a request may be wrong in several places: `path`, `message`, `error`, `hint` ..."""
    errors_total: int | None = None
    """Number of errors; the list may be shorter."""


class OneOf(Struct, frozen=True):
    """An answer that is one of several records, told apart by the value of a member."""

    member: str
    kinds: tuple[Any, ...]


class RouteDeclaration(Struct, frozen=True):
    """One operation of the API."""

    summary: str
    answer: Any = Any
    """Type of the JSON answer."""
    query: type[Struct] | None = None
    """Query parameters; None when they are not declared, so that any are taken."""
    body: Any = None
    """Type of the JSON body; None when there is none."""
    body_required: bool = True
    status: int = 200
    errors: tuple[int, ...] = ()
    """Statuses besides 400, 401, 403, 500 and 503, which every route may answer."""
    media: str = "application/json"
    example: Any = None
    """An answer."""
    tables: str | None = None
    """An answer as `text/csv`, where a route gives that too."""
    refusals: tuple[Any, ...] = (ErrorAnswer,)
    """Types of error answers by status."""
    body_example: Any = None
    group: str | None = None


_declared: dict[Any, RouteDeclaration] = {}


def declare(
    summary: str,
    *,
    answer: Any = Any,
    query: type[Struct] | None = NoQuery,
    body: Any = None,
    body_required: bool = True,
    status: int = 200,
    errors: tuple[int, ...] = (),
    media: str = "application/json",
    example: Any = None,
    tables: str | None = None,
    refusals: tuple[Any, ...] = (ErrorAnswer,),
    body_example: Any = None,
    group: str | None = None,
) -> Callable[[_H], _H]:
    """Declare parameters and answers of a handler. Tests check that it keeps to them."""

    def note(handler: _H) -> _H:
        _declared[handler] = RouteDeclaration(
            summary,
            answer,
            query,
            body,
            body_required,
            status,
            errors,
            media,
            example,
            tables,
            refusals,
            body_example,
            group,
        )
        return handler

    return note


def declaration_of(handler: Any) -> RouteDeclaration | None:
    """Of the handler itself, whatever is wrapped around it."""
    return _declared.get(unwrap(handler))
