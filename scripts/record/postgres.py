"""A PostgreSQL for the time of a recording: `with postgres(folder) as port`."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

__all__ = ["free_port", "postgres"]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def programs() -> Path:
    """Where the server's programs are: on the path, or where Debian puts them."""
    found = [Path(shutil.which("initdb") or ""), *sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))]
    return next(path.parent for path in reversed(found) if path.is_file())


@contextlib.contextmanager
def postgres(folder: Path) -> Iterator[int]:
    """An empty server on loopback, user and database `shop`, no password; gone with the block."""
    home = folder / "postgres"
    home.mkdir()
    as_user: list[str] = []
    if os.geteuid() == 0:  # it refuses to run as root
        shutil.chown(home, "postgres", "postgres")
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    data, port, log = home / "data", free_port(), folder / "postgres.log"
    options = ["-D", data, "-p", str(port), "-h", "127.0.0.1", "-k", home]
    with log.open("wb") as output:
        subprocess.run(
            [*as_user, programs() / "initdb", "-D", data, "-U", "shop", "--auth=trust"],
            check=True, stdout=output, stderr=output, cwd=home,
        )  # fmt: skip
        server = subprocess.Popen([*as_user, programs() / "postgres", *options], stdout=output, stderr=output, cwd=home)
        try:
            create = [programs() / "createdb", "-h", "127.0.0.1", "-p", str(port), "-U", "shop", "shop"]
            while subprocess.run(create, stdout=output, stderr=output, check=False).returncode:
                if server.poll() is not None:
                    raise SystemExit(log.read_text())
                time.sleep(0.2)
            yield port
        finally:
            server.terminate()
            server.wait(20)
