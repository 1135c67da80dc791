"""Record what openlineage-spark sends for a handful of small applications.

    python scripts/record/spark.py

Needs Java 17 and Maven; PySpark comes into its own virtual environment.
"""

from __future__ import annotations

from pathlib import Path

from capture import capture
from workshop import CACHE, environment, keep, run, working_folder

SPARK = "4.0.1"
AGENT = "1.53.0"
APPLICATIONS = ("orders_mart", "order_files", "failing_ratio", "copied_totals", "nested_events", "word_count")


def agent_jar() -> Path:
    folder = CACHE / "openlineage-spark"
    jar = folder / f"openlineage-spark_2.13-{AGENT}.jar"
    if not jar.exists():
        run(
            "mvn", "-B", "-q", "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy",
            f"-Dartifact=io.openlineage:openlineage-spark_2.13:{AGENT}", f"-DoutputDirectory={folder}",
        )  # fmt: skip
    return jar


def main() -> None:
    python = environment("spark", f"pyspark=={SPARK}") / "bin" / "python"
    jar = agent_jar()
    folder = working_folder("spark")
    captured = folder / "events.ndjson"
    with capture(captured) as url:
        for application in APPLICATIONS:
            run(
                python, Path(__file__).parent / "applications" / "spark_applications.py", application, folder,
                check=False,  # one of them is meant to fail
                HEADWATER_RECORD_JAR=str(jar), HEADWATER_RECORD_URL=url,
                SPARK_USER="recorder", SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=str(python),
            )  # fmt: skip
    keep(captured, "spark", folder)


if __name__ == "__main__":
    main()
