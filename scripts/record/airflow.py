"""Record what Airflow's OpenLineage provider sends for three DAGs, one of which fails.

    python scripts/record/airflow.py

Starts the processes of a small Airflow on loopback and a PostgreSQL for its tasks, triggers two DAGs, waits for their
end, and stops what it started.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from capture import capture
from postgres import free_port, postgres
from workshop import environment, keep, run, working_folder

REQUIREMENTS = (
    "apache-airflow==3.3.2",
    "apache-airflow-providers-openlineage==2.20.3",
    "apache-airflow-providers-common-sql==2.4.0",
    "apache-airflow-providers-postgres==7.1.1",
    "apache-airflow-providers-standard==1.21.0",
)
DAGS = ("orders_daily", "refunds_report", "orders_alerts")
TRIGGERED = DAGS[:2]  # the third is started by an asset that the first one writes
ADDRESS = "http://airflow.example.com:8080"
PROCESSES = ("dag-processor", "scheduler", "triggerer")


def settings(folder: Path, url: str, port: int, database: int, programs: Path) -> dict[str, str]:
    home = folder / "airflow"
    return {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__API__BASE_URL": ADDRESS,
        "AIRFLOW__API__PORT": str(port),
        "AIRFLOW__API__HOST": "127.0.0.1",
        "AIRFLOW__API__WORKERS": "1",
        "AIRFLOW__API_AUTH__JWT_SECRET": "only-for-a-recording-on-loopback-0123456789abcdef0123456789abcdef",
        "AIRFLOW__CORE__AUTH_MANAGER": "airflow.api_fastapi.auth.managers.simple.simple_auth_manager.SimpleAuthManager",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "true",
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
        "AIRFLOW__CORE__LOAD_EXAMPLES": "false",
        "AIRFLOW__CORE__PARALLELISM": "2",
        "AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL": "5",
        "AIRFLOW__SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": "1",
        "AIRFLOW__OPENLINEAGE__TRANSPORT": json.dumps({"type": "http", "url": url}),
        "AIRFLOW__OPENLINEAGE__NAMESPACE": ADDRESS,
        "AIRFLOW_CONN_SHOP": f"postgresql://shop@127.0.0.1:{database}/shop",
        "PATH": f"{programs}:{os.environ['PATH']}",
    }


@contextlib.contextmanager
def processes(airflow: Path, variables: dict[str, str], logs: Path) -> Iterator[None]:
    """The API server and the rest of Airflow, each in its own process group, stopped at the end."""
    started = []
    try:
        for name in ("api-server", *PROCESSES):
            with (logs / f"{name}.log").open("wb") as log:
                started.append(
                    subprocess.Popen(
                        [airflow, name],
                        env={**os.environ, **variables},
                        stdout=log,
                        stderr=subprocess.STDOUT,
                        start_new_session=True,
                    ),
                )
        yield
    finally:
        for process in reversed(started):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in started:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def finished(captured: Path) -> set[str]:
    """The DAGs whose end has been sent."""
    events = [json.loads(line) for line in captured.read_text().splitlines()]
    return {event["job"]["name"] for event in events if event["eventType"] in {"COMPLETE", "FAIL"}} & set(DAGS)


def main() -> None:
    programs = environment("airflow", *REQUIREMENTS) / "bin"
    airflow = programs / "airflow"
    folder = working_folder("airflow")
    captured = folder / "events.ndjson"
    with capture(captured) as url, postgres(folder) as database:
        variables = settings(folder, url, free_port(), database, programs)
        dags = folder / "airflow" / "dags"
        dags.mkdir(parents=True)
        shutil.copy(Path(__file__).parent / "dags" / "orders_dag.py", dags)
        run(airflow, "db", "migrate", **variables)
        run(airflow, "dags", "reserialize", **variables)
        with processes(airflow, variables, folder):
            for dag in DAGS:
                run(airflow, "dags", "unpause", "--yes", dag, **variables)
            for dag in TRIGGERED:
                run(airflow, "dags", "trigger", dag, **variables)
            deadline = time.monotonic() + 300
            while finished(captured) != set(DAGS) and time.monotonic() < deadline:
                time.sleep(2)
            time.sleep(5)  # events of the last task may still be under way
    keep(captured, "airflow", folder, {f"127.0.0.1:{database}": "pg.example.com:5432"})


if __name__ == "__main__":
    main()
