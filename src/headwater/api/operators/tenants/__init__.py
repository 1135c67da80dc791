"""Routes of tenants: keys, facet policy, sources and the sync of a metalake."""
