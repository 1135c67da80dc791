"""The wire: event records, tolerant decoding, facets, naming rules. Pure."""
