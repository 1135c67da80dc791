"""Tables that an engine reads or writes through a catalog: the same as the catalog's own, under another name."""

from __future__ import annotations

import re
from typing import Any

from headwater.graph.catalog.names import SCHEME, Path, path_of_namespace
from headwater.graph.facts import Seen
from headwater.interpret.facets.datasets import DatasetPart, Parts
from headwater.openlineage.event import Dataset, Event
from headwater.openlineage.facets import Symlinks, read_facet
from headwater.openlineage.naming import clean, dataset_name

__all__ = ["link_to_catalog"]

_METALAKE = re.compile(r"(?:/metalakes/|^gravitino://)([^/?#]+)")


def link_to_catalog(parts: Parts, event: Event) -> None:
    """Name each dataset of the event as its catalog does: by the job's namespace, or the dataset's catalog facet."""
    namespace = event.job.namespace if event.job is not None else ""
    of_job = path_of_namespace(clean(namespace).strip()) if namespace.startswith(SCHEME) else None
    for part in list(parts.datasets.values()):
        catalog = part.kept.get("catalog")
        if of_job is None and not catalog:
            continue
        sent = next((dataset for dataset in (*event.inputs, *event.outputs) if _is(part, dataset)), None)
        path = _place(catalog, of_job)
        if sent is not None and path is not None:
            _link(parts, part, sent, path, event)


def _is(part: DatasetPart, dataset: Dataset) -> bool:
    return dataset_name(dataset.namespace, dataset.name).id == part.name.id


def _place(catalog: dict[str, Any] | None, of_job: Path | None) -> Path | None:
    """Metalake and catalog of a dataset."""
    if catalog and "gravitino" in f"{catalog.get('framework')} {catalog.get('type')}".lower():
        uris = (str(catalog.get(name) or "") for name in ("metadataUri", "warehouseUri"))
        metalake = next((found.group(1) for uri in uris if (found := _METALAKE.search(uri))), of_job and of_job[0])
        name = catalog.get("name")
        if metalake and isinstance(name, str) and name:
            return clean(metalake), clean(name)
    return of_job if of_job and all(of_job) else None


def _link(parts: Parts, part: DatasetPart, sent: Dataset, path: Path, event: Event) -> None:
    name = _logical_name(sent, event)
    words = name.split(".") if name else []
    if len(words) == 3:
        path, words = (path[0], words[0]), words[1:]
    if len(words) != 2 or not all(words):
        return
    table = dataset_name(SCHEME + "/".join(path), ".".join(words))
    if table.id != part.name.id:
        parts.see(table, Seen.SYMLINK)
        parts.symlinks |= {(part.name.id, table.id, "METASTORE"), (table.id, part.name.id, "WAREHOUSE")}


def _logical_name(sent: Dataset, event: Event) -> str | None:
    """As the engine calls the table: by a symlink of type TABLE, else by its own name if that is no path."""
    facet = read_facet(Symlinks, sent.facets, "symlinks", "$", event.warnings) if sent.facets else None
    for symlink in (facet.identifiers if facet else None) or ():
        if (symlink.type or "TABLE").upper() == "TABLE" and symlink.name and "/" not in symlink.name:
            return clean(symlink.name)
    return None if "/" in sent.name else clean(sent.name)
