"""`headwater pipeline package`: Headwater and its environment, as files for executors."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headwater.cli.main import app
from headwater.errors import HeadwaterError
from headwater.pipeline.spark import python_environment


def test_the_package_runs_from_its_zip(tmp_path: Path) -> None:
    file = tmp_path / "headwater.zip"
    done = CliRunner().invoke(app, ["pipeline", "package", "--out", str(file)])
    assert done.exit_code == 0, done.output
    with zipfile.ZipFile(file) as archive:
        assert "headwater/pipeline/spark/log4j2.properties" in archive.namelist()
    code = f"import sys; sys.path.insert(0, {str(file)!r}); import headwater.pipeline.tasks.import_lines as it; print(it.__file__)"
    found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == str(file / "headwater" / "pipeline" / "tasks" / "import_lines.py")


def test_the_environment_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python_environment.pack_environment, "__defaults__", (("msgspec",), None))  # a small one
    package, environment = tmp_path / "headwater.zip", tmp_path / "environment.tar.gz"
    options = ["--out", str(package), "--environment", str(environment), "--python", "/opt/python3.11"]
    done = CliRunner().invoke(app, ["pipeline", "package", *options])
    assert done.exit_code == 0, done.output
    assert "--conf spark.pyspark.python=./environment/bin/python" in done.output
    assert package.exists()
    with tarfile.open(environment) as archive:
        launcher = archive.extractfile("bin/python")
        assert launcher is not None
        assert 'exec /opt/python3.11 "$@"' in launcher.read().decode()


@pytest.mark.parametrize("option", ["--out", "--environment"])
def test_a_place_that_cannot_be_written(option: str, tmp_path: Path) -> None:
    options = ["--out", str(tmp_path / "headwater.zip"), option, str(tmp_path / "nowhere" / "file")]
    done = CliRunner().invoke(app, ["pipeline", "package", *options])
    assert isinstance(done.exception, HeadwaterError)
    assert "nowhere/file cannot be written: No such file or directory" in done.exception.message
