"""What catalogs say of their own objects: tables, metrics, tags and the rest, with their renames and drops."""
