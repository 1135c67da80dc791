"""Differences between dialects."""
