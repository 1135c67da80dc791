"""The moments at which something changed: schemas, lineage, datasets that came or went, failed runs, edits."""
