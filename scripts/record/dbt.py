"""Record what dbt-ol sends for a project of three models and their tests.

    python scripts/record/dbt.py            # into tests/events/recorded
    python scripts/record/dbt.py --to URL   # to a server, as the tests do

The project is `dbt_project/`; it runs on DuckDB, so nothing has to be started.
"""

from __future__ import annotations

import argparse
import os
import shutil
from contextlib import nullcontext
from pathlib import Path

from capture import capture
from workshop import environment, keep, run, working_folder

REQUIREMENTS = ("dbt-core==1.10.23", "dbt-duckdb==1.10.1", "openlineage-dbt==1.54.0")
# the wrapper sends at the end of dbt by default; with structured logs it sends while dbt runs, one event per query
COMMANDS = (("seed",), ("run",), ("test",), ("--consume-structured-logs", "build"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", metavar="URL", help="send to this server instead of recording")
    server = parser.parse_args().to
    programs = environment("dbt", *REQUIREMENTS) / "bin"
    folder = working_folder("dbt" if server is None else f"dbt-{os.getpid()}")
    project = folder / "shop"
    shutil.copytree(Path(__file__).parent / "dbt_project", project)
    captured = folder / "events.ndjson"
    with capture(captured) if server is None else nullcontext(server) as url:
        for command in COMMANDS if server is None else COMMANDS[:3]:
            run(
                programs / "dbt-ol", *command, "--project-dir", project, "--profiles-dir", project,
                check=False,  # one test is meant to fail
                OPENLINEAGE_URL=url, OPENLINEAGE_NAMESPACE="dbt_recorded", DBT_SEND_ANONYMOUS_USAGE_STATS="false",
                HEADWATER_RECORD_DATABASE=str(folder / "shop.duckdb"), PATH=f"{programs}:/usr/bin:/bin",
            )  # fmt: skip
    if server is None:
        keep(captured, "dbt", folder)
    else:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
