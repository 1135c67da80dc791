"""Lists, search and series of `/api/v2`."""
