"""Reads of shapes: which ones apply, now or as of a moment."""
