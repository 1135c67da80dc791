"""Names in sight: the catalog, relations of a FROM clause, and which column a name means."""
