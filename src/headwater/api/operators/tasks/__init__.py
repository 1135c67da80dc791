"""Routes of tasks and their metrics."""
