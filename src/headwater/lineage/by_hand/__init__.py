"""Lineage by hand: allowed edges, changes as events of the log, and the current state."""
