"""A standalone cluster of two workers gives the graph that this machine gives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headwater import __version__
from headwater.pipeline.spark.python_package import pack
from headwater.store.read.dump import dump_graph
from headwater.store.sql_store import DEFAULT_TENANT
from tests.pipeline.conftest import or_skip
from tests.pipeline.test_equivalence import dump, log, opened
from tests.servers import DatabaseServer
from tests.servers.spark_cluster import SparkCluster
from tests.store.test_contract import graph_of, recorded

SMALL = ["spark.driver.host=127.0.0.1", "spark.executor.memory=512m", "spark.executor.cores=1", "spark.cores.max=2"]
SETTINGS = [*SMALL, "spark.driver.memory=512m"]


@pytest.fixture(scope="module")
def cluster() -> Iterator[SparkCluster]:
    with or_skip(SparkCluster) as running:
        yield running


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with all that Headwater needs, but without Headwater: it has to travel."""
    program = tmp_path_factory.mktemp("python") / "python"
    base = Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = sysconfig.get_path("purelib")
    program.write_text(f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{packages}" exec "{base}" "$@"\n')
    program.chmod(0o755)
    found = subprocess.run([program, "-c", "import headwater"], cwd="/", capture_output=True, text=True, check=False)
    assert "No module named 'headwater'" in found.stderr
    return program


def environment() -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("HEADWATER_", "PYSPARK_", "SPARK_"))
    }
    return {**kept, "SPARK_LOCAL_IP": "127.0.0.1"}


def run(command: list[str | Path], cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=cwd, env={**environment(), **variables}, capture_output=True, text=True, check=False
    )


def packed() -> set[Path]:
    """What is left of packages on their way to executors."""
    folder = Path(tempfile.gettempdir())
    return {*folder.glob("headwater-package-*/*"), *folder.glob("headwater-*/headwater.zip")}


def settings(*more: str) -> list[str | Path]:
    return [word for setting in (*SETTINGS, *more) for word in ("--conf", setting)]


@pytest.mark.slow
@pytest.mark.timeout(900)  # seven Java processes on two cores
def test_import_and_replay_on_a_cluster(
    cluster: SparkCluster, server_of: Callable[[str], DatabaseServer], bare_python: Path, tmp_path: Path
) -> None:
    imported, replayed = (opened(server_of("postgresql").make_database()) for _ in range(2))
    files = [tmp_path / f"{number}.ndjson" for number in range(3)]
    for number, file in enumerate(files):
        file.write_bytes(b"\n".join(recorded()[number :: len(files)]) + b"\n")
    place: list[str | Path] = ["--store", imported, "--data", str(tmp_path / "data")]

    headwater: list[str | Path] = [sys.executable, "-m", "headwater", "pipeline"]
    on_cluster: list[str | Path] = ["--master", cluster.master, *settings(f"spark.pyspark.python={bare_python}")]
    packages = packed()
    done = run([*headwater, "import", "*.ndjson", *place, *on_cluster], tmp_path)
    assert done.returncode == 0, done.stderr + cluster.tail()
    assert "tasks_at_once 2, partitions 2, page http" in done.stderr
    assert f"headwater {__version__}, spark " in done.stderr
    assert "WARN" not in done.stderr.replace("WARNING: Using incubator modules", ""), done.stderr
    assert len(packed() | packages) <= len(packages) + 1
    assert json.loads(done.stdout)["events"] == len(recorded())
    assert log(imported) == sorted({body.strip() for body in recorded()})
    expected = list(dump_graph(graph_of(recorded(), DEFAULT_TENANT.id)))
    assert dump(imported) == expected

    package = tmp_path / "headwater.zip"
    pack(package)
    import pyspark

    from headwater.cli import submit

    submit_program = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    given = settings("spark.sql.shuffle.partitions=3")  # holds
    command = [submit_program, "--master", cluster.master, "--py-files", package, *given, submit.__file__]
    again = run([*command, "replay", *place, "--into", replayed], tmp_path, PYSPARK_PYTHON=str(bare_python))
    assert again.returncode == 0, again.stderr
    assert f"master {cluster.master}" in again.stdout  # where spark-submit puts all that Python says
    assert "partitions 3, page http" in again.stdout
    assert json.loads(again.stdout.splitlines()[-1])["swapped"]
    assert dump(replayed) == expected
    assert len({app["id"] for app in cluster.state()["completedapps"]}) == 2


def test_a_cluster_cannot_share_the_embedded_store(tmp_path: Path) -> None:
    command = ["pipeline", "replay", "--data", str(tmp_path), "--master", "spark://127.0.0.1:1"]
    done = run([sys.executable, "-m", "headwater", *command], tmp_path)
    assert done.returncode != 0
    assert "A cluster cannot share the embedded store" in done.stderr
    assert "--store postgresql+psycopg://" in done.stderr
