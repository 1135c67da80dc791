"""Questions about the asset graph."""
