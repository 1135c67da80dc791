"""A server with an API like OpenAI's: what it answers is checked, what it refuses is told without its bodies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from headwater.errors import HeadwaterError
from headwater.models.configuration import ModelConfiguration
from headwater.models.errors import ModelFailed, ModelRefused, WrongAnswer
from headwater.models.providers.openai import OpenAi
from headwater.models.providers.outline import Summary
from headwater.models.providers.provider import StatementToSummarize
from headwater.models.search.vectors import pack, unpack
from headwater.outgoing.send import Outgoing
from tests.models.conftest import openai
from tests.models.server import ModelServer, Reply, slow, status, vector_of, well

STATEMENTS = [StatementToSummarize("SELECT a FROM t", "ansi"), StatementToSummarize("SELECT b FROM u", "ansi")]


def client(server: ModelServer, folder: Path, **more: Any) -> OpenAi:
    return OpenAi(openai(server, folder, **more), "sk-secret", Outgoing("127.0.0.0/8"))


def embeddings(*items: tuple[int, list[float]]) -> Reply:
    data = [{"index": number, "embedding": vector} for number, vector in items]
    return 200, {}, json.dumps({"data": data}).encode()


def completion(content: str) -> Reply:
    return 200, {}, json.dumps({"choices": [{"message": {"content": content}}]}).encode()


def test_vectors_are_matched_by_index(server: ModelServer, tmp_path: Path) -> None:
    found = client(server, tmp_path).embed(["one", "two", "three"])
    assert found.vectors == [pack(vector_of(text, 8), 8) for text in ("one", "two", "three")]
    assert found.tokens == 7
    path, headers, body = server.requests[0]
    assert (path, headers["authorization"]) == ("/v1/embeddings", "Bearer sk-secret")
    assert body == {"model": "m", "input": ["one", "two", "three"], "encoding_format": "float"}


def test_a_partial_answer_leaves_out_what_it_lacks(server: ModelServer, tmp_path: Path) -> None:
    own = [1.0] * 8
    server.behaviours.append(lambda *_: embeddings((1, own), (1, [2.0] * 8), (7, own), (-1, own)))
    assert [None if one is None else unpack(one) for one in client(server, tmp_path).embed(["a", "b"]).vectors] == [
        None,
        tuple(own),
    ]


@pytest.mark.parametrize(
    ("behaviour", "kind", "reason"),
    [
        (status(401), ModelRefused, "unauthorized"),
        (status(403), ModelRefused, "unauthorized"),
        (status(429, {"retry-after": "17"}), ModelRefused, "rate_limited"),
        (lambda *_: embeddings((0, [1.0] * 9)), ModelRefused, "wrong_dimension"),
        (status(404), ModelFailed, None),
        (status(500), ModelFailed, None),
        (status(302, {"location": "http://127.0.0.1:1/"}), ModelFailed, None),
        (lambda *_: (200, {}, b"<html>secret-of-the-body"), WrongAnswer, None),
        (lambda *_: (200, {}, b'{"data": [{"index": "secret-of-the-body"}]}'), WrongAnswer, None),
        (lambda *_: (200, {}, b"[" * 20_000), WrongAnswer, None),
        (lambda *_: embeddings((0, [0.0] * 8)), WrongAnswer, None),
        (lambda *_: (200, {}, b'{"data": [{"index": 0, "embedding": [1e999]}]}'), HeadwaterError, None),
        (lambda *_: (200, {}, b" " * (1 << 21)), ModelFailed, None),
    ],
    ids=["401", "403", "429", "dimension", "404", "500", "redirect", "html", "type", "deep", "zero", "huge", "large"],
)
def test_failures(server: ModelServer, tmp_path: Path, behaviour: Any, kind: Any, reason: str | None) -> None:
    server.behaviours.append(behaviour)
    with pytest.raises(kind) as failed:
        client(server, tmp_path).embed(["private text"])
    told = f"{failed.value.message} {failed.value.hint}"
    assert all(word not in told for word in ("secret", "private text", "sk-"))
    assert len(told) < 500
    if reason is not None:
        assert failed.value.reason == reason
        assert failed.value.seconds == {"rate_limited": 17.0, "unauthorized": 900.0}.get(reason)


@pytest.mark.parametrize(
    ("told", "seconds"),
    [("3", 3.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 1.0), ("soon", 60.0), ("nan", 60.0), ("1e9", 3600.0)],
)
def test_how_long_to_wait(server: ModelServer, tmp_path: Path, told: str, seconds: float) -> None:
    server.behaviours.append(status(429, {"retry-after": told}))
    with pytest.raises(ModelRefused) as refused:
        client(server, tmp_path).embed(["a"])
    assert refused.value.seconds == seconds


def test_a_slow_server_is_given_up(server: ModelServer, tmp_path: Path) -> None:
    server.behaviours.append(slow(8))
    with pytest.raises(ModelFailed, match="did not answer within 1 s"):
        client(server, tmp_path, seconds=1).embed(["a"])


def test_summaries(server: ModelServer, tmp_path: Path) -> None:
    found = client(server, tmp_path).summarize(STATEMENTS)
    assert found.summaries == [
        Summary("Summary of SELECT a FROM t", ["copy", "daily"]),
        Summary("Summary of SELECT b FROM u", ["copy", "daily"]),
    ]
    assert found.tokens == 11


def test_summaries_are_cleaned_and_cut(server: ModelServer, tmp_path: Path) -> None:
    results = [
        {
            "index": 0,
            "summary": "a\u202e\x1b[31m\nb" + "x" * 9_000,
            "tags": ["T" * 99, "", "\u0007", *map(str, range(40))],
        },
        {"index": 1, "summary": " \n "},
        {"index": 0, "summary": "another"},
        {"index": 9, "summary": "nobody's"},
    ]
    server.behaviours.append(lambda *_: completion(json.dumps({"results": results})))
    first, second = client(server, tmp_path).summarize(STATEMENTS).summaries
    assert first is not None
    assert first.summary.startswith("a [31m bxx")
    assert len(first.summary) == 1_500
    assert first.tags[0] == "t" * 40
    assert len(first.tags) == 12
    assert second is None


@pytest.mark.parametrize("content", ["", "no JSON", '{"results": 3}', '{"results": [{"index": 0}]}', "}{"])
def test_answers_that_are_none(server: ModelServer, tmp_path: Path, content: str) -> None:
    server.behaviours.append(lambda *_: completion(content))
    with pytest.raises(WrongAnswer):
        client(server, tmp_path).summarize(STATEMENTS)


def test_tokens_are_within_what_there_can_be(server: ModelServer, tmp_path: Path) -> None:
    def greedy(path: str, body: dict[str, Any]) -> Reply:
        code, headers, content = well(path, body)
        told = msgspec.json.decode(content)
        told["usage"]["total_tokens"] = 10**12
        return code, headers, msgspec.json.encode(told)

    server.behaviours.append(greedy)
    assert client(server, tmp_path).embed(["abc"]).tokens == 4 * 3 + 8_192


def test_no_key_is_sent_where_none_is_configured(server: ModelServer) -> None:
    configuration = ModelConfiguration(provider="openai", model="m", dimension=8, endpoint=server.endpoint)
    OpenAi(configuration, "", Outgoing("127.0.0.0/8")).embed(["a"])
    assert "authorization" not in server.requests[0][1]
