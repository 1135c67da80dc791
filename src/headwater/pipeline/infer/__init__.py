"""Column lineage from the SQL in events, where the engines report none."""
