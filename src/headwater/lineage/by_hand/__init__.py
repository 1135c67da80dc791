"""Lineage made by hand: which edges are allowed, changes of them as events of the log, and what holds now."""
