"""Questions that are asked by POST, since they are too long for an address: answered where all questions are."""

from __future__ import annotations

from typing import Any

from headwater.api.datahub import graphql
from headwater.api.query_process.messages import BODY
from headwater.api.v2 import picture

__all__ = ["POSTED", "as_question"]

POSTED = frozenset({picture.PATH, graphql.PATH})


def as_question(scope: Any, body: bytes) -> Any:
    """The scope of a request to one of these paths, so that it counts as a question if it is one."""
    if scope["path"] == picture.PATH:
        return picture.as_query(scope, body)
    return {**scope, BODY: body} if graphql.only_asks(body) else scope
