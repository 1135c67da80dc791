"""MariaDB, as Debian's `mariadb-server-core` brings it."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.servers.process import DatabaseServer, ServerMissing

__all__ = ["MariaDB"]

_USER = "headwater"
_TABLES = ("mysql_system_tables.sql", "mysql_system_tables_data.sql")


class MariaDB(DatabaseServer):
    def _find_programs(self) -> None:
        folders = "/usr/sbin:/usr/local/sbin:/usr/libexec:/usr/bin:/usr/local/bin"
        server = shutil.which("mariadbd") or shutil.which("mariadbd", path=folders)
        scripts = [Path(f"/usr{local}/share/{name}") for local in ("", "/local") for name in ("mysql", "mariadb")]
        self._scripts = next((path for path in scripts if (path / _TABLES[0]).is_file()), Path())
        if not server or self._scripts == Path():
            raise ServerMissing("no MariaDB here: scripts/install_servers.sh, or install mariadb-server-core")
        self._server = Path(server)

    def _install(self) -> None:
        """The system tables, as mariadb-install-db makes them; that script wants programs of the client package."""
        statements = ["CREATE DATABASE mysql;", "USE mysql;", "SET @auth_root_socket=NULL;"]
        statements += [(self._scripts / name).read_text() for name in _TABLES]
        self._run([*self._base(), "--bootstrap", "--innodb-log-file-size=64M"], "\n".join(statements))
        set_up = self.folder / "set_up.sql"
        set_up.write_text(
            f"CREATE USER IF NOT EXISTS {_USER}@'127.0.0.1' IDENTIFIED BY '{_USER}';\n"
            f"GRANT ALL ON *.* TO {_USER}@'127.0.0.1';\n"
        )
        set_up.chmod(0o644)

    def _base(self) -> list[str | Path]:
        # Temporary tables in a folder of its own: a server that starts removes what it takes for left behind, and in
        # one that it shared that would be another server's.
        return [self._server, "--no-defaults", f"--datadir={self.folder}", f"--tmpdir={self.folder}"]

    def _command(self) -> list[str | Path]:
        return [
            *self._base(),
            f"--socket={self.folder / 'socket'}",
            f"--pid-file={self.folder / 'pid'}",
            f"--init-file={self.folder / 'set_up.sql'}",
            f"--port={self.port}",
            "--bind-address=127.0.0.1",
            "--skip-name-resolve",
            f"--innodb-buffer-pool-size={'512M' if self.durable else '64M'}",
            f"--innodb-log-file-size={'512M' if self.durable else '64M'}",
            # 1 waits for the disk at every commit, 2 only hands it to the operating system.
            f"--innodb-flush-log-at-trx-commit={1 if self.durable else 2}",
            *([] if self.durable else ["--skip-innodb-doublewrite", "--innodb-flush-method=nosync"]),
        ]

    def end_session(self, number: int) -> None:
        self._ask(f"KILL {number}")

    def _ask(self, statement: str) -> None:
        import pymysql

        place = {"host": "127.0.0.1", "port": self.port, "user": _USER, "password": _USER, "connect_timeout": 5}
        with pymysql.connect(**place, autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute(statement)

    def _url(self, database: str) -> str:
        return f"mysql+pymysql://{_USER}:{_USER}@127.0.0.1:{self.port}/{database}"
