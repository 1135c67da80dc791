"""Taking events over HTTP, the way real clients send them."""

from __future__ import annotations

import gzip
import http.client
import json
import os
import socket
import uuid
import zlib
from urllib.parse import urlsplit

import pytest
import zstandard

from headwater.store.engine import make_engine
from headwater.store.read.reader import Reader
from tests.conftest import EVENTS, read_events
from tests.server import Server


def event(job: str = "j", **changes) -> bytes:
    body = {
        "eventTime": "2026-01-02T03:04:05Z",
        "eventType": "COMPLETE",
        "run": {"runId": str(uuid.uuid4())},
        "job": {"namespace": "tests", "name": job},
        "outputs": [{"namespace": "tests", "name": f"{job}.out"}],
    }
    return json.dumps({**body, **changes}).encode()


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/lineage",
        "/api/v1/lineage/",
        "/api/openlineage",
        "/api/openlineage/",
        "/",
        "/behind/a/proxy/api/v1/lineage",
        "/api/v1/lineage?api_key=x&unknown=1",
    ],
)
def test_paths(server: Server, path: str) -> None:
    answer = server.post(event(), path)
    assert answer.status_code == 201
    assert answer.content == b""
    assert answer.headers["content-length"] == "0"


@pytest.mark.parametrize(
    ("encoding", "compress"),
    [
        ("gzip", gzip.compress),
        ("x-gzip", gzip.compress),
        ("GZIP", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda body: zlib.compress(body)[2:-4]),
        ("zstd", zstandard.compress),
        ("identity", bytes),
        ("gzip, gzip", lambda body: gzip.compress(gzip.compress(body))),
    ],
)
def test_encodings(server: Server, encoding: str, compress) -> None:
    assert server.post(compress(event()), **{"content-encoding": encoding}).status_code == 201


def test_gzip_and_chunked_without_length(server: Server) -> None:
    """As the Java client sends it."""
    place = urlsplit(server.url)
    body = gzip.compress(event("chunked"))
    connection = http.client.HTTPConnection(place.hostname or "", place.port)
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json; charset=UTF-8"}
    connection.request("POST", "/api/v1/lineage", iter([body[:20], body[20:]]), headers, encode_chunked=True)
    assert connection.getresponse().status == 201
    connection.close()


@pytest.mark.parametrize("charset", ["UTF-8", "utf-8", "utf-16", "UTF-16LE", "utf_32", '"utf-8"'])
def test_charsets(server: Server, charset: str) -> None:
    name = f"größe-{charset}".replace('"', "")
    body = event(name).decode().replace("\\u00f6", "ö").replace("\\u00df", "ß")
    answer = server.post(body.encode(charset.strip('"')), **{"content-type": f"application/json; charset={charset}"})
    assert answer.status_code == 201
    assert server.get("/api/v2/show", name=f"job:tests:{name}").json()["name"] == name


def test_what_is_stored_is_what_was_sent(server: Server) -> None:
    body = event("exact", custom={"b": 1, "a": [1.0, 1e3], "é": "\N{SNOWMAN}"})
    server.post(body)
    engine = make_engine(f"sqlite:///{server.data / 'headwater.db'}")
    assert body in [logged.body for logged in Reader(engine).log(1)]
    engine.dispose()


def test_the_same_event_twice_is_one(server: Server) -> None:
    body = event("twice")
    before = server.get("/api/v1/events/lineage").json()["totalCount"]
    assert [server.post(body).status_code for _ in range(3)] == [201, 201, 201]
    assert server.get("/api/v1/events/lineage").json()["totalCount"] == before + 1


@pytest.mark.parametrize(
    ("body", "status", "error", "path"),
    [
        (b"not json", 400, "invalid_json", "$"),
        (b"", 400, "invalid_json", None),
        (b"[1]", 400, "not_an_object", "$"),
        (b"{}", 400, "missing_identity", "$"),
        (event(job="")[:-1] + b"}", 400, "missing_identity", "$.job.name"),
        (event(eventTime="now"), 400, "invalid_time", "$.eventTime"),
        (b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b"}", 400, "invalid_json", None),
    ],
)
def test_refusals(server: Server, body: bytes, status: int, error: str, path: str | None) -> None:
    answer = server.post(body)
    assert answer.status_code == status
    said = answer.json()
    assert said["code"] == status
    assert said["error"] == error
    assert said.get("path") == path
    assert said["message"]
    assert said["hint"]


def test_bodies_that_cannot_be_unpacked(server: Server) -> None:
    assert server.post(b"not gzip", **{"content-encoding": "gzip"}).json()["error"] == "invalid_json"
    assert server.post(gzip.compress(event())[:-9], **{"content-encoding": "gzip"}).status_code == 400
    assert server.post(event(), **{"content-encoding": "br"}).status_code == 415


