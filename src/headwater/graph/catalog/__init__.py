"""Objects of catalogs: tables, metrics, tags and the rest, with their renames and drops."""
