"""Per-tenant caches of the graph, and how they learn of changes."""
