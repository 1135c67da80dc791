"""Output on the terminal: trees, tables, pictures, progress."""
