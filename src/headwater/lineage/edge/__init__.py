"""One flow between two nodes, explained: jobs, columns, volumes and times."""
