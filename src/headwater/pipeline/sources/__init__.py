"""Sources: files cut into splits, lines of a split, the event log, tables of a store."""
