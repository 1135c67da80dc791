"""Record what openlineage-flink sends for SQL jobs between Kafka topics and files.

    python scripts/record/flink.py

Needs Java 17 and Maven: a broker and Flink's own cluster run on loopback while it records.
"""

from __future__ import annotations

import os
from pathlib import Path

from capture import capture
from kafka import kafka
from workshop import environment, keep, run, working_folder

FLINK = "2.0.0"
ARTIFACTS = ("io.openlineage:openlineage-flink:1.53.0", "org.apache.flink:flink-sql-connector-kafka:4.0.1-2.0")


def add_jars(library: Path) -> None:
    """The agent and the connector beside Flink's own jars, where the job manager finds them."""
    for artifact in ARTIFACTS:
        name, version = artifact.split(":")[1:]
        if not (library / f"{name}-{version}.jar").exists():
            run(
                "mvn", "-B", "-q", "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy",
                f"-Dartifact={artifact}", f"-DoutputDirectory={library}",
            )  # fmt: skip


def main() -> None:
    root = environment("flink", f"apache-flink=={FLINK}", "setuptools<81")  # it still imports pkg_resources
    add_jars(next(root.glob("lib/python*/site-packages/pyflink/lib")))
    folder = working_folder("flink")
    captured = folder / "events.ndjson"
    with capture(captured) as url, kafka(folder) as broker:
        run(
            root / "bin" / "python", Path(__file__).parent / "applications" / "flink_application.py",
            url, f"127.0.0.1:{broker}", folder,
            PATH=f"{root}/bin:{os.environ['PATH']}",
        )  # fmt: skip
    keep(captured, "flink", folder, {f"127.0.0.1:{broker}": "broker1.example.com:9092"})


if __name__ == "__main__":
    main()
