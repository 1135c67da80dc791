"""Headwater's own API."""
