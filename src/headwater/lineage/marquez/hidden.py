"""What was deleted by hand: hidden until something is heard of it again."""

from __future__ import annotations

from headwater.graph.facts import Node
from headwater.graph.notes import HIDDEN
from headwater.lineage.marquez.view import View

__all__ = ["hidden_namespaces", "hidden_nodes"]


def hidden_namespaces(view: View) -> dict[bytes, bytes]:
    """Namespaces that were deleted, and the stamp of that."""
    marked = _marked(view)
    nodes = view.names(list(marked))
    return {about: stamp for about, stamp in marked.items() if about not in nodes}


def hidden_nodes(view: View) -> frozenset[bytes]:
    """Datasets and jobs that were deleted, or whose namespace was, and of which nothing was heard since."""
    marked = _marked(view)
    if not marked:
        return frozenset()
    named = view.names(list(marked))
    nodes = {about: stamp for about, stamp in marked.items() if about in named}
    for place in set(marked) - set(nodes):
        for node in view.facts(Node, namespace=place):
            nodes[node.node] = max(marked[place], nodes.get(node.node, b""))
    heard = view.listing.last_heard(view.tenant, list(nodes))
    return frozenset(node for node, stamp in nodes.items() if heard.get(node, b"") < stamp)


def _marked(view: View) -> dict[bytes, bytes]:
    notes = view.listing.notes(view.tenant, HIDDEN)
    return {note.about: note.value[0] for note in notes if note.value is not None and note.value[1]}
