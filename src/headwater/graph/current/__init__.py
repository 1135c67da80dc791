"""What holds: which data flows where, which run decides that, and what counts as written. One place for each rule."""
