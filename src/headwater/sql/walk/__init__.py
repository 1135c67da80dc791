"""Syntax trees to the columns they read and write."""
