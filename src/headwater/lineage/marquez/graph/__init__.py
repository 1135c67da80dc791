"""Lineage as Marquez answers it: by node, by column, by run."""
