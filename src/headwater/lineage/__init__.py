"""Questions: what is this, where does it come from, where does it go."""
