"""Routes for operators: tenants, keys, dead letters, pipeline, health."""
