from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests of a module, as it is without any settings."""
    with Server(tmp_path_factory.mktemp("data")) as started:
        yield started
