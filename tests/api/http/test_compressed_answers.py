"""Answers compressed, and answers that the client has already."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import zstandard

from headwater.api.http.compressed_answers import _coding
from headwater.demo.shop import shop_events
from tests.application import InProcess

RUNS = "/api/v2/runs?limit=200"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    with InProcess(tmp_path_factory.mktemp("encoded")) as started:
        for body in shop_events(datetime(2026, 1, 31, 12, tzinfo=UTC)):
            started.send(body)
        yield started


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip", "gzip"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip;q=1.0, zstd;q=0", "gzip"),
        ("zstd;q=0.0, gzip; q=0", None),
        ("identity", None),
        ("br", None),
        ("", None),
        ("gzip" * 5000, None),
    ],
)
def test_the_best_that_the_client_takes(app: InProcess, accepted: str, coding: str | None) -> None:
    plain = app.get(RUNS, headers={"accept-encoding": "identity"})
    answer = app.get(RUNS, headers={"accept-encoding": accepted})
    assert answer.headers.get("content-encoding") == coding
    assert answer.headers["vary"] == "accept-encoding"
    assert answer.headers["etag"] == plain.headers["etag"]
    assert answer.json() == plain.json()
    if coding:
        assert int(answer.headers["content-length"]) < len(plain.content) / 5


def test_what_is_sent_is_what_it_says() -> None:
    from headwater.api.http.compressed_answers import _pack

    body = b"lineage " * 10_000
    assert gzip.decompress(_pack(body, b"gzip")) == body
    assert zstandard.ZstdDecompressor().decompress(_pack(body, b"zstd")) == body
    assert _coding({b"accept-encoding": b"GZIP"}) == b"gzip"


def test_what_the_client_has_is_not_sent_again(app: InProcess) -> None:
    tag = app.get(RUNS).headers["etag"]
    for known in (tag, f'"other", {tag}', "*"):
        answer = app.get(RUNS, headers={"if-none-match": known})
        assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", tag)
        assert "content-type" not in answer.headers
    assert app.get(RUNS, headers={"if-none-match": '"other"'}).status_code == 200
    assert app.get("/api/v2/jobs", headers={"if-none-match": tag}).status_code == 200


def test_another_content_is_another_tag(app: InProcess) -> None:
    before = app.get("/api/v2/tags").headers["etag"]
    app.post("/api/v2/tag", json={"name": "reports/daily_revenue", "add": ["gold"]})
    assert app.get("/api/v2/tags", headers={"if-none-match": before}).status_code == 200


def test_errors_and_small_answers_are_as_they_are(app: InProcess) -> None:
    missing = app.get("/api/v2/show?name=nobody", headers={"accept-encoding": "gzip", "if-none-match": "*"})
    assert (missing.status_code, missing.headers.get("etag")) == (404, None)
    small = app.get("/api/v2/edits?limit=1", headers={"accept-encoding": "gzip"})
    assert "content-encoding" not in small.headers or len(small.content) >= 1024
