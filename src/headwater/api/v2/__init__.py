"""Headwater's own API: lists, search and entities."""

from headwater.api.v2 import edits, hand_edges, locations
from headwater.api.v2.lists import nodes, others, runs, search

__all__ = ["ROUTES"]

ROUTES = [
    *search.ROUTES,
    *nodes.ROUTES,
    *runs.ROUTES,
    *locations.ROUTES,
    *edits.ROUTES,
    *hand_edges.ROUTES,
    *others.ROUTES,
]
