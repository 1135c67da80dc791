"""Facet policy: which facets, fields and values of an event are kept. Functions of the event and the policy alone."""
