"""Changes by hand as events of the log, and their history."""
