"""Keys: short stable ids of listed things."""

from __future__ import annotations

import re
from typing import NamedTuple

from headwater.openlineage.identity import digest
from headwater.openlineage.naming import namespace_id

__all__ = ["NodeKey", "column_key", "location_key", "read_key", "tag_key", "user_key"]

_KEY = re.compile(r"(dataset|job|location|user|tag)@([0-9a-f]{32})|(column)@([0-9a-f]{32})([0-9a-f]{32})")


class NodeKey(NamedTuple):
    kind: str
    id: bytes
    column: bytes | None = None
    """Of a column, whose dataset is `id`: the digest of its name."""


def read_key(text: str) -> NodeKey | None:
    """A key; None when this is none. Runs and statements have ids that are short anyway.

    >>> read_key("job@" + "0a" * 16).kind
    'job'
    """
    found = _KEY.fullmatch(text)
    if found is None:
        return None
    kind, node, _, dataset, column = found.groups()
    if kind is not None:
        return NodeKey(kind, bytes.fromhex(node))
    return NodeKey("column", bytes.fromhex(dataset), bytes.fromhex(column))


def column_key(dataset: bytes, column: str) -> str:
    return f"column@{dataset.hex()}{digest('column', column).hex()}"


def location_key(namespace: str) -> str:
    return f"location@{namespace_id(namespace).hex()}"


def user_key(name: str) -> str:
    return f"user@{digest('user', name).hex()}"


def tag_key(tag: str) -> str:
    return f"tag@{digest('tag', tag).hex()}"
