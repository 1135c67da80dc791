"""Standard facets to facts: datasets, columns, flows, measures, statements."""
