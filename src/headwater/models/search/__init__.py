"""Vectors: their index, and search by meaning."""
