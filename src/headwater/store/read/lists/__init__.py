"""Pages of lists: datasets, jobs, runs, statements, users, edits; their order and counts."""
