"""Models of tenants: configurations, results and costs."""
