"""Starts full readings of metalakes, each in a process of its own: the server goes on meanwhile."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading

from headwater.errors import HeadwaterError
from headwater.ingest.errors import RateLimited
from headwater.settings import Settings

__all__ = ["PARENT", "SyncRunning", "SyncStarter"]

_log = logging.getLogger(__name__)
PARENT = "_HEADWATER_PARENT"  # not one of the settings, which begin otherwise
_END_SECONDS = 5.0
_AT_ONCE = 4
"""Readings beside one server process, of all tenants."""
_TOLD = 500
"""Characters kept of the last output of a failed sync."""


class SyncRunning(HeadwaterError):
    """A reading of this tenant goes on already."""

    code = "sync_running"


class SyncStarter:
    """Owns the processes. They end with this one, and go on when they are started again."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._running: dict[str, subprocess.Popen[str]] = {}
        self._lock = threading.Lock()

    def start(self, tenant: str, metalake: str) -> None:
        """Begin to read a metalake from its source, or go on with it. Raises `SyncRunning`."""
        before = self._running.get(tenant)
        if before is not None and not _has_ended(before):  # waited for before the lock: others start theirs meanwhile
            raise running(tenant)
        with self._lock:
            if self._running.get(tenant) is not before:
                raise running(tenant)
            self._running = {code: one for code, one in self._running.items() if one.poll() is None}
            if len(self._running) >= _AT_ONCE:
                raise RateLimited(f"{_AT_ONCE} metalakes are being read.", hint="Begin when one of them has ended.")
            process = self._spawn(tenant, metalake)
            self._running[tenant] = process
        threading.Thread(target=self._watch, args=(tenant, process), name="headwater-sync", daemon=True).start()

    def _spawn(self, tenant: str, metalake: str) -> subprocess.Popen[str]:
        settings = self._settings
        environment = {**os.environ, PARENT: str(os.getpid()), "HEADWATER_DATA": settings.data}
        for name in ("store", "graph", "graph_user", "graph_password"):
            # not as arguments: there may be a password in them, and everybody sees arguments
            if value := getattr(settings, name):
                environment[f"HEADWATER_{name.upper()}"] = value
        command = [sys.executable, "-m", "headwater", "pipeline", "sync", "gravitino"]
        command += [f"--tenant={tenant}", f"--metalake={metalake}", "--master=none"]
        return subprocess.Popen(  # noqa: S603 - our own command
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )

    def _watch(self, tenant: str, process: subprocess.Popen[str]) -> None:
        _, printed = process.communicate()
        if process.returncode:
            reason = printed.strip()[-_TOLD:]
            _log.error("a full reading ended early", extra={"tenant": tenant, "reason": reason})


def _has_ended(process: subprocess.Popen[str]) -> bool:
    """One whose job is over takes a moment to end."""
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def running(tenant: str) -> SyncRunning:
    return SyncRunning(
        f"A full reading of the tenant {tenant} goes on already.",
        hint=f"headwater tenant status {tenant} shows how far it is.",
    )
