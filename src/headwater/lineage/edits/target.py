"""Target of a change: dataset, column, job or location, by any name."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from headwater.graph.annotations.described import Described
from headwater.graph.facts import NodeKind, SchemaVersion, ShapeDataset, ShapeEdge
from headwater.lineage.edits.event import Remark
from headwater.lineage.entities.annotations import described_of
from headwater.lineage.entities.locations import LOCATION, find_location, location_ids
from headwater.lineage.entities.schemas import column_paths, read_fields
from headwater.lineage.errors import BadQuestion
from headwater.lineage.names.find import find_node
from headwater.lineage.names.start import check_column, find_start
from headwater.store.read.aliases import Aliases
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader

__all__ = ["EditTarget", "described_target", "find_target"]


class EditTarget(Struct, frozen=True):
    type: str
    """DATASET, JOB or NAMESPACE, as in a note."""
    shown: str
    """Its id."""
    namespace: str
    name: str
    column: str
    ids: frozenset[bytes]
    """All ids that it has."""

    @property
    def kind(self) -> str:
        """As people call it."""
        return "column" if self.column else "location" if self.type == "NAMESPACE" else self.type.lower()

    def remark(self, kind: str, value: str, name: str = "", *, column: bool = True) -> Remark:
        return Remark(self.type, kind, value, self.namespace, self.name, self.column if column else "", name)


def find_target(reader: Reader, tenant: int, text: str) -> EditTarget:
    """The one thing that fits a text; raises with the candidates if there is not exactly one."""
    if text.strip().startswith(LOCATION):
        location = find_location(reader, tenant, text)
        namespace, ids = location_ids(reader, tenant, location)
        return EditTarget("NAMESPACE", f"{LOCATION}{namespace}", namespace, "", "", ids)
    start = find_start(reader, tenant, text)
    if start.kind not in ("dataset", "job", "column"):
        raise BadQuestion(
            f"{start.shown} is a {start.kind}; it cannot be described by hand.",
            path="$.name",
            hint="Datasets, columns (DATASET#COLUMN), jobs and locations can.",
        )
    aliases = Aliases(reader, tenant)
    aliases.learn([start.id])
    ids = aliases.group(start.id)
    shown = aliases.canonical(start.id)
    name = reader.names(tenant, [shown, start.id]).get(shown) or find_node(reader, tenant, start.shown)
    if start.kind == "column":
        column = check_column(start, _columns(reader, tenant, ids)).column or ""
        return EditTarget("DATASET", f"{name.node_id}#{column}", name.namespace, name.name, column, ids)
    kind = "JOB" if name.kind is NodeKind.JOB else "DATASET"
    return EditTarget(kind, name.node_id, name.namespace, name.name, "", ids)


def described_target(reader: Reader, tenant: int, target: EditTarget) -> Described:
    """Current notes of a thing; of a column, those of its dataset."""
    found = described_of(tenant, Lookup(reader.engine), {b"": target.ids})
    return found.get(b"") or Described()


def _columns(reader: Reader, tenant: int, ids: frozenset[bytes]) -> set[str]:
    """Every column that a schema or an edge of the dataset names."""
    parts = reader.facts(tenant, ShapeDataset, dataset=ids)
    schemas = {part.schema for part in parts if part.schema is not None}
    fields = [read_fields(item.fields) for item in reader.facts(tenant, SchemaVersion, schema=schemas)]
    found = {path for some in fields for path in column_paths(some)}
    if not found:
        edges = reader.facts(tenant, ShapeEdge, shape={part.shape for part in parts})
        found = {column for edge in edges for column in _named(edge, ids)}
    return found


def _named(edge: ShapeEdge, ids: frozenset[bytes]) -> set[str]:
    entries = msgspec.json.decode(edge.columns) if edge.columns else []
    return {
        column
        for source, target, *_ in entries
        for node, column in ((edge.source, source), (edge.target, target))
        if node in ids and column
    }
