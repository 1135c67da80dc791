"""What differs between SQLite, MariaDB/MySQL and PostgreSQL."""
