"""TLS without a proxy, with certificates that change; and metrics, which are of all tenants, for those meant only."""

from __future__ import annotations

import datetime as dt
import os
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from tests.api.test_ingest import event
from tests.application import InProcess
from tests.server import Server
from tests.waiting import until


def write_certificate(folder: Path, name: str) -> None:
    """A certificate and its key, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.DNSName(name)])
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(names, critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "key.pem").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    (folder / "cert.pem").write_bytes(made.public_bytes(Encoding.PEM))


class TlsServer(Server):
    """Its certificate is known to nobody else."""

    def _wait(self) -> None:
        while True:
            with suppress(OSError):
                self.subject()
                return
            assert self.process.poll() is None, self.log()
            assert time.monotonic() - self.began < 120
            time.sleep(0.05)

    def subject(self) -> str:
        """Whose certificate a new connection is shown."""
        address = urlsplit(self.url)
        shown = x509.load_pem_x509_certificate(
            ssl.get_server_certificate((address.hostname or "", address.port or 0)).encode()
        )
        return str(shown.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value)


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TlsServer]:
    folder = tmp_path_factory.mktemp("tls")
    write_certificate(folder, "one.example")
    paths = ("--tls-cert", str(folder / "cert.pem"), "--tls-key", str(folder / "key.pem"))
    with TlsServer(folder, *paths) as started:
        yield started


def test_https(tls: TlsServer) -> None:
    assert tls.url.startswith("https://")
    context = ssl.create_default_context(cafile=str(tls.data / "cert.pem"))
    context.check_hostname = False
    with httpx.Client(verify=context, base_url=tls.url) as client:
        for number in range(3):
            answer = client.post("/api/v1/lineage", content=event(f"tls-{number}"))
            assert answer.status_code == 201
        assert answer.headers["strict-transport-security"] == "max-age=31536000"
        assert client.post("/api/v1/lineage", content=event("l") + b" " * 3_000_000).status_code == 201
        assert len(client.get("/api/v1/jobs").json()["jobs"]) == 4
        assert client.get("/", headers={"x": "a" * 40_000}).status_code == 431
    environment = {**os.environ, "SSL_CERT_FILE": str(tls.data / "cert.pem")}
    command = [sys.executable, "-m", "headwater", "show", "tls-1", "--url", tls.url.replace("127.0.0.1", "localhost")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "tls-1" in done.stdout


def test_what_is_no_tls(tls: TlsServer) -> None:
    address = urlsplit(tls.url)
    with socket.create_connection((address.hostname, address.port), timeout=60) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert b"HTTP/1.1 2" not in connection.recv(1000)


def test_a_certificate_that_changes(tls: TlsServer) -> None:
    """It is used without a restart; one whose key is not there yet is not."""
    assert tls.subject() == "one.example"
    key = (tls.data / "key.pem").read_bytes()
    write_certificate(tls.data, "two.example")
    new_key = (tls.data / "key.pem").read_bytes()
    (tls.data / "key.pem").write_bytes(key)
    until(lambda: "the new certificate cannot be used" in tls.log())
    assert tls.subject() == "one.example"
    (tls.data / "key.pem").write_bytes(new_key)
    until(lambda: tls.subject() == "two.example")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--tls-cert", "cert.pem"], "only one"),
        (["--tls-cert", "none.pem", "--tls-key", "none.pem"], "cannot be used"),
        (["--tls-cert", "key.pem", "--tls-key", "key.pem"], "cannot be used"),
        (["--metrics-port", "8580", "--port", "8580"], "same as port"),
    ],
)
def test_wrong_settings(tmp_path: Path, options: list[str], said: str) -> None:
    write_certificate(tmp_path, "one.example")
    command = [sys.executable, "-m", "headwater", "up", "--no-pipeline", *options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode != 0
    assert said in done.stderr


# --- metrics -------------------------------------------------------------------------------------------------------


def test_metrics_are_for_monitors(tmp_path: Path) -> None:
    with InProcess(tmp_path) as app:
        assert app.get("/metrics").status_code == 200  # everything is everybody's
        app.key = app.make_key(roles=["admin"])
        app.make_tenant("acme")
        monitor = app.make_key(roles=["monitor"])
        assert app.get("/metrics").status_code == 200
        assert "headwater_events" in app.get("/metrics", key=monitor).text
        for path in ("/metrics", "/metrics/"):
            assert app.get(path, key="").status_code == 401
            for role in ("reader", "writer", "editor", "admin", "monitor"):
                for tenant in ({"tenant": "acme"}, {}):
                    if tenant or role not in ("admin", "monitor"):
                        key = app.make_key(roles=[role], **tenant)
                        assert app.get(path, key=key).status_code == 403
        assert app.get("/api/v1/namespaces?tenant=acme", key=monitor).status_code == 403
        assert app.send(event("j"), key=monitor).status_code == 403


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.mark.parametrize("workers", ["1", "2"])
def test_metrics_at_an_address_of_their_own(tmp_path: Path, workers: str) -> None:
    with InProcess(tmp_path) as app:
        app.key = app.make_key(roles=["admin"])
        key = app.key
    port = free_port()
    metrics = f"http://127.0.0.1:{port}"
    with Server(tmp_path, "--metrics-port", str(port), "--workers", workers) as server:
        assert "headwater_connections" in httpx.get(f"{metrics}/metrics").text
        assert httpx.get(f"{metrics}/health/live").status_code == 200
        credential = {"authorization": f"Bearer {key}"}
        for path in ("/", "/api/v1/namespaces?tenant=default", "/docs"):
            assert httpx.get(f"{metrics}{path}", headers=credential).status_code == 404
        for path in ("/api/v1/lineage", "/api/v1/lineage/batch"):
            assert httpx.post(f"{metrics}{path}", content=event("j"), headers=credential).status_code == 404
        assert httpx.get(f"{server.url}/metrics", headers=credential).status_code == 404
        assert httpx.get(f"{server.url}/api/v1/namespaces?tenant=default", headers=credential).status_code == 200
