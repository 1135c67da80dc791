"""Tests of the web page in a browser: each file of `web/tests/browser` is one test here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SHOWN = 12_000
"""Characters of what a failed run has printed, from its end."""

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.slow, pytest.mark.timeout(900)]


def missing() -> str | None:
    if not (WEB / "node_modules/@playwright/test/cli.js").exists():
        return "npm's packages are missing: scripts/install_browser.sh"
    if not os.environ.get("CHROMIUM") and not any(map(shutil.which, BROWSERS)):
        return "no Chromium here: scripts/install_browser.sh"
    if not (ROOT / "src/headwater/web/index.html").exists():
        return "the page was not built: make web"
    return None


def test_there_are_specs() -> None:
    assert list((WEB / "tests/browser").glob("*.spec.ts"))


@pytest.mark.parametrize("spec", sorted(path.name for path in (WEB / "tests/browser").glob("*.spec.ts")))
def test_in_a_browser(spec: str) -> None:
    reason = missing()
    if reason is not None:
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    ended = subprocess.run(
        [WEB / "scripts/browser.sh", f"{spec.removesuffix('.spec.ts')}\\.spec\\.ts$"],
        capture_output=True,
        text=True,
        timeout=840,
        env={**os.environ, "PYTHON": sys.executable, "FORCE_COLOR": "0"},
        check=False,
    )
    printed = (ended.stdout + ended.stderr)[-SHOWN:]
    assert ended.returncode == 0, f"{spec}: web/scripts/browser.sh {spec}\n{printed}"
