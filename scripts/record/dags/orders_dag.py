"""The DAGs that `airflow.py` records: SQL in a group, mapped tasks, a retry, a failure, and one started by an asset."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG, Asset, TaskGroup, task

EXPORT = Asset("s3://exports/orders.csv")

with DAG(
    "orders_daily",
    description="Loads the orders of the day",
    schedule=None,
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    default_args={"owner": "data-team", "retries": 1, "retry_delay": timedelta(seconds=1)},
    tags=["orders", "env:prod"],
):
    with TaskGroup("load") as load:
        create_orders = SQLExecuteQueryOperator(
            task_id="create_orders",
            conn_id="shop",
            sql=[
                "CREATE TABLE IF NOT EXISTS raw_orders (id INTEGER, customer_id INTEGER, amount REAL)",
                "CREATE TABLE IF NOT EXISTS orders (order_id INTEGER, customer_id INTEGER, amount REAL)",
            ],
        )
        insert_orders = SQLExecuteQueryOperator(
            task_id="insert_orders",
            conn_id="shop",
            sql="INSERT INTO orders SELECT id, customer_id, amount FROM raw_orders WHERE amount > 0",
        )
        create_orders >> insert_orders

    @task
    def publish(country: str) -> str:
        return country

    # fails at its first try, succeeds at the second
    flaky = BashOperator(task_id="flaky", bash_command="test {{ ti.try_number }} -gt 1", outlets=[EXPORT])

    load >> publish.expand(country=["GB", "FI"]) >> flaky

with DAG("refunds_report", schedule=None, start_date=datetime(2026, 1, 1, tzinfo=UTC)):
    BashOperator(task_id="report", bash_command="exit 2")

with DAG("orders_alerts", schedule=[EXPORT], start_date=datetime(2026, 1, 1, tzinfo=UTC)):
    BashOperator(task_id="alert", bash_command="true", inlets=[EXPORT])
