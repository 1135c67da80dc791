"""One Spark for all tests of the pipeline, on two cores of this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from headwater.pipeline.session import make_session
from tests.store.conftest import database, server, server_of  # noqa: F401 - fixtures

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of them in one process: starting Spark takes longer than most tests."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    session = make_session("local[2]", name="tests")
    yield session
    session.stop()
