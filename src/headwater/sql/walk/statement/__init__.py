"""One statement, by kind: which columns of its target it writes."""
