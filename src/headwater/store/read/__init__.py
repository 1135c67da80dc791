"""Reads by name, id and text. The tenant is the first argument of every function."""
