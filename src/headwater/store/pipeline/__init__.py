"""State of the pipeline in the store: registration of jobs, locks, progress, journals."""
