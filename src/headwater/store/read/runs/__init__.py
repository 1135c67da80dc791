"""Reads of runs: activity, parts, outcomes, totals."""
