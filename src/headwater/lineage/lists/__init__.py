"""Lists of all kinds, search, and figures by day and hour."""
