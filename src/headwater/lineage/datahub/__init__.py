"""Requests of DataHub's clients about lineage, translated to edges by hand."""
