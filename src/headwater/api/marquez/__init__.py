"""The routes of Marquez' API, one file per resource."""
