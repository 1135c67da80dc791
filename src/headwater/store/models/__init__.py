"""Models of tenants: their configurations, what they computed, and what that cost."""
