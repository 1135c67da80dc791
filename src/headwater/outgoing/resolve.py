"""Look-up of a host's addresses, within a time: the system's resolver itself knows none."""

from __future__ import annotations

import socket
import threading
from ipaddress import ip_address

from headwater.outgoing.addresses import Address

__all__ = ["resolve"]

_AT_ONCE = threading.BoundedSemaphore(32)
"""Look-ups under way, so that a resolver that hangs does not fill the process with threads."""


def resolve(host: str, port: int, seconds: float) -> list[Address]:
    """The addresses of a host. Raises OSError if there is none, and TimeoutError if it takes too long.

    >>> [str(address) for address in resolve("127.0.0.1", 80, 1)]
    ['127.0.0.1']
    """
    if seconds <= 0 or not _AT_ONCE.acquire(timeout=min(seconds, 5.0)):
        raise TimeoutError
    found: list[Address] = []
    failed: list[OSError] = []
    done = threading.Event()

    def look_up() -> None:
        try:
            for *_, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
                address = ip_address(str(place[0]).partition("%")[0])
                if address not in found:
                    found.append(address)
        except (OSError, UnicodeError) as error:
            failed.append(error if isinstance(error, OSError) else OSError("no such name"))
        finally:
            _AT_ONCE.release()
            done.set()

    threading.Thread(target=look_up, name="resolve", daemon=True).start()
    if not done.wait(seconds):
        raise TimeoutError
    if failed:
        raise failed[0]
    return found
