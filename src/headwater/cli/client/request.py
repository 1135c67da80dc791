"""One request of an operator: to a server, or, without one, straight to the application on the local store.

Both ways run the same code, so a command does the same with `--url` as without.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from headwater.cli.options import NoData, ServerError, ask_server, server_of, where_flags
from headwater.private import make_private_folder

if TYPE_CHECKING:  # takes long to load, and is not needed with --url
    from headwater.api.app import Application

__all__ = ["Call", "Target", "call", "conversation"]

Target = tuple[str | None, str | None, str | None]
"""The options --data, --url and --config."""


def call(
    target: Target,
    method: str,
    path: tuple[str, ...],
    parameters: dict[str, Any] | None = None,
    body: dict[str, Any] | None = None,
    *,
    creates: bool = False,
) -> Any:
    """The answer as JSON. `creates`: a data folder that is not there yet is made."""
    data, url, config = target
    store_options = "/api/v2/" + "/".join(quote(part, safe="") for part in path)
    wanted = {name: value for name, value in (parameters or {}).items() if value is not None}
    content = json.dumps({key: value for key, value in (body or {}).items() if value is not None}).encode()
    server = server_of(url, data)
    if server:
        with ask_server(server, store_options, wanted, method, content if method == "POST" else None) as answer:
            return json.load(answer)
    application = _open(data, config, creates=creates)
    return asyncio.run(_ask(application, method, store_options, urlencode(wanted, doseq=True), content))


def _open(data: str | None, config: str | None, *, creates: bool) -> Application:
    from headwater.api.app import Application
    from headwater.settings import load_settings
    from headwater.store.sql_store import SqlStore

    settings, _ = load_settings(where_flags(data), os.environ, config)
    if not settings.store:
        if not creates and not (Path(settings.data) / "headwater.db").is_file():
            raise NoData(
                f"There is no data in {settings.data}.",
                hint="Start `headwater up`, or name another place with --data, --store or --url.",
            )
        make_private_folder(Path(settings.data))
    store = SqlStore(settings.store_url)
    store.open()
    return Application(settings, store)


async def _ask(application: Application, method: str, path: str, query: str, content: bytes) -> Any:
    application.start()
    try:
        status, answer = await application.ask_as_operator(method, path, query, content)
    finally:
        await application.stop()
    return _read(status, answer)


def _read(status: int, answer: bytes) -> Any:
    said = json.loads(answer)
    if status >= 400:
        raise ServerError.told(said, otherwise=f"it answered {status}")
    return said


Call = Callable[..., Any]
"""Asks like `call`, but for the target: method, path, parameters, body."""


@contextmanager
def conversation(target: Target, *, creates: bool = False) -> Iterator[Call]:
    """Many requests one after the other; a local store is opened once for all of them."""
    data, url, config = target
    if server_of(url, data):
        yield lambda *request, **more: call(target, *request, **more)
        return
    application = _open(data, config, creates=creates)
    with asyncio.Runner() as runner:

        async def start() -> None:
            application.start()

        def ask(method: str, path: tuple[str, ...], parameters: dict[str, Any], body: dict[str, Any]) -> Any:
            place = "/api/v2/" + "/".join(quote(part, safe="") for part in path)
            query = urlencode({name: value for name, value in parameters.items() if value is not None}, doseq=True)
            content = json.dumps({key: value for key, value in body.items() if value is not None}).encode()
            return _read(*runner.run(application.ask_as_operator(method, place, query, content)))

        runner.run(start())
        try:
            yield ask
        finally:
            runner.run(application.stop())
