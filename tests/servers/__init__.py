"""Real database servers for tests and benches: child processes on loopback, each in a temporary folder of its own."""

from tests.servers.mariadb import MariaDB
from tests.servers.postgresql import PostgreSQL
from tests.servers.process import DatabaseServer, ServerMissing

__all__ = ["SERVERS", "DatabaseServer", "MariaDB", "PostgreSQL", "ServerMissing"]

SERVERS: dict[str, type[DatabaseServer]] = {"mariadb": MariaDB, "postgresql": PostgreSQL}
