"""Questions asked of `yesterday`, `-1d` and the like, on a folder and on a server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from headwater.store.sql_store import SqlStore
from tests.cli.test_main import headwater
from tests.conftest import entry_of
from tests.lineage.walk.test_lineage import event
from tests.server import Server


def said(job: str, inputs: tuple[str, ...], output: str, number: int, when: datetime) -> bytes:
    body = json.loads(event(job, {name: {} for name in inputs}, {output: {}}, number))
    return json.dumps({**body, "eventTime": when.isoformat()}).encode()


@pytest.fixture(scope="module")
def noon() -> datetime:
    """Of yesterday."""
    return datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=1)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory, noon: datetime) -> Path:
    """Built of `old` 20 days ago, of `old` and `mid` at noon of yesterday, of `new` alone ten minutes ago."""
    now = datetime.now(UTC)
    folder = tmp_path_factory.mktemp("data")
    store = SqlStore(f"sqlite:///{folder}/headwater.db")
    store.open()
    bodies = [
        said("build", ("old",), "mart", 1, now - timedelta(days=20)),
        said("build", ("old", "mid"), "mart", 2, noon),
        said("build", ("new",), "mart", 3, max(now - timedelta(minutes=10), noon + timedelta(hours=12))),
    ]
    store.write([entry_of(body) for body in bodies])
    store.close()
    return folder


@pytest.fixture(scope="module")
def server(data: Path) -> Iterator[Server]:
    with Server(data) as started:
        yield started


def short(listed: list[str]) -> set[str]:
    return {text.rpartition(":")[2] for text in listed}


def sources(answer: Any) -> set[str]:
    return short([node["id"] for node in answer["upstream"]["nodes"] if node["kind"] == "dataset"]) - {"mart"}


def dated(text: str, noon: datetime) -> str:
    """With the date of yesterday, and of the day before that."""
    return text.replace("DATE", f"{noon:%Y-%m-%d}").replace("BEFORE", f"{noon - timedelta(days=1):%Y-%m-%d}")


LINEAGES = [
    (("--as-of", "-1w"), {"old"}),
    (("--as-of", "yesterday"), {"old", "mid"}),
    (("--as-of", "DATE"), {"old", "mid"}),
    (("--as-of", "BEFORE"), {"old"}),
    (("--as-of", "DATET00:00:00Z"), {"old"}),
    (("--as-of", "now"), {"new"}),
    (("--as-of", "-30m"), {"old", "mid"}),
    (("--since", "-30m"), {"new"}),
    (("--since", "-1h", "--until", "now"), {"new"}),
    (("--since", "DATE", "--until", "DATE"), {"old", "mid"}),
    (("--since=-3w", "--until=-2w"), {"old"}),
    (("--since", "-99999w"), {"old", "mid", "new"}),
]


@pytest.mark.parametrize(
    ("options", "expected"), LINEAGES, ids=lambda value: " ".join(sorted(value) if isinstance(value, set) else value)
)
def test_lineage_then(data: Path, noon: datetime, options: tuple[str, ...], expected: set[str]) -> None:
    options = tuple(dated(text, noon) for text in options)
    done = headwater("lineage", "mart", *options, "--data", data, "-f", "json")
    assert done.returncode == 0, done.stderr
    assert sources(json.loads(done.stdout)) == expected


@pytest.mark.parametrize(
    ("options", "expected"), LINEAGES, ids=lambda value: " ".join(sorted(value) if isinstance(value, set) else value)
)
def test_lineage_then_from_a_server(
    server: Server, noon: datetime, options: tuple[str, ...], expected: set[str]
) -> None:
    words = re.split(r"[ =]", dated(" ".join(options), noon))
    params = {words[at].lstrip("-").replace("-", "_"): words[at + 1] for at in range(0, len(words), 2)}
    answer = server.get("/api/v2/lineage", name="mart", **params)
    assert answer.status_code == 200, answer.text
    assert sources(answer.json()) == expected


DIFFS = [
    (("-30m",), {"new"}, {"old", "mid"}),
    (("-1w",), {"new"}, {"old"}),
    (("-2w", "-30m"), {"mid"}, set()),
    (("-3w", "-2w"), {"old"}, set()),
    (("yesterday", "yesterday"), {"mid"}, set()),
    (("DATE", "DATE"), {"mid"}, set()),
    (("BEFORE", "BEFORE"), set(), set()),
    (("now",), set(), set()),
]


@pytest.mark.parametrize(("moments", "appeared", "vanished"), DIFFS)
@pytest.mark.parametrize("remote", [False, True])
def test_differences(
    data: Path,
    server: Server,
    noon: datetime,
    moments: tuple[str, ...],
    appeared: set[str],
    vanished: set[str],
    remote: bool,
) -> None:
    """One moment alone means until now; a day begins as the first moment and ends as the second."""
    place = ("--url", server.url) if remote else ("--data", data)
    done = headwater("diff", *(dated(text, noon) for text in moments), "--name", "mart", *place, "-f", "json")
    assert done.returncode == 0, done.stderr
    edges = json.loads(done.stdout)["edges"]
    for word, expected in (("appeared", appeared), ("vanished", vanished)):
        found = short([edge["from"] for edge in edges[word] if edge["from"].startswith("dataset:")])
        assert found == expected, word


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (("impact", "old", "--as-of", "-1w"), {"build", "mart"}),
        (("impact", "old", "--since", "-30m"), set()),
        (("paths", "mid", "mart", "--as-of", "yesterday"), {"mid", "build", "mart"}),
        (("paths", "mid", "mart", "--since", "-2h", "--until", "now"), set()),
    ],
)
def test_impact_and_paths_then(data: Path, question: tuple[str, ...], expected: set[str]) -> None:
    done = headwater(*question, "--data", data, "-f", "json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    listed = [entry["id"] for entry in answer.get("affected", ())]
    assert short([*listed, *(node for path in answer.get("paths", ()) for node in path["nodes"])]) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/api/v2/datasets?since=-3h", 1),
        ("/api/v2/datasets?since=yesterday&until=yesterday", 1),
        ("/api/v2/datasets?until=DATE", 3),
        ("/api/v2/datasets?until=BEFORE", 2),
        ("/api/v2/jobs?since=-2w", 0),
        ("/api/v2/runs?since=-1w&until=now", 2),
        ("/api/v2/runs?since=DATE&until=DATE", 1),
        ("/api/v2/dead-letters?since=yesterday&until=today", 0),
    ],
)
def test_lists_then(server: Server, noon: datetime, path: str, expected: int) -> None:
    answer = httpx.get(server.url + dated(path, noon))
    assert answer.status_code == 200, answer.text
    assert answer.json()["total"] == expected


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/api/v2/lineage?name=mart&as_of=tomorrow", "as_of"),
        ("/api/v2/impact?name=mart&since=1d", "since"),
        ("/api/v2/paths?from=old&to=mart&until=-100000d", "until"),
        ("/api/v2/diff?from=-1d&to=then", "to"),
        ("/api/v2/diff?from=-", "from"),
        ("/api/v2/runs?until=2026-02-30", "until"),
        (f"/api/v2/runs?until={'9' * 9000}", "until"),
    ],
)
def test_what_is_no_moment_is_refused_with_all_forms(server: Server, path: str, name: str) -> None:
    answer = httpx.get(server.url + path)
    assert answer.status_code == 400
    problem = answer.json()
    assert problem["path"] == f"?{name}"
    assert "no time" in problem["message"]
    assert len(problem["message"]) < 200
    assert all(form in problem["hint"] for form in ("now", "today", "yesterday", "-2w", "2026-01-31T12:00:00Z"))


def test_a_difference_of_the_future(server: Server) -> None:
    answer = server.get("/api/v2/diff", **{"from": "9999-01-01"})
    assert answer.status_code == 400
    assert "before the earlier" in answer.json()["message"]
    assert "missing" in server.get("/api/v2/diff").json()["message"]
