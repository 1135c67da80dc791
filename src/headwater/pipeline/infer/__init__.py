"""Column lineage out of the SQL in events, for what the engines themselves did not report."""
