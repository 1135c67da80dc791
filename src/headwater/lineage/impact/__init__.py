"""Impact: what a change of a dataset or column affects."""
