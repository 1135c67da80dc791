"""Edges from a CSV file: `source`, `target`, and optionally `action` and properties of the edge."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from headwater.errors import HeadwaterError

__all__ = ["ACTIONS", "EdgeLine", "WrongFile", "batches", "read_edges"]

ACTIONS = ("add", "remove", "hide", "show")
_COLUMNS = (
    "action",
    "source",
    "target",
    "note",
    "reason",
    "by",
    "type",
    "subtype",
    "description",
    "masking",
)
_OF_TRANSFORMATION = ("type", "subtype", "description")
_MOST = 1000
"""Edges in one request."""
_MOST_BYTES = 3 << 20
"""Of one request, of which the server takes four megabytes."""
_YES = ("1", "true", "yes")

EdgeLine = tuple[int, str, dict[str, Any]]
"""Number of the line, operation, and the edge in the form of a request."""


class WrongFile(HeadwaterError):
    code = "wrong_file"


def read_edges(path: Path, action: str) -> Iterator[EdgeLine]:
    """Edges of a file; `action` applies to lines without one."""
    try:
        file = path.open(encoding="utf-8-sig", newline="")
    except OSError as error:
        raise WrongFile(f"{path} cannot be read: {error.strerror or error}.") from None
    with file:
        reader = csv.DictReader(file)
        try:
            names = reader.fieldnames or []
            _check(path, names)
            for row in reader:
                yield reader.line_num, *_edge(path, reader.line_num, row, action)
        except UnicodeDecodeError:
            raise WrongFile(
                f"{path} is not UTF-8.", hint="Save it as UTF-8, with commas between the columns."
            ) from None
        except csv.Error as error:
            raise WrongFile(f"{path}, line {reader.line_num}: {error}.") from None


def _check(path: Path, names: Any) -> None:
    known = ", ".join(_COLUMNS)
    if "source" not in names or "target" not in names:
        hint = f"Its first line names the columns; known are {known}."
        raise WrongFile(f"{path} has no columns `source` and `target`.", hint=hint)
    strange = [name for name in names if name not in _COLUMNS]
    if strange:
        raise WrongFile(f"{path} has a column {strange[0]!r} that means nothing.", hint=f"Known are {known}.")


def _edge(path: Path, line: int, row: dict[str, Any], action: str) -> tuple[str, dict[str, Any]]:
    if row.get(None):  # type: ignore[call-overload]
        raise WrongFile(f"{path}, line {line}: more values than columns.", hint='Put values with commas into "quotes".')
    said = {name: (row.get(name) or "").strip() for name in _COLUMNS}
    for end in ("source", "target"):
        if not said[end]:
            raise WrongFile(f"{path}, line {line}: `{end}` is empty.")
    doing = said["action"] or action
    if doing not in ACTIONS:
        raise WrongFile(f"{path}, line {line}: `action` is {doing!r}.", hint=f"It is one of {', '.join(ACTIONS)}.")
    edge: dict[str, Any] = {name: said[name] for name in ("source", "target", "note", "reason", "by") if said[name]}
    how: dict[str, Any] = {name: said[name] for name in _OF_TRANSFORMATION if said[name]}
    if said["masking"].lower() in _YES:
        how["masking"] = True
    return doing, {**edge, **({"transformation": how} if how else {})}


def batches(edges: Iterator[EdgeLine]) -> Iterator[list[EdgeLine]]:
    """As many edges as one request takes."""
    batch: list[EdgeLine] = []
    size = 0
    for edge in edges:
        length = sum(len(str(value)) for value in edge[2].values()) + 100
        if batch and (len(batch) >= _MOST or size + 4 * length > _MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(edge)
        size += 4 * length
    if batch:
        yield batch
