"""Where a command gets its answer: the local store, or a server."""
