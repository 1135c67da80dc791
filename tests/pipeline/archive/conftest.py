"""The archive is tested on SQLite, MariaDB and PostgreSQL."""

from tests.store.conftest import store  # noqa: F401 - a fixture
