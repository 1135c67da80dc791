"""A stream of the log finds its checkpoint again wherever Spark can keep one."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from headwater.pipeline.jobs import stream_log as module
from headwater.pipeline.jobs.stream_log import stream_log
from headwater.store.sql_store import SqlStore
from tests.pipeline.made_events import made_events
from tests.store.test_contract import entry

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("scheme", ["file", "viewfs"])
def test_everything_is_worked_out_only_once(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    """`viewfs` is one of Hadoop's file systems that Python knows nothing of; here it leads to a folder."""
    begun: list[str] = []
    monkeypatch.setattr(module, "_SMALL", 0)
    monkeypatch.setattr(module, "infer_all", lambda *_, **__: begun.append("infer"))
    monkeypatch.setattr(module, "roll_up_all", lambda *_, **__: begun.append("rollup"))
    url = f"sqlite:///{tmp_path / 'headwater.db'}"
    store = SqlStore(url)
    store.open()
    store.write([entry(body) for body in made_events(Random(3), 20)])
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    place = (folder / "log").as_uri()
    if scheme == "viewfs":
        hadoop = spark.sparkContext._jsc.hadoopConfiguration()
        hadoop.set("fs.viewfs.mounttable.kept.link./kept", folder.as_uri())
        place = "viewfs://kept/kept/log"
    for number in range(3):
        store.write([entry(body) for body in made_events(Random(number + 10), 20)])
        assert stream_log(spark, url, checkpoint=place, once=True).batches > 0
    assert begun == ["infer", "rollup"]
    store.close()
