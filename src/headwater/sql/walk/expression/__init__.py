"""One expression: the columns it reads and how it changes their values."""
