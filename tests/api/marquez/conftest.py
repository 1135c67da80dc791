from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api.marquez.events import SHOP
from tests.server import Server


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that knows the shop."""
    with Server(tmp_path_factory.mktemp("shop")) as started:
        started.send_all(SHOP)
        yield started
