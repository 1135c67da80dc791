"""Walks up- and downstream: by job, dataset, run and column; paths."""
