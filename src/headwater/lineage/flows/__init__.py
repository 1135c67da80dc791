"""Flows between datasets, jobs and columns, looked up for whole levels of a walk."""
