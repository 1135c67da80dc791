"""Clauses of a query: WITH, SELECT, FROM and set operations."""
