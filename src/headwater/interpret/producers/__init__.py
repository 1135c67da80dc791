"""One file per producer: what is particular to its events."""
