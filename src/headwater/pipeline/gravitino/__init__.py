"""A full reading of what a Gravitino server has."""
