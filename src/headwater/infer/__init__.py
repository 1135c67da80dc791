"""Column lineage of an event's datasets from its SQL: pure, for the pipeline and for questions alike."""
