"""The asset graph: tables, columns and their edges, derived from the facts."""
