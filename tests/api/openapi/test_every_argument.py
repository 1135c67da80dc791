"""Every parameter of every question: what another tenant has changes no answer, and every statement names the tenant.

Routes and parameters are those of the specification, so that a new one without a value here fails.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote_plus

import pytest

from tests.api.test_isolation import KEYS, OPEN, A, B, comparable, fill_tasks
from tests.api.two_tenants import (
    A_WORDS,
    ALONE,
    B_WORDS,
    NEEDED,
    OF_ROUTE,
    OTHERS_TOO,
    PARTS,
    PLACES,
    VALUES,
    events_of,
)
from tests.application import InProcess
from tests.emit.filled import fill_emit
from tests.statements import COLUMN, Statements, unbound

NO_TENANT = {
    # What no tenant can ask for or see by it, with the reason why it is about all of them.
    r"SELECT api_key\.id FROM api_key\s+LIMIT 1": "whether anybody has to authenticate",
    r"SELECT api_key\..* FROM api_key\s+WHERE api_key\.id = ": "who the key is of, before anything is answered",
    r"UPDATE api_key SET last_used_at": "that the key was used",
    r"SELECT DISTINCT search_pending\.tenant": "for whom there is something to index",
    r"SELECT .*FROM graph_change": "what is to be forgotten, of whomever; changes name their tenant",
    r"SELECT max\(lineage_events\.id\)|SELECT \(?SELECT max": "how far the log goes",
    r"DELETE FROM graph_change WHERE id": "notes that nobody needs any more, of whomever",
}


@pytest.fixture(scope="module")
def servers(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[list[InProcess], list[str], dict[str, str], Any]]:
    """A alone, and A beside B; the key of A at each, what stands for {key} and {letter}, and the second's statements."""
    with (
        InProcess(tmp_path_factory.mktemp("alone")) as alone,
        Statements() as statements,
        InProcess(tmp_path_factory.mktemp("shared")) as shared,
    ):
        keys, names = [], {}
        for app in (alone, shared):
            app.key = app.make_key(roles=["admin"], name="operator")
            keys.append(_fill(app, A, A_WORDS))
        _fill(shared, B, B_WORDS)
        shared.store.search.drain(B.id)
        for name, code in (("letter", "a"), ("letter_of_b", "b")):
            listed = shared.get(f"/api/v2/dead-letters?tenant={code}").json()["dead_letters"]
            names[name] = str(listed[0]["id"])
        for name, code in (("task", "a"), ("task_of_b", "b")):
            names[name] = shared.get(f"/api/v2/tasks?tenant={code}").json()["tasks"][0]["id"]
        names["key"] = keys[1].split("_")[1]
        statements.clear()
        yield [alone, shared], keys, names, statements


def _fill(app: InProcess, tenant: Any, words: tuple[str, ...]) -> str:
    app.make_tenant(tenant.code, tenant.id)
    key = app.make_key(tenant=tenant.code, roles=sorted(KEYS), name=words[0])
    for body in events_of(words):
        assert app.send(body, key=key).status_code == 201
    assert app.send(f'{{"{words[0]}": 1}}'.encode(), key=key).status_code == 400
    fill_tasks(app, tenant, words[0])
    fill_emit(app.store.engine, tenant.id, words[0])
    return key


