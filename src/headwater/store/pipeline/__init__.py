"""What jobs of the pipeline keep in the store: registration, locks, progress, journals."""
