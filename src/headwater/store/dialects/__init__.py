"""Differences between SQLite, MariaDB/MySQL and PostgreSQL."""
