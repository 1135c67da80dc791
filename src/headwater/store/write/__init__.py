"""Writes: the event log, facts, bulk loads, staged graphs and derived tables, dead letters."""
