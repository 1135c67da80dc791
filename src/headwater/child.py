"""Child processes and their messages, as pickled values.

A child reads the settings from its standard input and has one end of a socket; it ends when the other end is closed.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import socket
import subprocess
import sys
from typing import Any, BinaryIO

from headwater.cores import everywhere
from headwater.logs import set_up_logs
from headwater.settings import Settings

__all__ = ["end_child", "read_frame", "receive", "send", "settings_of_parent", "start_child", "write_frame"]

_LENGTH = 8
_STOP_SECONDS = 5.0


def start_child(module: str, settings: Settings, connection: socket.socket) -> subprocess.Popen[bytes]:
    """Run a module of this program as a process that has this end of a socket."""
    environment = {name: value for name, value in os.environ.items() if name != "PROMETHEUS_MULTIPROC_DIR"}
    process = subprocess.Popen(  # noqa: S603 - this program itself
        [sys.executable, "-P", "-m", module, str(connection.fileno())],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        pass_fds=(connection.fileno(),),
        env=environment,
    )
    everywhere(process.pid)
    if process.stdin is not None:
        with process.stdin:
            pickle.dump(settings, process.stdin)
    return process


def end_child(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process whose socket was closed; it ends by itself then. Blocks."""
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def settings_of_parent(nice: int) -> tuple[Settings, socket.socket]:
    """In the child: its settings and its end of the socket, after it has set up its logs and its priority."""
    os.nice(nice)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal; the server ends this one
    settings: Settings = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that started this one
    set_up_logs(settings.log_level, settings.log_format)
    return settings, socket.socket(fileno=int(sys.argv[1]))


async def read_frame(reader: asyncio.StreamReader) -> Any:
    """The next message of the other process, which is ours too. Raises IncompleteReadError when it has ended."""
    length = int.from_bytes(await reader.readexactly(_LENGTH), "big")
    return pickle.loads(await reader.readexactly(length))  # noqa: S301 - both ends are this program


def write_frame(writer: asyncio.StreamWriter, value: Any) -> None:
    frame = pickle.dumps(value, protocol=5)
    writer.write(len(frame).to_bytes(_LENGTH, "big"))
    writer.write(frame)


def receive(stream: BinaryIO) -> Any:
    """The same for a process that waits; None once the other end is closed."""
    head = stream.read(_LENGTH)
    if len(head) < _LENGTH:
        return None
    frame = stream.read(int.from_bytes(head, "big"))
    return pickle.loads(frame)  # noqa: S301 - both ends are this program


def send(stream: BinaryIO, value: Any) -> None:
    frame = pickle.dumps(value, protocol=5)
    stream.write(len(frame).to_bytes(_LENGTH, "big"))
    stream.write(frame)
    stream.flush()
