"""Names in questions: the nodes, keys and starts that they stand for."""
