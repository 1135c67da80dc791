"""Derived rows out of facts, in plain Python: what the pipeline's Spark transforms must agree with."""
