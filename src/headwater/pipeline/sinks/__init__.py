"""Sinks: merged facts and derived rows, written from Spark's tasks into a store."""
