"""The Flink jobs that `flink.py` records: `python flink_application.py URL BROKER FOLDER`."""

from __future__ import annotations

import contextlib
import sys
import time

from py4j.protocol import Py4JJavaError
from pyflink.common import Configuration
from pyflink.table import EnvironmentSettings, TableEnvironment

TABLES = (
    """CREATE TABLE numbers (payment_id BIGINT, amount DECIMAL(12, 2), country STRING) WITH (
        'connector' = 'datagen', 'number-of-rows' = '5', 'fields.country.length' = '2')""",
    """CREATE TABLE payments (payment_id BIGINT, amount DECIMAL(12, 2), country STRING) COMMENT 'All payments' WITH (
        'connector' = 'kafka', 'topic' = 'payments', 'properties.bootstrap.servers' = '{broker}',
        'properties.group.id' = 'record', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json')""",
    """CREATE TABLE payments_enriched (payment_id BIGINT, amount DECIMAL(12, 2), country STRING, is_big BOOLEAN) WITH (
        'connector' = 'kafka', 'topic' = 'payments_enriched', 'properties.bootstrap.servers' = '{broker}',
        'format' = 'json')""",
    """CREATE TABLE payment_files (country STRING, total DECIMAL(38, 2)) WITH (
        'connector' = 'filesystem', 'path' = '{folder}/lake/payments', 'format' = 'json')""",
)
JOBS = (
    "INSERT INTO payments SELECT payment_id, amount, country FROM numbers",
    "INSERT INTO payments_enriched SELECT payment_id, amount, upper(country), amount > 100 FROM payments",
    "INSERT INTO payment_files SELECT country, CAST(1 / (payment_id - payment_id) AS DECIMAL(38, 2)) FROM payments",
)


def main() -> None:
    url, broker, folder = sys.argv[1:]
    configuration = Configuration()
    for key, value in {
        "execution.job-status-changed-listeners": (
            "io.openlineage.flink.listener.OpenLineageJobStatusChangedListenerFactory"
        ),
        "openlineage.transport.type": "http",
        "openlineage.transport.url": url,
        "openlineage.job.namespace": "flink_recorded",
        "parallelism.default": "1",
    }.items():
        configuration.set_string(key, value)
    settings = EnvironmentSettings.new_instance().in_streaming_mode().with_configuration(configuration).build()
    tables = TableEnvironment.create(settings)
    for statement in TABLES:
        tables.execute_sql(statement.format(broker=broker, folder=folder))
    for statement in JOBS:
        result = tables.execute_sql(statement)
        with contextlib.suppress(Py4JJavaError):  # the second job never ends and is cancelled, the last one fails
            result.wait(15_000)
        with contextlib.suppress(Py4JJavaError):
            result.get_job_client().cancel().result()
        time.sleep(3)  # the listener sends from a thread of its own


if __name__ == "__main__":
    main()
