"""All routes of Marquez' API."""

from __future__ import annotations

from headwater.api.marquez import datasets, events, jobs, lineage, namespaces, runs, search, sources, stats, tags

__all__ = ["PATHS", "ROUTES"]

PATHS = ("/api/v1/", "/api/v2beta/")
"""Paths below these have errors in Marquez' form."""

ROUTES = [
    *namespaces.ROUTES,
    *sources.ROUTES,
    *tags.ROUTES,
    *datasets.ROUTES,
    *runs.ROUTES,
    *jobs.ROUTES,
    *lineage.ROUTES,
    *events.ROUTES,
    *search.ROUTES,
    *stats.ROUTES,
]
