"""Tables of tasks: work after the commit, its attempts and batches."""
