"""Gravitino servers of a tenant's metalakes: addresses, and references to their tokens."""

from __future__ import annotations

import sqlalchemy as sa
from msgspec import Struct

from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING
from headwater.store.tables import catalog_sources

__all__ = ["CatalogSource", "CatalogSources"]


class CatalogSource(Struct, frozen=True):
    metalake: str
    url: str
    token: str
    """env:NAME or file:PATH; empty for a server without one."""
    rate: int
    """Requests a second at most; 0 for any number."""


class CatalogSources:
    """Sets, lists and removes the sources of tenants."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def list(self, tenant: int) -> list[CatalogSource]:
        table = catalog_sources.c
        query = sa.select(table.metalake, table.url, table.token, table.rate)
        query = query.where(table.tenant == tenant).order_by(table.metalake)
        with self._engine.connect() as connection:
            return [CatalogSource(*row) for row in connection.execute(query)]

    def set(self, tenant: int, source: CatalogSource) -> None:
        """Put a source in the place of the one of this metalake."""
        retried(lambda: self._replace(tenant, source.metalake, source))

    def remove(self, tenant: int, metalake: str) -> bool:
        """Remove a source; its data stays. Gives whether there was one."""
        return retried(lambda: self._replace(tenant, metalake, None))

    def _replace(self, tenant: int, metalake: str, source: CatalogSource | None) -> bool:
        table = catalog_sources.c
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            found = connection.execute(
                catalog_sources.delete().where(table.tenant == tenant, table.metalake == metalake)
            )
            if source is not None:
                values = {name: getattr(source, name) for name in source.__struct_fields__}
                connection.execute(catalog_sources.insert(), {"tenant": tenant, **values})
        return bool(found.rowcount)
