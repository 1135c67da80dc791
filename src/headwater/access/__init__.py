"""Access: who is asking, for which tenant, with which roles."""
