"""The bar of a job on a real terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

BAR = """
import time
from headwater.cli.output import progress
progress._BAR_EVERY = 0.1
with progress.progress_shown("import", None) as show:
    show("bytes", 300, 1000, "120,000 events, 9,812/s, [bold] and more than fits into a line of a terminal")
    time.sleep(1.5)
"""


def test_a_bar_on_a_terminal_of_80_columns() -> None:
    terminal, end = pty.openpty()
    variables = {**os.environ, "COLUMNS": "80", "TERM": "xterm"}
    with subprocess.Popen([sys.executable, "-c", BAR], stdout=end, stderr=end, env=variables) as process:
        os.close(end)
        shown = b""
        while part := _read(terminal):
            shown += part
    os.close(terminal)
    text = shown.decode()
    assert process.returncode == 0, text
    assert "bytes, 120,000 events, 9,812/s, [bold]" in text
    assert "more than fits" not in text, "a line of its own would stay on the terminal"


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""
