"""Facts, the rules by which they merge, and the walk over what they say. Pure."""
