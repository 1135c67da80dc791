"""References to nodes in answers: key, id, kind, and a short distinct title."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from headwater.graph.annotations.described import Described
from headwater.graph.facts import NodeKind
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.picture.answer import NodeKind as NodeWord
from headwater.lineage.picture.answer import NodeRef
from headwater.lineage.picture.drawing.titles import titles
from headwater.store.read.names import text_of

__all__ = ["kind_of", "node_refs"]


def node_refs(flow: Flow, nodes: Collection[bytes], about: Mapping[bytes, Described]) -> dict[bytes, NodeRef]:
    """References to datasets and jobs, by the ids under which they are shown;

    `about` has types of charts and dashboards.
    """
    names = flow.names(nodes)
    jobs = {node for node, name in names.items() if name.kind is NodeKind.JOB}
    texts = {node: (name.namespace, name.name) for node, name in names.items()}
    title_of = titles({node: text for node, text in texts.items() if node not in jobs})
    title_of |= titles({node: texts[node] for node in jobs}, jobs=jobs)
    return {
        node: NodeRef(
            key=name.key,
            id=text_of(name),
            kind="job" if node in jobs else kind_of(about.get(node)),
            namespace=name.namespace,
            name=name.name,
            title=_told_title(about.get(node)) or title_of[node][0],
        )
        for node, name in names.items()
    }


def _told_title(about: Described | None) -> str | None:
    return about.title if about is not None else None


def kind_of(about: Described | None) -> NodeWord:
    """Charts and dashboards are datasets with that `datasetType`."""
    word = ((about.type if about is not None else None) or "").lower()
    return "dashboard" if "dashboard" in word else "chart" if "chart" in word else "dataset"
