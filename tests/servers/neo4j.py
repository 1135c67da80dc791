"""Neo4j: one server on loopback, from jars that `scripts/install_neo4j.sh` brings."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

from tests.servers.process import ServerMissing, free_port

__all__ = ["Neo4j"]

CACHE = Path(os.environ.get("HEADWATER_CACHE") or "~/.cache/headwater").expanduser()
_VERSION = "5.26.30"
_WAIT = 120
_SETTINGS = """server.bolt.listen_address=127.0.0.1:{port}
server.bolt.advertised_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
dbms.security.auth_enabled={auth}
dbms.usage_report.enabled=false
server.memory.pagecache.size=64m
db.tx_log.preallocate=false
db.tx_log.rotation.size=32m
internal.server.bolt.thread_pool_shutdown_wait_time=0s
"""


class Neo4j:
    """A server in a temporary folder; it keeps its data and its port over `stop` and `start`."""

    def __init__(self, *, password: str | None = None, heap: str = "512m") -> None:
        self._jars = CACHE / f"neo4j-{_VERSION}"
        java = shutil.which("java")
        if java is None or not self._jars.is_dir():
            raise ServerMissing("no Neo4j here: install Java 17 and Maven, then scripts/install_neo4j.sh")
        self.password = password
        opens = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
        self._java = [java, f"-Xmx{heap}", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        self._java += [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in opens]
        self._java += ["-Dlog4j2.disable.jmx=true", "-cp", f"{self._jars}/*"]
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.folder = Path(tempfile.mkdtemp(prefix="headwater-neo4j-"))
        self._log = self.folder / "server.log"
        self.port = free_port()
        self.url = f"bolt://127.0.0.1:{self.port}"
        settings = self.folder / "conf" / "neo4j.conf"
        settings.parent.mkdir()
        settings.write_text(_SETTINGS.format(port=self.port, auth=str(self.password is not None).lower()))
        try:
            if self.password is not None:
                self._set_password(self.password)
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(30)
            self._process = None

    def start(self) -> None:
        ends_with_us = ["setpriv", "--pdeathsig=KILL"] if shutil.which("setpriv") else []
        places = [f"--home-dir={self.folder}", f"--config-dir={self.folder / 'conf'}"]
        with self._log.open("ab") as output:
            self._process = subprocess.Popen(
                [*ends_with_us, *self._java, "org.neo4j.server.CommunityEntryPoint", *places],
                stdout=output,
                stderr=output,
                cwd=self.folder,
            )
        self._wait()

    def _wait(self) -> None:
        from neo4j import GraphDatabase
        from neo4j.exceptions import DriverError, Neo4jError

        auth = ("neo4j", self.password) if self.password is not None else None
        deadline = time.monotonic() + _WAIT
        while True:
            try:
                with GraphDatabase.driver(self.url, auth=auth, connection_timeout=1) as driver:
                    driver.execute_query("RETURN 1")
            except (DriverError, Neo4jError, OSError) as error:
                ended = self._process is None or self._process.poll() is not None
                if ended or time.monotonic() > deadline:
                    tail = "\n".join(self._log.read_text(errors="replace").splitlines()[-30:])
                    raise RuntimeError(f"Neo4j did not start:\n{tail}") from error
                time.sleep(0.2)
            else:
                return

    def _set_password(self, password: str) -> None:
        environment = {**os.environ, "NEO4J_HOME": str(self.folder), "NEO4J_CONF": str(self.folder / "conf")}
        command = [*self._java, "org.neo4j.cli.AdminTool", "dbms", "set-initial-password", password]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"Neo4j cannot be set up:\n{done.stdout}{done.stderr}")
