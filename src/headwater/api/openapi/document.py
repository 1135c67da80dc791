"""The OpenAPI 3.1 document, from the routes of the application and the declarations beside their handlers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from starlette.routing import Route

from headwater import __version__
from headwater.api.openapi.declare import ErrorAnswer, NoQuery, OneOf, RouteDeclaration, declaration_of

__all__ = ["EXAMPLES", "Operation", "document", "operations_of"]

EXAMPLES = Path(__file__).with_name("examples.json")
"""Answers of routes that declare no example of their own; `scripts/record/examples.py` writes them."""

_REFERENCE = "#/components/schemas/{name}"
_PARAMETER = re.compile(r"\{(\w+)(?::(\w+))?\}")
_GENERIC = re.compile(rb"\bPage_([A-Za-z]+)_(?!\w)")
_REASONS = {
    200: "What was asked for.",
    201: "It was made, or is on disk.",
    202: "It is on disk, and will be done.",
    204: "It was done; there is nothing to say.",
    400: "The question or the body is wrong; the message says where.",
    401: "No credential, or not a good one.",
    403: "The credential lacks the role or the tenant.",
    404: "There is no such thing.",
    405: "The route does not take this method.",
    409: "It contradicts what is there.",
    412: "Somebody else changed it since it was read.",
    413: "The body is too large.",
    415: "The body is packed or encoded in a way that is not read.",
    422: "The body lacks something, or has something of another kind.",
    429: "Too many events; try again after the time in Retry-After.",
    502: "Another server that had to be asked does not answer, or not as it should.",
    503: "Not now; try again after the time in Retry-After.",
}
_OWN = "/api/v2/"
_REFUSED = (400, 404, 422)
_OPEN = ("/health/", "/openapi.json", "/docs", "/api/v2/session")
_SECURITY: list[dict[str, list[str]]] = [
    {},
    {"bearer": []},
    {"key": []},
    {"query": []},
    {"gateway": []},
    {"session": []},
]
_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "An API key: hw_..."},
    "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "query": {"type": "apiKey", "in": "query", "name": "api_key"},
    "gateway": {"type": "apiKey", "in": "header", "name": "X-Gateway-Assertion"},
    "session": {"type": "apiKey", "in": "cookie", "name": "headwater_session"},
}
_TENANT = {
    "name": "tenant",
    "in": "query",
    "required": False,
    "description": "Code of the tenant, for a credential that is for none in particular.",
    "schema": {"type": "string"},
}


class Operation(msgspec.Struct, frozen=True):
    """One method of one path."""

    method: str
    path: str
    """As Starlette has it: `/api/v2/datasets/{id:path}`."""
    name: str
    declaration: RouteDeclaration

    @property
    def id(self) -> str:
        """The name of the handler; elsewhere than in our own API method and path."""
        if self.path.startswith(_OWN) or self.path.count("/") == 1:
            return self.name
        parent = _PARAMETER.sub(r"\1", self.path)
        return re.sub(r"\W+", "_", f"{self.method.lower()}{parent}").strip("_")

    @property
    def shown_path(self) -> str:
        """As OpenAPI has it: `/api/v2/datasets/{id}`."""
        return _PARAMETER.sub(r"{\1}", self.path)


def operations_of(routes: Iterable[Route]) -> list[Operation]:
    """All operations of these routes; one that nobody declared is described by its path alone."""
    found = []
    for route in routes:
        for method in sorted((route.methods or set()) - {"HEAD"}):
            declaration = declaration_of(route.endpoint) or _generic(route)
            found.append(Operation(method, route.path, route.name, declaration))
    return found


def document(operations: Iterable[Operation]) -> dict[str, Any]:
    """The whole document."""
    known = list(operations)
    types: list[Any] = [ErrorAnswer]
    for operation in known:
        declared = operation.declaration
        answers = declared.answer.kinds if isinstance(declared.answer, OneOf) else (declared.answer,)
        types += [kind for kind in (*answers, declared.body, *declared.refusals) if kind is not None]
    schemas, components = _with_plain_names(*msgspec.json.schema_components(types, ref_template=_REFERENCE))
    schema_of = dict(zip(map(id, types), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for operation in known:
        paths.setdefault(operation.shown_path, {})[operation.method.lower()] = _entry(operation, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Headwater",
            "version": __version__,
            "description": "Where does this column come from, what happens to it, and what breaks if I change it?",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": dict(sorted(paths.items())),
        "components": {"schemas": components, "securitySchemes": _SCHEMES},
    }


def _with_plain_names(
    schemas: tuple[dict[str, Any], ...], components: dict[str, Any]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Names such as `PageOfRunItem` for the library's `Page_RunItem_`."""
    text = msgspec.json.encode([schemas, components])
    renamed: list[Any] = msgspec.json.decode(_GENERIC.sub(rb"PageOf\1", text))
    return renamed[0], renamed[1]