def test_zip_bombs_are_stopped_early(tmp_path) -> None:
    with Server(tmp_path, environment={"HEADWATER_MAX_EVENT_BYTES": str(1 << 20)}) as small:
        bomb = gzip.compress(b" " * (200 << 20))
        answer = small.post(bomb, **{"content-encoding": "gzip"})
        assert answer.status_code == 413
        assert answer.json()["error"] == "too_large"
        assert small.post(zstandard.compress(b" " * (200 << 20)), **{"content-encoding": "zstd"}).status_code == 413
        assert small.post(b" " * (2 << 20)).status_code == 413
        assert small.post(event()).status_code == 201


def test_a_large_event_is_taken(server: Server) -> None:
    facets = {"big": {"plan": "x" * (8 << 20)}}
    assert server.post(event("large", run={"runId": str(uuid.uuid4()), "facets": facets})).status_code == 201


def test_a_client_that_goes_away_harms_nobody(server: Server) -> None:
    place = urlsplit(server.url)
    with socket.create_connection((place.hostname, place.port)) as connection:
        connection.sendall(b"POST /api/v1/lineage HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9999\r\n\r\n{")
    assert server.post(event()).status_code == 201


@pytest.mark.parametrize("path", ["/api/v1/lineage/batch", "/api/openlineage/batch/"])
def test_batch(server: Server, path: str) -> None:
    bodies = [event("b1"), b'{"eventTime": 1}', event("b2"), b"7", event("b3", eventTime="?")]
    answer = server.post(b"[" + b",".join(bodies) + b"]", path)
    assert answer.status_code == 200
    said = answer.json()
    assert said["status"] == "partial_success"
    assert said["summary"] == {"received": 5, "successful": 2, "failed": 3}
    assert [(item["index"], item["error"], item["retriable"]) for item in said["failed_events"]] == [
        (1, "missing_identity", False),
        (3, "not_an_object", False),
        (4, "invalid_time", False),
    ]
    assert all(item["reason"] for item in said["failed_events"])


def test_ndjson(server: Server) -> None:
    lines = b"\n".join([event("l1"), b"", b"{", event("l2")]) + b"\n"
    for path, kind in (("/api/v1/lineage", "application/x-ndjson"), ("/api/v1/lineage/batch", "application/json")):
        said = server.post(lines, path, **{"content-type": kind}).json()
        assert said["summary"] == {"received": 3, "successful": 2, "failed": 1}
        assert said["failed_events"][0]["index"] == 2


def test_a_batch_of_one_event_on_many_lines(server: Server) -> None:
    pretty = json.dumps(json.loads(event("pretty")), indent=2).encode()
    assert server.post(pretty, "/api/v1/lineage/batch").json()["summary"]["successful"] == 1


def test_a_batch_that_is_no_batch(server: Server) -> None:
    for body in (b"", b"7", b"[{", b'"x"'):
        assert server.post(body, "/api/v1/lineage/batch").status_code == 400
    assert server.post(b"[]", "/api/v1/lineage/batch").json()["summary"]["received"] == 0


def test_a_batch_of_nothing_but_refused_events_ends_nothing(server: Server) -> None:
    said = server.post(b'[{}, {"eventTime": "never"}]', "/api/v1/lineage/batch").json()
    assert said["summary"] == {"received": 2, "successful": 0, "failed": 2}
    assert server.post(event("after"), "/api/v1/lineage").status_code == 201


def test_a_large_compressed_batch(server: Server) -> None:
    """Unpacked beside the event loop, and refused there as well if it is not whole."""
    bodies = [event(f"packed{number}", padding=os.urandom(600).hex()) for number in range(300)]
    packed = gzip.compress(b"\n".join(bodies))
    assert len(packed) > 100_000
    sent = {"content-encoding": "gzip", "content-type": "application/x-ndjson"}
    assert server.post(packed, "/api/v1/lineage/batch", **sent).json()["summary"]["successful"] == 300
    assert server.post(packed[:-100], "/api/v1/lineage/batch", **sent).json()["error"] == "invalid_json"


def test_a_batch_larger_than_the_queue(tmp_path) -> None:
    with Server(tmp_path, environment={"HEADWATER_QUEUE_EVENTS": "600"}) as small:
        bodies = [event(f"many{number}") for number in range(1500)]
        said = small.post(b"[" + b",".join(bodies) + b"]", "/api/v1/lineage/batch").json()
        assert said["summary"]["successful"] == 1500


@pytest.mark.parametrize("file", sorted(f"{path.parent.name}/{path.name}" for path in EVENTS.glob("*/*.ndjson")))
def test_recorded_events(server: Server, file: str) -> None:
    """Nothing that producers send, odd or refused, makes the server fail."""
    for body in read_events(file):
        answer = server.post(body)
        expected = 400 if "refused" in file else 201
        assert answer.status_code == expected, answer.text


def test_other_methods_and_paths(server: Server) -> None:
    """Below Marquez' paths they are refused in its words: tests/api/marquez/test_refusals.py."""
    assert server.get("/api/v2/nothing").json()["error"] == "not_found"
    answer = server.post(b"{}", "/api/v2/datasets")
    assert (answer.status_code, answer.json()["error"]) == (405, "not_allowed")
