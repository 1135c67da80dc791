"""Texts of nodes that are embedded or summarised."""
