"""Tenants, keys and dead letters on the command line, on a folder and on a server."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import httpx
import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.transport import get_default_factory

from tests.api.test_clients import run_events
from tests.api.test_ingest import event
from tests.cli.test_main import headwater
from tests.server import Server


def done(*arguments: object, **environment: str) -> str:
    finished = headwater(*arguments, **environment)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


@pytest.mark.clients
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_before_the_first_start(tmp_path: Path) -> None:
    """Tenants and keys are made in an empty folder, then the server may be reached by others."""
    here = ("--data", tmp_path)
    assert "Refused to listen" in headwater("up", "--host", "0.0.0.0", *here).stderr
    assert "There is no data" in headwater("tenant", "list", *here).stderr
    assert "state  ACTIVE" in done("tenant", "create", "a", "--name", "Team A", "--id", 7, *here)
    admin = json.loads(done("key", "create", "--role", "admin", "--format", "json", *here))["key"]
    shown = done("key", "create", "--tenant", "a", "--source", "SPARK", "--role", "writer", "--role", "reader", *here)
    writer = next(line for line in shown.splitlines() if line.startswith("hw_"))
    assert "not shown again" in shown
    with Server(tmp_path, "--host", "0.0.0.0") as server:
        url = server.url.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(f"{url}/api/v1/namespaces").status_code == 401
        _official_client_sends(url, writer)
        asked = {"HEADWATER_URL": url, "HEADWATER_API_KEY": admin}
        assert "clients" in done("show", "job:clients:with_key", "--tenant", "a", **asked)
        assert "clients" in done("show", "job:clients:with_key", HEADWATER_URL=url, HEADWATER_API_KEY=writer)
        refused = headwater("show", "job:clients:with_key", HEADWATER_URL=url)
        assert "needs a credential" in refused.stderr
        _administer(asked, url, writer)
        assert not any(secret in server.log() for secret in (writer, admin))
    local = done("dump", "--tenant", "a", *here)
    assert local == done("fold", "--tenant", "a", *here)
    assert "with_key" in local
    assert "with_key" not in done("dump", *here)
    assert "no tenant 'nobody'" in headwater("dump", "--tenant", "nobody", *here).stderr


def _official_client_sends(url: str, key: str) -> None:
    config = {"type": "http", "url": url, "auth": {"type": "api_key", "apiKey": key}}
    client = OpenLineageClient(transport=get_default_factory().create(config))
    for sent in run_events("with_key"):
        client.emit(sent)
    client.close()


def _administer(asked: dict[str, str], url: str, writer: str) -> None:
    """All of it over HTTP."""
    assert "Team A" in done("tenant", "list", **asked)
    assert json.loads(done("tenant", "show", "a", "--format", "json", **asked))["id"] == 7
    limited = json.loads(done("tenant", "set-limit", "a", "--rate", 50, "--burst", 80, "-f", "json", **asked))
    assert (limited["rate"], limited["burst"]) == (50, 80)
    assert "50" in done("tenant", "list", **asked)
    assert json.loads(done("tenant", "set-limit", "a", "--default", "-f", "json", **asked))["rate"] is None
    assert "DISABLED" in done("tenant", "disable", "a", **asked)
    sent = httpx.post(f"{url}/api/v1/lineage", content=event("late"), headers={"x-api-key": writer})
    assert sent.status_code == 403
    assert "tenant_disabled" in done("dead-letters", "list", "--tenant", "a", **asked)
    (letter,) = json.loads(done("dead-letters", "list", "-f", "json", **asked))["dead_letters"]
    assert '"late"' in done("dead-letters", "show", letter["id"], **asked)
    assert "ACTIVE" in done("tenant", "enable", "a", **asked)
    assert "taken    1" in done("dead-letters", "retry", "--reason", "tenant_disabled", **asked)
    assert "late" in done("show", "job:tests:late", "--tenant", "a", **asked)
    assert "say --all" in headwater("dead-letters", "purge", **asked).stderr
    assert "purged  1" in done("dead-letters", "purge", "--state", "taken", **asked)
    assert "There are none" in done("dead-letters", "list", "--state", "any", **asked)
    with tempfile.TemporaryDirectory() as folder:
        file, events = Path(folder) / "policy.json", Path(folder) / "events.ndjson"
        file.write_text('{"rules": [{"namespaces": ["tests"], "mode": "deny", "facets": {"job": {"sql": "*"}}}]}')
        sql = b'"job": {"namespace": "tests", "name": "j", "facets": {"sql": {"query": "SELECT 1"}}}'
        events.write_bytes(b'{"eventTime": "2026-01-01T00:00:00Z", ' + sql + b"}\n")
        tried = done("policy", "test", events, "--policy", file, "--tenant", "a", **asked)
        assert "changed" in tried
        assert "$.job.facets.sql removed" in tried
        assert done("policy", "test", events, "--policy", file, "--data", Path(folder) / "none") == tried
        assert "unchanged" in done("policy", "test", events, "--tenant", "a", **asked)
        assert '"sql"' in done("policy", "set", file, "--tenant", "a", **asked)
        assert '"sql"' in done("policy", "show", "--tenant", "a", **asked)
        assert "changed" in done("policy", "test", events, "--tenant", "a", **asked)
        file.write_text('{"rules": [{"namespaces": ["tests"], "action": "refuse"}]}')
        refused = headwater("policy", "test", events, "--policy", file, "--tenant", "a", **asked)
        assert refused.returncode == 2
        assert "$.job.facets.sql" in refused.stdout
        assert "no facet policy" in done("policy", "clear", "--tenant", "a", **asked)
        assert json.loads(done("policy", "show", "--tenant", "a", **asked))["policy"] is None
    key_id = writer.split("_")[1]
    rotated = done("key", "rotate", key_id, "--grace", "1h", **asked)
    assert "hw_" in rotated
    assert "REVOKED" in done("key", "revoke", key_id, **asked)
    assert "REVOKED" in done("key", "list", "--tenant", "a", **asked)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tenant", "create", "a b"), "is no code"),
        (("tenant", "show", "nobody"), "There is no tenant 'nobody'"),
        (("tenant", "create", "default"), "There is a tenant with the code 'default'"),
        (("tenant", "set-limit", "x"), "either --rate or --default"),
        (("tenant", "set-limit", "x", "--rate", "1", "--default"), "either --rate or --default"),
        (("tenant", "set-limit", "x", "--rate", "-1"), "must be from 0"),
        (("tenant", "set-limit", "nobody", "--rate", "1"), "There is no tenant 'nobody'"),
        (("key", "create", "--tenant", "nobody"), "There is no tenant 'nobody'"),
        (("key", "create", "--source", "COBOL"), "is no source"),
        (("key", "create", "--expires", "soon"), "is no duration"),
        (("key", "revoke", "nothing"), "There is no key"),
        (("dead-letters", "show", "1"), "There is no dead letter '1'"),
        (("dead-letters", "list", "--state", "odd"), "state must be"),
        (("tenant", "list", "--format", "xml"), "neither table nor json"),
        (("policy", "set", "nowhere.json"), "cannot be read"),
        (("policy", "set", "pyproject.toml"), "is no JSON"),
        (("policy", "show", "--tenant", "nobody"), "There is no tenant 'nobody'"),
    ],
)
def test_wrong_arguments(tmp_path_factory: pytest.TempPathFactory, arguments: tuple[str, ...], said: str) -> None:
    folder = tmp_path_factory.getbasetemp() / "administered"
    if not folder.exists():
        done("tenant", "create", "x", "--data", folder)
    failed = headwater(*arguments, "--data", folder)
    assert failed.returncode in (1, 2)
    assert said in failed.stderr
    assert "Traceback" not in failed.stderr
