"""What the server and the processes that answer for it say to each other."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any

from msgspec import Struct

__all__ = ["BEGUN", "CALLER", "Answer", "Asking", "read_frame", "write_frame"]

CALLER = "headwater.caller"
"""Where the caller is in the scope of a request; no client can put anything there."""
_LENGTH = 8
BEGUN = 0
"""The status of a question that is being worked on."""


class Asking(Struct, frozen=True):
    number: int
    scope: dict[str, Any] | None = None
    """The request; None to say that nobody waits for the answer to this number any more."""
    seconds: float = 0.0
    """In which it must be answered."""


class Answer(Struct, frozen=True):
    number: int
    """Of the question; 0 says that the process is ready."""
    status: int = BEGUN
    headers: list[tuple[bytes, bytes]] = []
    body: bytes = b""


async def read_frame(reader: asyncio.StreamReader) -> Any:
    """What the other process, which is ours too, sends next. Raises IncompleteReadError when it has gone."""
    length = int.from_bytes(await reader.readexactly(_LENGTH), "big")
    return pickle.loads(await reader.readexactly(length))  # noqa: S301 - both ends are this program


def write_frame(writer: asyncio.StreamWriter, value: Any) -> None:
    frame = pickle.dumps(value, protocol=5)
    writer.write(len(frame).to_bytes(_LENGTH, "big"))
    writer.write(frame)
