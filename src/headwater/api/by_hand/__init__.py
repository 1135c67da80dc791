"""Lineage made by hand: the service behind every door, and Headwater's own routes."""
