"""`headwater demo` as a person uses it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.test_main import headwater
from tests.server import Server


def test_generate_into_a_folder_and_to_standard_output(tmp_path: Path) -> None:
    done = headwater("demo", "generate", "--events", 300, "--jobs", 8, "--out", tmp_path / "log")
    assert done.returncode == 0, done.stderr
    assert "300 events" in done.stdout
    piped = headwater("demo", "generate", "--events", 300, "--jobs", 8, "--out", "-")
    assert piped.stdout == (tmp_path / "log/tenant=default/part-00000.ndjson").read_text()
    assert json.loads(piped.stdout.splitlines()[0])["eventType"] == "START"


def test_generate_says_what_is_wrong(tmp_path: Path) -> None:
    assert "standard output is for one tenant" in headwater("demo", "generate", "--out", "-", "--tenants", 2).stderr
    assert "none of none, gzip, zstd" in headwater("demo", "generate", "--out", tmp_path, "--compress", "zip").stderr
    (tmp_path / "tenant=default").mkdir()
    (tmp_path / "tenant=default/mine").touch()
    refused = headwater("demo", "generate", "--out", tmp_path)
    assert refused.returncode == 1
    assert "There are files" in refused.stderr
    (tmp_path / "file").touch()
    assert "cannot be made" in headwater("demo", "generate", "--out", tmp_path / "file").stderr


def test_load_into_a_folder_and_a_server_give_the_same_graph(tmp_path: Path) -> None:
    loaded = headwater("demo", "load", "--data", tmp_path / "here")
    assert loaded.returncode == 0, loaded.stderr
    again = headwater("demo", "load", "--data", tmp_path / "here")
    assert again.returncode == 0
    with Server(tmp_path / "there") as server:
        sent = headwater("demo", "load", "--url", server.url)
        assert sent.returncode == 0, sent.stderr
        there = headwater("dump", "--url", server.url)
        assert headwater("demo", "load", "--url", server.url, "--tenant", "default").returncode == 2
    assert there.stdout == headwater("dump", "--data", tmp_path / "here").stdout
    commands = [line.strip() for line in loaded.stdout.splitlines() if line.startswith("  headwater ")]
    assert len(commands) == 3
    for command in commands:
        assert headwater(*command.split()[1:]).returncode == 0


def test_load_for_a_tenant(tmp_path: Path) -> None:
    assert "no tenant 'acme'" in headwater("demo", "load", "--data", tmp_path, "--tenant", "acme").stderr
    assert headwater("tenant", "create", "acme", "--data", tmp_path).returncode == 0
    assert headwater("demo", "load", "--data", tmp_path, "--tenant", "acme").returncode == 0
    assert "daily_revenue" in headwater("dump", "--data", tmp_path, "--tenant", "acme").stdout
    assert not headwater("dump", "--data", tmp_path).stdout
