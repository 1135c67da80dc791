"""Routes of the overlay adapter, and the sink that is this server itself."""
