"""The process that answers questions: its pool, queue, messages and worker."""
