"""`associate_tags`: which tags and value domains were given to an object, and which were taken from it."""

from __future__ import annotations

from headwater.graph.catalog.facts import AssetTag
from headwater.graph.catalog.names import AssetKind, Path, asset_id, path_of_namespace
from headwater.graph.fact import Fact
from headwater.interpret.gravitino.statement import CatalogStatement, as_json
from headwater.interpret.gravitino.wire import TagFacet
from headwater.openlineage.event import EventWarning
from headwater.openlineage.facets import read_facet
from headwater.openlineage.identity import digest
from headwater.openlineage.naming import clean

__all__ = ["tags_are"]

_PARTS = {AssetKind.CATALOG: 0, AssetKind.SCHEMA: 1, AssetKind.TABLE: 2, AssetKind.COLUMN: 3}
"""How many parts of the path the name of the dataset holds; a catalog's is the name itself."""
_SPELLED = {"WORD_ROOT": "WORDROOT", "VALUE_DOMAIN": "VALUEDOMAIN"}


def tags_are(statement: CatalogStatement) -> list[Fact]:
    """One fact a tag; the whole list that the object has now counts as given, too."""
    warnings = statement.event.warnings
    facet = read_facet(TagFacet, statement.dataset.facets, "gravitinoTag", statement.facets_path, warnings)
    if facet is None:
        return []
    spoken = facet.object_type.strip().upper()
    kind = AssetKind.__members__.get(_SPELLED.get(spoken, spoken))
    path = _path(statement, kind) if kind is not None else None
    if kind is None or path is None:
        where = f"{statement.facets_path}.gravitinoTag.objectType"
        warnings.append(EventWarning(where, f"{facet.object_type!r} of this name is not known: changes nothing"))
        return []
    taken = {clean(tag) for tag in facet.tags_to_remove or () if tag}
    given = {clean(tag) for tag in (*(facet.associated_tags or ()), *(facet.tags_to_add or ())) if tag} - taken
    return [
        AssetTag(
            statement.tenant,
            asset_id(kind, path),
            digest("asset tag", tag),
            kind=kind,
            path=as_json(path),
            name=tag,
            given=(statement.stamp, int(tag in given)),
        )
        for tag in sorted(given | taken)
    ]


def _path(statement: CatalogStatement, kind: AssetKind) -> Path | None:
    """The path of the object. Of kinds outside the tree only the last part of the name is sent."""
    namespace_path, name = (
        path_of_namespace(clean(statement.dataset.namespace).strip()),
        clean(statement.dataset.name).strip(),
    )
    if namespace_path is None or not name:
        return None
    if kind is AssetKind.CATALOG:
        return namespace_path[0], name
    if kind not in _PARTS:
        return (*namespace_path, "", name) if "." not in name else (*namespace_path, *name.split(".", 1))
    parts = name.split(".", _PARTS[kind] - 1)
    return (*namespace_path, *parts) if len(parts) == _PARTS[kind] and all(parts) else None
