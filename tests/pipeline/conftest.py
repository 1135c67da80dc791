"""One Spark for all tests of the pipeline, on two cores of this machine."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest

from headwater.pipeline.spark.session import make_session
from tests.servers import ServerMissing
from tests.servers.kafka import Kafka, spark_jars
from tests.store.conftest import database, server, server_of  # noqa: F401 - fixtures

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = Path(__file__).parent
T = TypeVar("T")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of them in one process: starting Spark takes longer than most tests."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("spark"))


def or_skip(make: Callable[[], T]) -> T:
    """What this machine may lack; where nothing may be lacking, that is a failure."""
    try:
        return make()
    except ServerMissing as missing:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    settings = {}
    with contextlib.suppress(ServerMissing):  # a test that reads from Kafka says so itself
        settings["spark.jars"] = spark_jars()
    session = make_session("local[2]", name="tests", settings=settings)
    yield session
    session.stop()


@pytest.fixture(scope="session")
def kafka_jars() -> str:
    return or_skip(spark_jars)


@pytest.fixture(scope="session")
def kafka(kafka_jars: str) -> Iterator[Kafka]:
    """A running broker."""
    with or_skip(Kafka) as broker:
        yield broker
