"""What starting and stopping has in common, whichever database it is."""

from __future__ import annotations

import contextlib
import itertools
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Self

__all__ = ["DatabaseServer", "ServerMissing", "free_port"]

_UNPRIVILEGED = "nobody"
_WAIT = 60
_TAIL = 30


class ServerMissing(Exception):
    """This machine has no such server; the message says how to get one."""


class DatabaseServer(ABC):
    """One server. It keeps its data and its port when it is stopped and started again."""

    def __init__(self, *, durable: bool = False) -> None:
        self.durable = durable
        """Wait for the disk at every commit. Tests need not: killing a process loses nothing the system has."""
        self._as_user: list[str] = []
        self._numbers = itertools.count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        self._find_programs()
        self.folder = Path(tempfile.mkdtemp(prefix=f"headwater-{type(self).__name__.lower()}-"))
        self.log = self.folder / "server.log"
        if shutil.which("setpriv"):  # Linux: the server ends with this process, however that ends
            self._as_user = ["setpriv", f"--pdeathsig={self._kill_signal.name.removeprefix('SIG')}"]
        if os.geteuid() == 0:  # database servers refuse to run as root
            user = pwd.getpwnam(_UNPRIVILEGED)
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self._as_user += [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]

    def __enter__(self) -> Self:
        try:
            self._install()
            self.start()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def start(self) -> None:
        """Start, and wait until it answers a query."""
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                [*self._as_user, *self._command()], stdout=output, stderr=output, cwd=self.folder
            )
        deadline = time.monotonic() + _WAIT
        while True:
            try:
                self._ask("SELECT 1")
            except Exception as error:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{type(self).__name__} did not start:\n{self.tail()}") from error
                time.sleep(0.05)
            else:
                return

    def stop(self) -> None:
        """Stop in order: sessions are cut, what is committed is written."""
        self._end(self._stop_signal)

    def kill(self) -> None:
        """Stop as a power cut would, but for what the operating system already has."""
        self._end(self._kill_signal)

    def remove(self) -> None:
        """Stop, and remove the data."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def make_database(self) -> str:
        """The URL of a new, empty database."""
        name = f"headwater_{next(self._numbers)}"
        self._ask(f"CREATE DATABASE {name}")
        return self._url(name)

    @abstractmethod
    def end_session(self, number: int) -> None:
        """Cut a client's connection, as an administrator would."""

    def tail(self) -> str:
        """The end of the server's log."""
        with contextlib.suppress(OSError):
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-_TAIL:])
        return ""

    def _run(self, command: list[str | Path], script: str = "") -> None:
        """A program that ends by itself."""
        with self.log.open("ab") as output:
            done = subprocess.run(
                [*self._as_user, *command],
                input=script.encode(),
                stdout=output,
                stderr=output,
                cwd=self.folder,
                check=False,
            )
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed:\n{self.tail()}")

    def _end(self, number: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(number)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(30)

    _stop_signal = signal.SIGTERM
    _kill_signal = signal.SIGKILL

    @abstractmethod
    def _find_programs(self) -> None:
        """Where the server's programs are; raises ServerMissing."""

    @abstractmethod
    def _install(self) -> None:
        """Make the data folder."""

    @abstractmethod
    def _command(self) -> list[str | Path]:
        """What starts the server."""

    @abstractmethod
    def _ask(self, statement: str) -> None:
        """Run a statement as the administrator."""

    @abstractmethod
    def _url(self, database: str) -> str:
        """The URL of a database of this server."""


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
