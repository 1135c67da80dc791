"""Columns in walks: neighbours of columns, and column edges of other walks."""
