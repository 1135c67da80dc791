"""Where a question starts: a dataset, column, job, run, operation or statement, by its id or any of its names."""

from __future__ import annotations

import difflib
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct

from headwater.graph.facts import Activity, NodeKind, Run, SchemaVersion, ShapeDataset, SqlText
from headwater.interpret.facets.statement import normalise_sql
from headwater.lineage.entities.schema_fields import field_names
from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.lineage.names.find import find_node, named_asset, parse_node_id, parse_run_id
from headwater.lineage.names.keys import NodeKey, column_key, read_key
from headwater.openlineage.identity import digest
from headwater.openlineage.naming import clean
from headwater.store.read.reader import Name, Reader

__all__ = ["Start", "check_column", "find_start"]

_ASSETS = ("metric", "chart", "dashboard")
_MOST_SPLITS = 16
"""Places of a `#` that are tried."""
_FIELD = "datasetField:"
"""As Marquez names a column: the field comes after the last colon."""


class Start(Struct, frozen=True):
    kind: str
    """dataset, column, job, run, operation or sql."""
    id: bytes
    shown: str
    column: str | None = None
    digest: bytes | None = None
    """Of the column's name, where the start is a key."""


def find_start(reader: Reader, tenant: int, text: str) -> Start:
    """The one thing that fits a text; raises with the candidates if there is not exactly one."""
    text = clean(text).strip()
    key = read_key(text)
    if key is not None and key.column is not None:
        return _column_by_key(reader, tenant, key, text)
    kind, _, rest = text.partition(":")
    if kind in ("run", "operation") or parse_run_id(text) is not None:
        run = _find_run(reader, tenant, text, kind)
        if run is not None:
            return run
    if kind == "sql" or " " in text:
        statement = _find_sql(reader, tenant, rest if kind == "sql" else text)
        if statement is not None:
            return statement
    if kind in _ASSETS:
        return _find_asset(reader, tenant, kind, rest)
    if kind == "column":
        return _find_column(reader, tenant, f"dataset:{rest}")
    if text.startswith(_FIELD):
        dataset, _, column = text.removeprefix(_FIELD).rpartition(":")
        return _find_column(reader, tenant, f"dataset:{dataset}#{column}")
    if "#" in text and not _exact(reader, tenant, text) and _heads(reader, tenant, text):
        return _find_column(reader, tenant, text)  # without looking for names that contain a `#`
    try:
        return _of(find_node(reader, tenant, text))
    except NodeNotFound:
        if "#" not in text:
            raise
    return _find_column(reader, tenant, text)


def _exact(reader: Reader, tenant: int, text: str) -> bool:
    if read_key(text) is not None:
        return True
    ids = [node for form in (text, f"dataset:{text}", f"job:{text}") for node in parse_node_id(form)]
    return bool(reader.names(tenant, ids))


def _splits(text: str) -> list[tuple[str, str]]:
    """Possible splits into dataset and column, the longest dataset first: both may contain a `#`."""
    places = [position for position, character in enumerate(text) if character == "#"][:_MOST_SPLITS]
    return [(text[:position], text[position + 1 :]) for position in reversed(places) if position]


def _heads(reader: Reader, tenant: int, text: str) -> list[tuple[str, str]]:
    """Those of which the dataset is there."""
    return [pair for pair in _splits(text) if _exact(reader, tenant, pair[0])]


def _of(name: Name) -> Start:
    return Start("job" if name.kind is NodeKind.JOB else "dataset", name.id, name.node_id)


def _find_run(reader: Reader, tenant: int, text: str, kind: str) -> Start | None:
    run_id = parse_run_id(text)
    found = reader.facts(tenant, Run, run=run_id) if run_id is not None else []
    if not found or run_id is None:
        if kind in ("run", "operation"):
            raise NodeNotFound(f"There is no {kind} {text.partition(':')[2]}.", hint="`headwater show JOB` lists runs.")
        return None
    activity = Activity(found[0].activity or Activity.RUN)
    return Start("operation" if activity is Activity.OPERATION else "run", run_id, f"run:{_uuid(run_id)}")


def _find_sql(reader: Reader, tenant: int, text: str) -> Start | None:
    """By the digest that a dump shows, or by the statement itself, however it is laid out."""
    try:
        known = bytes.fromhex(text)
    except ValueError:
        known = digest("sql", normalise_sql(text))
    if len(known) == 16 and reader.facts(tenant, SqlText, sql=known):
        return Start("sql", known, f"sql:{known.hex()}")
    return None


