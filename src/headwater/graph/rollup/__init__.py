"""Derived rows from facts, in plain Python; the pipeline's Spark transforms must give the same."""
