"""Tags, descriptions, owners and decisions, by events and by hand."""