def questions(specification: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Each route that one asks, and each parameter of it, with all that it is asked for."""
    for path, operations in specification["paths"].items():
        if "get" not in operations or f"GET {path}" in OPEN:
            continue
        places, needed = list(_places(path)), NEEDED.get(path, "")
        yield f"GET {path}", [_with(place, needed) for place in places]
        for parameter in operations["get"].get("parameters", ()):
            name = parameter["name"]
            if parameter["in"] != "query" or name == "tenant":
                continue
            kept = "&".join(part for part in needed.split("&") if not part.startswith(f"{name}="))
            kept = "" if f"{path} {name}" in ALONE else kept
            values = [f"{name}={value}" for value in _values(path, name, parameter["schema"])]
            values += [f"{value}&{OTHERS_TOO[name]}" for value in values if name in OTHERS_TOO]
            asked = [_with(place, "&".join(filter(None, (kept, value)))) for place in places[:4] for value in values]
            yield f"GET {path} {name}", asked


def _with(place: str, query: str) -> str:
    return f"{place}?{query}" if query else place


def _values(path: str, name: str, schema: dict[str, Any]) -> list[str]:
    schema = next((one for one in schema.get("anyOf", ()) if one.get("type") != "null"), schema)
    schema = schema.get("items", schema) if name not in VALUES else schema
    if f"{path} {name}" in OF_ROUTE:
        return OF_ROUTE[f"{path} {name}"]
    if "now" in schema.get("enum", ()):
        return VALUES[name]  # two servers are not asked at the same moment
    if "enum" in schema:
        return [str(value) for value in schema["enum"]]
    if schema.get("type") == "boolean":
        return ["true", "false"]
    if schema.get("type") == "integer":
        return ["1", "2"]
    assert name in VALUES, f"say in two_tenants.py what {name} of {path} may be asked for"
    return VALUES[name]


def _places(path: str) -> Iterator[str]:
    parts = re.findall(r"{(\w+)}", path)
    choices = [PARTS.get(part, []) for part in parts]
    if path in PLACES:
        choices[-1] = PLACES[path]
    assert all(choices), f"say in two_tenants.py what the parts of {path} may be asked for"
    for chosen in itertools.product(*choices):
        place = path
        for part, value in zip(parts, chosen, strict=True):
            place = place.replace(f"{{{part}}}", value, 1)
        yield place


def test_every_argument(servers: tuple[list[InProcess], list[str], dict[str, str], Any]) -> None:
    (alone, shared), keys, names, statements = servers
    specification, asked, unanswered = shared.get("/openapi.json").json(), 0, {}
    statements.clear()
    for question, paths in questions(specification):
        answers = []
        for template in _with_next_pages(paths, shared, keys[1]):
            path = template
            for word, value in names.items():
                path = path.replace(f"{{{word}}}", value)
            apart, together = alone.get(path, key=keys[0]), shared.get(path, key=keys[1])
            assert together.status_code < 500, (path, together.text)
            said = unquote_plus(path).lower()
            foreign = [word for word in B_WORDS if word in together.text.lower() and word not in said]
            assert not foreign, (path, together.text)
            if "{" not in template:  # ids of keys and letters are of one server
                expected, found = comparable(apart.text), comparable(together.text)
                assert (together.status_code, found) == (apart.status_code, expected), path
            answers.append(together)
        asked += len(answers)
        if answers and all(answer.status_code != 200 for answer in answers) and not question.endswith("{version}"):
            unanswered[question] = answers[0].text
    assert not unanswered
    assert asked > 300
    assert not wrong(statements)
    assert shared.get("/api/v2/search?q=clover+one", key=keys[1]).json()["total"] == 1


def _with_next_pages(paths: list[str], app: InProcess, key: str) -> Iterator[str]:
    for path in paths:
        yield path
        if "limit=1" in path:
            answer = app.get(path, key=key)
            following = answer.json().get("next") if answer.text.startswith("{") else None
            if isinstance(following, str):
                yield f"{path}&cursor={following}"


def wrong(statements: Statements) -> dict[str, list[str]]:
    found = {}
    for text in statements.distinct():
        tables = [table for table in unbound(text, A.id) if table in COLUMN]
        plain = " ".join(text.split())
        if tables and not any(re.match(pattern, plain) for pattern in NO_TENANT):
            found[plain[:2000]] = tables
    return found


def test_b_is_told_its_own_words(servers: tuple[list[InProcess], list[str], dict[str, str], Any]) -> None:
    """So that the test above cannot pass because nothing is there: an operator who names B sees all of its words."""
    _, shared = servers[0]
    dump = shared.get("/api/v2/dump?tenant=b").text
    assert [word for word in B_WORDS if word not in dump] == []
    assert not [word for word in A_WORDS if word in dump]
    for words in ("orders birch", "birch orders", "bison orders"):
        assert shared.get("/api/v2/search", params={"q": words, "tenant": "b"}).json()["total"], words
