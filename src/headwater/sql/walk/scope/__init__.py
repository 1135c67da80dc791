"""Visible names: the catalog, relations of a FROM clause, and the column that a name means."""
