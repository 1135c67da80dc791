"""A hundred editors at once on two servers with one database: nothing is lost, whatever they change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx

from headwater.api.app import Application
from headwater.settings import Settings
from headwater.store.sql_store import SqlStore

EDITORS, COMPARING = 100, 12
HUB = "dataset:lake:hub"


def servers(url: str, folder: str) -> list[Application]:
    found = []
    for _ in range(2):
        store = SqlStore(url)
        store.open()
        found.append(Application(Settings(store=url, data=folder), store))
    return found


async def run(url: str, folder: str, work: Callable[[list[httpx.AsyncClient]], Any]) -> Any:
    applications = servers(url, folder)
    clients = []
    for application in applications:
        application.start()
        transport = httpx.ASGITransport(application, raise_app_exceptions=False)
        clients.append(httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=120))
    try:
        return await work(clients)
    finally:
        for client, application in zip(clients, applications, strict=True):
            await client.aclose()
            await application.stop()


async def change(client: httpx.AsyncClient, headers: dict[str, str] | None = None, **body: Any) -> httpx.Response:
    return await client.post("/api/v2/edits/lineage", json=body, headers=headers or {})


def edge(number: int, **said: Any) -> dict[str, Any]:
    return {"source": f"dataset:lake:s{number}", "target": HUB, **said}


async def a_hundred_add(clients: list[httpx.AsyncClient]) -> None:
    """Each an edge of its own and one that all add; half of them then remove their own again."""
    answers = await asyncio.gather(
        *(
            change(clients[number % 2], add=[edge(number), edge(1000)], create=True, by=f"e{number}")
            for number in range(EDITORS)
        )
    )
    assert {answer.status_code for answer in answers} == {200}, [answer.text for answer in answers][:3]
    found = (await clients[0].get("/api/v2/edits/edges", params={"name": HUB, "limit": 1000})).json()
    assert found["total"] == EDITORS + 1
    assert {item["created_by"] for item in found["items"] if "s1000" not in item["source"]} == {
        f"e{number}" for number in range(EDITORS)
    }
    removed = await asyncio.gather(
        *(change(clients[number % 2], remove=[edge(number)]) for number in range(0, EDITORS, 2))
    )
    assert {answer.json()["counts"].get("removed") for answer in removed} == {1}
    left = (await clients[1].get("/api/v2/edits/edges", params={"name": HUB, "limit": 1000})).json()
    assert left["total"] == EDITORS // 2 + 1


async def some_compare(clients: list[httpx.AsyncClient]) -> None:
    """Each adds its name to one note, and only if nobody else has changed it since it was read."""
    assert (await change(clients[0], add=[edge(0, note="begun")], create=True)).status_code == 200

    async def sign(number: int) -> int:
        client = clients[number % 2]
        for attempt in range(1, 200):
            page = (await client.get("/api/v2/edits/edges", params={"name": HUB})).json()
            note = f"{page['items'][0]['note']} e{number}"
            answer = await change(client, {"if-match": page["version"]}, add=[edge(0, note=note)])
            if answer.status_code == 200:
                return attempt
            assert answer.status_code == 412, answer.text
        raise AssertionError("it never was alone")

    attempts = await asyncio.gather(*map(sign, range(COMPARING)))
    page = (await clients[0].get("/api/v2/edits/edges", params={"name": HUB})).json()
    assert sorted(page["items"][0]["note"].split()) == sorted(["begun", *(f"e{number}" for number in range(COMPARING))])
    assert max(attempts) > 1  # they did meet


async def some_describe(clients: list[httpx.AsyncClient]) -> None:
    """Each says another thing of one chart, and nobody's word is lost."""
    said = {"title": "Revenue", "url": "https://bi.example/1", "description": "by month", "owners": ["ann"]}
    answers = await asyncio.gather(
        *(
            clients[number % 2].post("/api/v2/edits/create", json={"name": "chart:bi:rev", name: value})
            for number, (name, value) in enumerate(said.items())
        )
    )
    assert {answer.status_code for answer in answers} == {200}, [answer.text for answer in answers]
    shown = (await clients[0].get("/api/v2/show", params={"name": "chart:bi:rev"})).json()
    assert {name: shown[name] for name in said} == said


def test_what_several_say_of_a_chart(database: Callable[[], str], tmp_path: Any) -> None:
    asyncio.run(run(database(), str(tmp_path), some_describe))


def test_a_hundred_editors(database: Callable[[], str], tmp_path: Any) -> None:
    asyncio.run(run(database(), str(tmp_path), a_hundred_add))


def test_changes_on_a_condition(database: Callable[[], str], tmp_path: Any) -> None:
    asyncio.run(run(database(), str(tmp_path), some_compare))
