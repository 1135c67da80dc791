"""Gravitino: events about the objects of a catalog, no runs of jobs."""
