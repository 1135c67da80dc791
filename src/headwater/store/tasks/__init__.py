"""Tables of tasks: what is to be done after the commit, its attempts and batches."""