def _entry(operation: Operation, schema_of: dict[int, Any]) -> dict[str, Any]:
    declared, is_open = operation.declaration, operation.path.startswith(_OPEN)
    entry: dict[str, Any] = {
        "operationId": operation.id,
        "summary": declared.summary,
        "tags": [declared.group or _group(operation.path)],
        "parameters": _parameters(operation, is_open=is_open),
        "responses": _responses(operation, schema_of, is_open=is_open),
    }
    if declared.body is not None:
        content: dict[str, Any] = {"schema": schema_of[id(declared.body)]}
        if declared.body_example is not None:
            content["example"] = declared.body_example
        entry["requestBody"] = {"required": declared.body_required, "content": {"application/json": content}}
    if not is_open:
        entry["security"] = _SECURITY
    return entry


def _parameters(operation: Operation, *, is_open: bool) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for name, kind in _PARAMETER.findall(operation.path):
        parent: dict[str, Any] = (
            {"type": "integer", "minimum": 0} if kind == "int" else {"type": "string", "minLength": 1}
        )
        found.append({"name": name, "in": "path", "required": True, "schema": parent})
    for field in msgspec.structs.fields(operation.declaration.query or NoQuery):
        schema = _without_null(msgspec.json.schema(field.type))
        described: dict[str, Any] = {"name": field.encode_name, "in": "query", "required": field.required}
        if "description" in schema:
            described["description"] = schema.pop("description")
        examples = schema.pop("examples", None)
        if examples:
            described["example"] = examples[0]
        if field.default is not msgspec.NODEFAULT and field.default not in (None, ()):
            schema["default"] = field.default
        found.append({**described, "schema": schema})
    return found if is_open else [*found, _TENANT]


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A parameter is there or not; it is never null."""
    members = [member for member in schema.get("anyOf", ()) if member != {"type": "null"}]
    if len(members) != 1:
        return dict(schema)
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**members[0], **rest}


def _responses(operation: Operation, schema_of: dict[int, Any], *, is_open: bool) -> dict[str, Any]:
    declared = operation.declaration
    if declared.query is None and declared.answer is Any:  # nobody declared it: whatever it answers
        return {"default": {"description": "As the handler has it; not declared more closely."}}
    answer: dict[str, Any] = {"description": _REASONS[declared.status]}
    if declared.answer is not None:
        content: dict[str, Any] = {}
        if declared.media == "application/json":
            content["schema"] = _schema(declared.answer, schema_of)
        example = (
            declared.example
            if declared.example is not None
            else _recorded().get(f"{operation.method} {operation.shown_path}")
        )
        if example is not None:
            content["example"] = example
        answer["content"] = {declared.media: content}
        if declared.tables is not None:
            answer["content"]["text/csv"] = {"example": declared.tables}
    refused = [schema_of[id(kind)] for kind in declared.refusals]
    statuses = {400, *declared.errors, *(() if is_open else (401, 403)), 503}
    if declared.body is not None:
        statuses.add(413)
    if _PARAMETER.search(operation.path):
        statuses.add(404)
    found = {str(declared.status): answer}
    for status in sorted(statuses):
        schema = {"anyOf": refused} if len(refused) > 1 and status in _REFUSED else schema_of[id(ErrorAnswer)]
        found[str(status)] = {"description": _REASONS[status], "content": {"application/json": {"schema": schema}}}
    return found


def _schema(answer: Any, schema_of: dict[int, Any]) -> dict[str, Any]:
    if not isinstance(answer, OneOf):
        found: dict[str, Any] = schema_of[id(answer)]
        return found
    mapping: dict[str, str] = {}
    for kind in answer.kinds:
        (declared,) = (field for field in msgspec.structs.fields(kind) if field.encode_name == answer.member)
        mapping |= {value: schema_of[id(kind)]["$ref"] for value in msgspec.json.schema(declared.type)["enum"]}
    choices = [schema_of[id(kind)] for kind in answer.kinds]
    return {"oneOf": choices, "discriminator": {"propertyName": answer.member, "mapping": mapping}}


@cache
def _recorded() -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(EXAMPLES.read_bytes())
    return found


def _generic(route: Route) -> RouteDeclaration:
    words = route.name.replace("_", " ").strip()
    summary = f"{words[:1].upper()}{words[1:]}."
    return RouteDeclaration(summary)


def _group(path: str) -> str:
    parts = [part for part in path.split("/") if part]
    if parts[:2] == ["api", "v2"]:
        return parts[2]
    return "/".join(parts[:2]) if parts[:1] == ["api"] else parts[0] if parts else "home"
