"""What every recording needs: its own virtual environment, a working folder, and scrubbed output."""

from __future__ import annotations

import getpass
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["CACHE", "environment", "keep", "run", "working_folder"]

CACHE = Path(os.environ.get("HEADWATER_CACHE", "~/.cache/headwater")).expanduser()
RECORDED = Path(__file__).resolve().parents[2] / "tests" / "events" / "recorded"
NEUTRAL_FOLDER = "/srv/headwater"
NEUTRAL_HOST = "host.example.com"
NEUTRAL_USER = "recorder"


def environment(name: str, *requirements: str) -> Path:
    """A virtual environment with exactly these requirements; made once, then found again."""
    folder = CACHE / f"record-{name}"
    stamp = folder / "requirements.txt"
    wanted = "\n".join(requirements) + "\n"
    if not stamp.exists() or stamp.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin" / "pip", "install", "--quiet", *requirements], check=True)
        stamp.write_text(wanted)
    return folder


def working_folder(name: str) -> Path:
    """An empty folder whose path is the same on every machine that has a common temporary folder."""
    folder = Path(tempfile.gettempdir()) / "headwater-record" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def run(*command: object, check: bool = True, **variables: str) -> None:
    """Run a program of the recorded producer, showing its output."""
    words = [str(word) for word in command]
    print("$", *words, flush=True)
    subprocess.run(words, check=check, env={**os.environ, **variables})


def scrub(text: str, folder: Path, names: dict[str, str]) -> str:
    """Take this machine out of the events: folders, host, user, and ports that change from run to run."""
    for found, neutral in names.items():
        text = text.replace(found, neutral)
    text = text.replace(str(CACHE), f"{NEUTRAL_FOLDER}/environments").replace(str(folder), NEUTRAL_FOLDER)
    text = text.replace(sys.base_prefix + "/lib", "/usr/lib")
    text = text.replace(str(Path(__file__).resolve().parent), f"{NEUTRAL_FOLDER}/scripts")
    text = re.sub(rf"\b{re.escape(socket.gethostname())}\b", NEUTRAL_HOST, text)
    text = re.sub(r"(?<=//)(127\.0\.0\.1|localhost):404\d", f"{NEUTRAL_HOST}:4040", text)
    text = re.sub(r"\((\d{1,3}\.){3}\d{1,3} executor driver\)", f"({NEUTRAL_HOST} executor driver)", text)
    return text.replace(f':"{getpass.getuser()}"', f':"{NEUTRAL_USER}"')


def keep(captured: Path, producer: str, folder: Path, names: dict[str, str] | None = None) -> None:
    """Write the captured events where the tests find them; `names` are further things to replace."""
    RECORDED.mkdir(parents=True, exist_ok=True)
    target = RECORDED / f"{producer}.ndjson"
    text = scrub(captured.read_text(encoding="utf-8"), folder, names or {})
    target.write_text(text, encoding="utf-8")
    print(f"{target}: {text.count(chr(10))} events, {len(text) // 1024} KiB")
