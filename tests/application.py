"""The whole application in this process, for tests that need many requests and no network."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx

from headwater.api.app import Application
from headwater.api.context import Services
from headwater.settings import Settings
from headwater.store.sql_store import SqlStore

T = TypeVar("T")


class InProcess:
    """Use as a context manager. `key` is sent with every request that names none itself."""

    def __init__(self, data: Path, **settings: Any) -> None:
        data.mkdir(parents=True, exist_ok=True)
        self.store = SqlStore(f"sqlite:///{data / 'headwater.db'}")
        self.store.open()
        self.key: str | None = None
        self._loop = asyncio.new_event_loop()
        self._application = Application(Settings(data=str(data), **settings), self.store)
        transport = httpx.ASGITransport(self._application, raise_app_exceptions=False)
        self._client = httpx.AsyncClient(transport=transport, base_url="http://localhost")
        self._loop.run_until_complete(self._start())

    async def _start(self) -> None:
        self._application.start()

    def ask(
        self, method: str, path: str, *, key: str | None = None, headers: dict[str, str] | None = None, **more: Any
    ) -> httpx.Response:
        key = self.key if key is None else key
        sent = {**({"authorization": f"Bearer {key}"} if key else {}), **(headers or {})}
        return self._loop.run_until_complete(self._client.request(method, path, headers=sent, **more))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run something beside the application, as one of its routes would."""
        return self._loop.run_until_complete(work)

    @property
    def services(self) -> Services:
        return self._application._rest.state.services

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.ask("GET", path, **more)

    def post(self, path: str, **more: Any) -> httpx.Response:
        return self.ask("POST", path, **more)

    def send(self, body: bytes, **more: Any) -> httpx.Response:
        return self.post("/api/v1/lineage", content=body, **more)

    def make_tenant(self, code: str, tenant_id: int | None = None) -> None:
        body = {"code": code} | ({"id": tenant_id} if tenant_id else {})
        assert self.post("/api/v2/tenants", json=body).status_code == 201

    def make_key(self, **members: Any) -> str:
        made = self.post("/api/v2/keys", json=members)
        assert made.status_code == 201, made.text
        return made.json()["key"]

    def close(self) -> None:
        self._loop.run_until_complete(self._client.aclose())
        self._loop.run_until_complete(self._application.stop())
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
