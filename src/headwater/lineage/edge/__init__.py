"""One flow between two nodes, explained: who makes it, how columns get there, how much, since when."""
