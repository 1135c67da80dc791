"""Files for their owner alone, made without taking anything from those who have them open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from headwater.private import make_private_file
from headwater.store.sql_store import SqlStore

WRITE = (
    "import sqlite3, sys; it = sqlite3.connect(sys.argv[1]); it.execute('CREATE TABLE t (x)'); it.commit(); it.close()"
)


def test_a_file_is_made_or_made_private(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("kept")
    there.chmod(0o644)
    for path in (there, tmp_path / "new"):
        make_private_file(path)
        assert path.stat().st_mode & 0o777 == 0o600
    assert there.read_text() == "kept"


def test_opening_a_database_again_leaves_the_locks_on_it(tmp_path: Path) -> None:
    """Without them another process that leaves takes itself for the last one, and removes what is not written back."""
    url = f"sqlite:///{tmp_path / 'headwater.db'}"
    store = SqlStore(url)
    store.open()
    with store.engine.connect() as connection:
        connection.exec_driver_sql("SELECT 1 FROM tenant").all()
        other = SqlStore(url)
        other.open()
        other.close()
        subprocess.run([sys.executable, "-c", WRITE, str(tmp_path / "headwater.db")], check=True)
        assert (tmp_path / "headwater.db-wal").exists()
    store.probe()
    store.close()
