"""`headwater model`, on a data folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headwater.cli.main import app
from headwater.store.sql_store import SqlStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store = SqlStore(f"sqlite:///{tmp_path / 'headwater.db'}")
    store.open()
    store.close()
    return tmp_path


def headwater(folder: Path, *words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, [*words, "--data", str(folder)])
    return result.exit_code, result.output


def test_a_model_from_its_setting_to_its_removal(folder: Path) -> None:
    assert "No model is set" in headwater(folder, "model", "show")[1]
    code, told = headwater(folder, "model", "set", "summary", "--provider", "outline")
    assert code == 0, told
    assert "outline:outline:o2" in told
    assert "summary: 0 texts of 0 nodes are missing" in told
    (model,) = json.loads(headwater(folder, "model", "show", "-f", "json")[1])["models"]
    assert (model["kind"], model["place"], model["configuration"]["provider"]) == ("SUMMARY", "active", "outline")
    code, told = headwater(folder, "model", "test", "summary", "-f", "json")
    assert (code, json.loads(told)["ok"]) == (0, True)
    assert headwater(folder, "model", "remove", "summary")[0] == 0
    assert headwater(folder, "model", "show", "-f", "json")[1].count("outline") == 0


def test_a_model_that_does_not_answer(folder: Path) -> None:
    endpoint = ("--endpoint", "https://10.255.255.1/v1", "--model", "m", "--dimension", "8")
    result = CliRunner().invoke(
        app, ["model", "set", "embedding", "--provider", "openai", *endpoint, "--data", str(folder)]
    )
    assert "no public address" in str(result.exception)
    named = ("--endpoint", "https://models.invalid/v1", "--model", "m", "--dimension", "8", "--credential", "env:KEY")
    assert headwater(folder, "model", "set", "embedding", "--provider", "openai", *named)[0] == 0
    code, told = headwater(folder, "model", "test", "embedding", "-f", "json")
    assert (code, json.loads(told)["error"]) == (1, "credential_refused")


def test_words_that_are_wrong(folder: Path) -> None:
    assert headwater(folder, "model", "set", "picture", "--provider", "local")[0] == 2
    assert headwater(folder, "search", "orders", "--mode", "dream")[0] == 2
