"""The current state: flows, deciding runs, writes, schemas. One place for each rule."""
