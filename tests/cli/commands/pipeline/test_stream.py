"""What `headwater pipeline stream` says before Spark starts."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from headwater.cli.commands.pipeline.stream import _kafka_options, _with_kafka
from headwater.cli.main import app
from headwater.errors import HeadwaterError
from headwater.pipeline.errors import PipelineError
from headwater.pipeline.jobs.stream_events import job_name
from headwater.pipeline.spark.stream_query import seconds_of


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--kafka", "a:1", "--folder", "x"], "one source"),
        (["--kafka", "a:1"], "which topic"),
        (["--kafka", "a:1", "--topic", "t", "--starting", "noon"], "earliest or latest"),
        (["--kafka", "a:1", "--topic", "t", "--trigger", "soon"], "no span of time"),
        (["--kafka", "a:1", "--topic", "t", "--kafka-option", "x"], "key=value"),
        (["--kafka", "a:1", "--topic", "t", "--tenant", "nobody"], "There is no tenant 'nobody'"),
        (["--folder", "nowhere"], "There is no folder nowhere"),
        (["--folder", ".", "--master", "spark://x:1"], "cannot share the embedded store"),
        (["--folder", ".", "--master", "sc://x:1", "--store", "sqlite://"], "cannot share the embedded store"),
    ],
)
def test_wrong_options_are_told(tmp_path: Path, options: list[str], says: str) -> None:
    done = CliRunner().invoke(app, ["pipeline", "stream", "--data", str(tmp_path), *options])
    assert isinstance(done.exception, HeadwaterError)
    assert says in done.exception.message


def test_options_of_kafka_from_a_file_and_from_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text("# secrets\nsecurity.protocol = SASL_SSL\nsasl.jaas.config=x required password='a=b';\n\n")
    assert _kafka_options(["failOnDataLoss=false"], str(file)) == {
        "kafka.security.protocol": "SASL_SSL",
        "kafka.sasl.jaas.config": "x required password='a=b';",
        "failOnDataLoss": "false",
    }


def test_the_package_for_kafka_unless_something_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import pyspark

    monkeypatch.delenv("SPARK_ENV_LOADED", raising=False)
    monkeypatch.delenv("PYSPARK_SUBMIT_ARGS", raising=False)
    package = f"spark.jars.packages=org.apache.spark:spark-sql-kafka-0-10_2.13:{pyspark.__version__}"
    assert _with_kafka(["a=b"]) == ["a=b", package]
    assert _with_kafka(["spark.jars=x.jar"]) == ["spark.jars=x.jar"]


def test_names_and_spans() -> None:
    assert seconds_of("250ms") == 0.25
    assert len(job_name("folder", "/a" * 100)) == 64
    names = {job_name("folder", "/a" * 100), job_name("folder", "/a" * 101), job_name("kafka", "t", "a:1", "x")}
    assert len({*names, job_name("kafka", "t", "a:1", "y"), job_name("kafka", "t", "b:1", "x")}) == 5
    with pytest.raises(PipelineError, match="no span"):
        seconds_of("-1s")
