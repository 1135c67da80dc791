"""`POST /api/graphql`: `updateLineage` and `scrollAcrossLineage`, and nothing else of GraphQL."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from headwater.access.identity import Role
from headwater.api.authentication.authorize import require
from headwater.api.by_hand.service import LineageService
from headwater.api.context import Context, ask, maker_of
from headwater.api.datahub.words import Placed, in_their_words
from headwater.api.http.json_body import read_json
from headwater.errors import HeadwaterError
from headwater.lineage.by_hand.errors import Problem, WrongEdges
from headwater.lineage.by_hand.request import EdgeAsk, EdgesAsk
from headwater.lineage.datahub.scroll import scroll
from headwater.lineage.edits.event import DATAHUB
from headwater.lineage.errors import BadQuestion

__all__ = ["PATH", "answer_query", "only_asks"]

PATH = "/api/graphql"

_FIELD = re.compile(r"\b(updateLineage|scrollAcrossLineage)\s*\(\s*input\s*:\s*\$(\w{1,100})\s*\)")
_QUESTION = "scrollAcrossLineage"
_LONGEST = 100_000


async def answer_query(context: Context, body: Any) -> dict[str, Any]:
    """The answer, with `errors` where something is wrong, as GraphQL has it."""
    try:
        field, wanted = _read(body)
        if field == "updateLineage":
            require(context.identity, Role.EDITOR)
            await _update(context, wanted)
            return {"data": {field: True}}
        env = context.services.datahub_env
        return {"data": {field: await ask(scroll, context.reader, context.tenant.id, wanted, env)}}
    except WrongEdges as error:
        return {"data": None, "errors": [_error(problem, "BAD_REQUEST", 400) for problem in error.shown]}
    except HeadwaterError as error:
        code = 403 if error.code == "forbidden" else 400
        return {"data": None, "errors": [_error(error, error.code.upper(), code)]}


def _error(told: HeadwaterError | Problem, kind: str, code: int) -> dict[str, Any]:
    """One error, as GraphQL has it; `place` is where in the request."""
    message = f"{told.message} {told.hint}" if told.hint else told.message
    return {"message": message, "path": None, "extensions": {"code": code, "type": kind, "place": told.path}}


def only_asks(body: bytes) -> bool:
    """Whether a request changes nothing, so that it is answered where all questions are."""
    try:
        return _read(read_json(body, dict[str, Any]))[0] == _QUESTION
    except (BadQuestion, msgspec.DecodeError):
        return False


def _read(body: Any) -> tuple[str, dict[str, Any]]:
    members = body if isinstance(body, dict) else {}
    query, variables = members.get("query"), members.get("variables")
    found = _FIELD.findall(query[:_LONGEST]) if isinstance(query, str) else []
    if len(found) != 1:
        raise BadQuestion(
            "Of GraphQL, only updateLineage(input: $input) and scrollAcrossLineage(input: $input) are answered.",
            hint="Send one of them, with its input as a variable. Everything else has routes: see /docs.",
        )
    field, name = found[0]
    wanted = variables.get(name) if isinstance(variables, dict) else None
    if not isinstance(wanted, dict):
        raise BadQuestion(f"The variable ${name} is missing.", hint=f"Send the input of {field} in `variables`.")
    return field, wanted


async def _update(context: Context, wanted: dict[str, Any]) -> None:
    add, remove = (_edges(wanted.get(name), name) for name in ("edgesToAdd", "edgesToRemove"))
    if not add and not remove:
        return
    service = LineageService(context, maker_of(context, via=DATAHUB), context.services.datahub_env)
    asked = EdgesAsk(add=add, remove=remove)
    try:
        await service.change(asked, hides=True)
    except WrongEdges as error:
        placed = {path: Placed(_place(path), edge.target) for _, path, edge in asked.listed()}
        told = in_their_words(error, placed)
        targets = {edge.place: edge.target for edge in placed.values()}
        raise WrongEdges([_resolver(problem, targets) for problem in told.problems]) from None


def _place(path: str) -> str:
    """`$.add[0]` as the request has it."""
    return path.replace("$.add", "$.variables.input.edgesToAdd").replace("$.remove", "$.variables.input.edgesToRemove")


def _resolver(problem: Problem, targets: dict[str, str]) -> Problem:
    """A downstream end that is not there has words of its own."""
    target = targets.get(problem.path)
    if problem.error != "not_found" or problem.end != target:
        return problem
    message = f"Cannot upsert lineage as downstream urn {target} doesn't exist"
    return Problem(problem.path, message, problem.error, end=target)


def _edges(listed: Any, name: str) -> list[EdgeAsk]:
    found = []
    for item in listed if isinstance(listed, list) else ():
        members = item if isinstance(item, dict) else {}
        target, source = members.get("downstreamUrn"), members.get("upstreamUrn")
        if not isinstance(target, str) or not isinstance(source, str):
            raise BadQuestion(f"An edge of {name} needs downstreamUrn and upstreamUrn.")
        found.append(EdgeAsk(source=source, target=target))
    return found