def _find_asset(reader: Reader, tenant: int, kind: str, rest: str) -> Start:
    """Finds metrics, charts and dashboards: datasets with that `datasetType`."""
    try:
        name = named_asset(reader, tenant, kind, rest) or find_node(reader, tenant, f"dataset:{rest}")
    except NodeNotFound:
        raise NodeNotFound(
            f"There is no {kind} called {rest!r}.",
            hint=f"A {kind} is a dataset whose facet `datasetType` says {kind.upper()}; none of this name is known.",
        ) from None
    types = {_dataset_type(part) for part in reader.facts(tenant, ShapeDataset, dataset=name.id)}
    if not any(kind in (word or "").lower() for word in types):
        raise BadQuestion(f"{name.node_id} is no {kind}.", hint=f"Ask for {name.node_id}.")
    return _of(name)


def _dataset_type(part: ShapeDataset) -> str | None:
    facets: dict[str, Any] = msgspec.json.decode(part.facets) if part.facets else {}
    value = (facets.get("datasetType") or {}).get("datasetType")
    return value if isinstance(value, str) else None


def _find_column(reader: Reader, tenant: int, text: str) -> Start:
    """`DATASET#COLUMN`; the column may be one that only the names of edges know."""
    splits = _heads(reader, tenant, text) or _splits(text)
    if not splits:
        raise BadQuestion(
            f"{text[:200]!r} names no column.", hint="Write DATASET#COLUMN, for example shop.public.orders#amount."
        )
    found: list[tuple[Name, str]] = []
    missing: NodeNotFound | None = None
    for dataset, column in splits:
        try:
            found.append((find_node(reader, tenant, dataset), column))
        except NodeNotFound as error:
            missing = missing or error
    if not found:
        raise missing or NodeNotFound(f"Nothing is called {text[:200]!r}.")
    if len(found) > 1:
        found = [pair for pair in found if pair[1] in _schema_columns(reader, tenant, pair[0])] or found
    name, column = found[0]
    if name.kind is NodeKind.JOB:
        raise BadQuestion(f"{name.node_id} is a job and has no columns.", hint="Ask for a column of a dataset.")
    return Start("column", name.id, f"{name.node_id}#{column}", column) if column else _of(name)


def _column_by_key(reader: Reader, tenant: int, key: NodeKey, text: str) -> Start:
    name = reader.names(tenant, [key.id]).get(key.id)
    if name is None or name.kind is not NodeKind.DATASET:
        raise NodeNotFound(f"There is no column with the key {text}.", hint="Keys are in every answer about columns.")
    if text == column_key(key.id, ""):  # every row of it
        return _of(name)
    return Start("column", name.id, f"{name.node_id}#", None, key.column)


def _schema_columns(reader: Reader, tenant: int, name: Name) -> set[str]:
    """The columns that any schema of a dataset has."""
    schemas = {part.schema for part in reader.facts(tenant, ShapeDataset, dataset=name.id) if part.schema}
    versions = reader.facts(tenant, SchemaVersion, schema=schemas)
    return {column for version in versions for column in field_names(version.fields or b"[]")}


def check_column(start: Start, columns: set[str]) -> Start:
    """The column as it is spelt, or an error with those that come close."""
    dataset = start.shown[: len(start.shown) - len(start.column or "") - 1]
    if start.digest is not None:
        meant = [name for name in columns if digest("column", name) == start.digest]
        if not meant:
            raise NodeNotFound(f"{dataset} has no column with this key.", hint="`show` lists the columns it has now.")
        return msgspec.structs.replace(start, column=meant[0], shown=f"{dataset}#{meant[0]}", digest=None)
    if start.column in columns:
        return start
    same = [name for name in columns if name.lower() == (start.column or "").lower()]
    if len(same) == 1:
        return msgspec.structs.replace(start, column=same[0], shown=f"{dataset}#{same[0]}")
    sent = (start.column or "")[:200]
    near = difflib.get_close_matches(sent, [name[:200] for name in columns], n=5) or sorted(columns)[:8]
    hint = f"Did you mean {', '.join(near)}?" if near else "No column of this dataset is known."
    raise NodeNotFound(f"{dataset} has no column {sent!r}.", hint=hint)


def _uuid(value: bytes) -> str:
    return str(UUID(bytes=value))
