"""Tenants, API keys, browser sessions and used assertions."""
