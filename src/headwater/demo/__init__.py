"""Invented events: a small shop to look at, and logs of any size to measure with."""
