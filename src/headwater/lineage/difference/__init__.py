"""Difference between the graph of two moments."""
