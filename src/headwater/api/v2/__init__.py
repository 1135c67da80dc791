"""Headwater's own API: lists, search and entities."""

from headwater.api.v2 import edits, locations
from headwater.api.v2.lists import nodes, others, runs, search

__all__ = ["ROUTES"]

ROUTES = [*search.ROUTES, *nodes.ROUTES, *runs.ROUTES, *locations.ROUTES, *edits.ROUTES, *others.ROUTES]
