"""Impact: everything that a change of a dataset or column affects."""
