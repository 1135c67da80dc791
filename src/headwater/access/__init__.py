"""Access: identity of a caller, tenant, and roles."""
