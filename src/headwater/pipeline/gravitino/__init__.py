"""Full sync of a metalake from a Gravitino server."""
