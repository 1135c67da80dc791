"""Changes by hand: what may be changed, as events of the log, and their history."""
