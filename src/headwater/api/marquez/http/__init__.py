"""Requests and answers in the way of Marquez: routes, bodies, queries, refusals, records."""
