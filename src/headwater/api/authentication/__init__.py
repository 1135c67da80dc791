"""Credentials of a request, sessions of browsers, and the role that a route needs."""
