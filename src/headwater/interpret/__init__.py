"""Event to facts: generic rules, and one file per producer. Pure."""
