"""Gravitino's own client reads our stand-in of its server: so what we read there is what Gravitino speaks."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.pipeline.gravitino.gravitino_server import GravitinoServer, generated

CACHE = Path(os.environ.get("HEADWATER_CACHE") or "~/.cache/headwater").expanduser()
CLIENT = CACHE / "gravitino-client-1.3.1"
ASKED = """
import json, sys
from gravitino import GravitinoClient, NameIdentifier
from gravitino.namespace import Namespace
client = GravitinoClient(uri=sys.argv[1], metalake_name="lake")
catalog = client.load_catalog("hive")
tables = catalog.as_table_catalog()
table = tables.load_table(NameIdentifier.of("sales", "t0"))
print(json.dumps({
    "catalogs": client.list_catalogs(),
    "provider": catalog.provider(),
    "schemas": catalog.as_schemas().list_schemas(),
    "tables": sorted(found.name() for found in tables.list_tables(Namespace.of("sales"))),
    "columns": [column.name() for column in table.columns()],
    "nullable": [column.nullable() for column in table.columns()],
    "comment": table.comment(),
}))
"""


def test_it_reads_what_we_serve() -> None:
    if not (CLIENT / ".ready").exists():
        if os.environ.get("CI") == "true":
            pytest.fail("no Gravitino client here: scripts/install_gravitino_client.sh")
        pytest.skip("no Gravitino client here: scripts/install_gravitino_client.sh")
    with GravitinoServer(generated(tables=8, columns=3)) as server:
        command = [CLIENT / "bin" / "python", "-c", ASKED, server.url]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "catalogs": ["hive", "ice"],
        "provider": "hive",
        "schemas": ["sales", "ops"],
        "tables": ["t0", "t1"],
        "columns": ["c0", "c1", "c2"],
        "nullable": [False, True, True],
        "comment": "table t0",
    }
