"""One file per producer: the particular rules for its events."""
