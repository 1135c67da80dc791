"""The packages that executors need travel as one archive."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from headwater.pipeline.errors import PipelineError
from headwater.pipeline.spark.python_environment import pack_environment


def test_a_bare_python_finds_the_packages(tmp_path: Path) -> None:
    archive, folder = tmp_path / "environment.tar.gz", tmp_path / "unpacked"
    base = Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    assert pack_environment(archive, ["msgspec", "sqlalchemy"], str(base)) >= 3  # and what sqlalchemy requires
    shutil.unpack_archive(archive, folder)
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    code = "import msgspec, sqlalchemy, typing_extensions as other; print(sqlalchemy.__file__, msgspec.__file__, other.__file__)"
    # By a relative name, as Spark calls it from an executor's folder, with what Spark itself puts on the path.
    command = ["./unpacked/bin/python", "-c", f"import sys; assert 'of-spark' in sys.path[2]; {code}"]
    done = subprocess.run(
        command, cwd=tmp_path, env={**variables, "PYTHONPATH": "of-spark"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [path.startswith(f"{folder}/lib/") for path in done.stdout.split()] == [True] * 3


def test_what_is_not_installed_is_named(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match="no-such-package is not installed"):
        pack_environment(tmp_path / "environment.tar.gz", ["no-such-package"])
    assert not (tmp_path / "environment.tar.gz").exists()
