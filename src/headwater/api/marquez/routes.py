"""All routes of Marquez' API."""

from __future__ import annotations

from headwater.api.marquez import datasets, events, jobs, lineage, namespaces, runs, search, sources, stats, tags

__all__ = ["PATHS", "ROUTES"]

PATHS = ("/api/v1/", "/api/v2beta/")
"""What is below these is refused in the words of Marquez."""

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
