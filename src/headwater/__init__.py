"""Headwater: column-level lineage, folded from OpenLineage events."""

__version__ = "0.1.0"
