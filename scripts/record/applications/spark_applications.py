"""The Spark applications that `spark.py` records: `python spark_applications.py NAME FOLDER`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

CUSTOMERS = """customer_id,email,country
1,ada@example.com,GB
2,linus@example.com,FI
3,grace@example.com,US
"""
ORDERS = """order_id,customer_id,amount,status,day
10,1,20.50,paid,2026-03-01
11,1,310.00,paid,2026-03-01
12,2,5.25,open,2026-03-02
13,3,99.00,paid,2026-03-02
"""
WORDS = "data flows down\ndown the stream\n"


def session(name: str, folder: Path) -> SparkSession:
    settings = {
        "spark.master": "local[2]",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.catalogImplementation": "in-memory",
        "spark.jars": os.environ["HEADWATER_RECORD_JAR"],
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.transport.type": "http",
        "spark.openlineage.transport.url": os.environ["HEADWATER_RECORD_URL"],
        "spark.openlineage.transport.timeoutInMillis": "20000",
        "spark.openlineage.namespace": "spark_recorded",
    }
    if name == "copied_totals":
        settings["spark.openlineage.columnLineage.datasetLineageEnabled"] = "false"
    builder = SparkSession.builder.appName(name)
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def seed(spark: SparkSession, folder: Path) -> None:
    """Two CSV files as external tables of the schema `raw`, and an empty schema `mart`."""
    for name, text in (("customers", CUSTOMERS), ("orders", ORDERS)):
        path = folder / "landing" / name
        path.mkdir(parents=True, exist_ok=True)
        (path / f"{name}.csv").write_text(text)
    spark.sql("CREATE DATABASE IF NOT EXISTS raw")
    spark.sql("CREATE DATABASE IF NOT EXISTS mart")
    spark.sql(
        "CREATE TABLE IF NOT EXISTS raw.customers (customer_id BIGINT, email STRING, country STRING) "
        f"USING csv OPTIONS (header 'true') LOCATION '{folder}/landing/customers'",
    )
    spark.sql(
        "CREATE TABLE IF NOT EXISTS raw.orders "
        "(order_id BIGINT, customer_id BIGINT, amount DECIMAL(12,2), status STRING, day DATE) "
        f"USING csv OPTIONS (header 'true') LOCATION '{folder}/landing/orders'",
    )


def orders_mart(spark: SparkSession, folder: Path) -> None:
    """Join, aggregation, case, window and masked columns, then insert and drop."""
    seed(spark, folder)
    spark.sql("""
        CREATE TABLE mart.customer_totals USING parquet AS
        SELECT c.customer_id, c.country, sha2(c.email, 256) AS email_hash, sum(o.amount) AS total,
               CASE WHEN sum(o.amount) > 100 THEN 'big' ELSE 'small' END AS size_class
        FROM raw.orders o JOIN raw.customers c ON o.customer_id = c.customer_id
        WHERE o.status = 'paid'
        GROUP BY c.customer_id, c.country, c.email
    """)
    spark.sql("""
        CREATE TABLE mart.order_ranks USING parquet AS
        SELECT order_id, customer_id, amount,
               row_number() OVER (PARTITION BY customer_id ORDER BY amount DESC) AS position
        FROM raw.orders
    """)
    spark.sql("INSERT INTO mart.order_ranks SELECT order_id, customer_id, amount, 0 FROM raw.orders WHERE amount < 10")
    spark.sql("INSERT OVERWRITE mart.order_ranks SELECT order_id, customer_id, amount * 2, 1 FROM raw.orders")
    spark.sql("DROP TABLE mart.order_ranks")


def order_files(spark: SparkSession, folder: Path) -> None:
    """Files instead of tables: overwrite, append, partitions written and one of them read."""
    orders = spark.read.option("header", "true").csv(f"{folder}/landing/orders")
    lake = f"{folder}/lake"
    orders.select("order_id", "customer_id", "amount").write.mode("overwrite").parquet(f"{lake}/orders")
    orders.filter("status = 'open'").select("order_id", "customer_id", "amount").write.mode("append").parquet(
        f"{lake}/orders",
    )
    orders.write.mode("overwrite").partitionBy("day").parquet(f"{lake}/orders_by_day")
    one_day = spark.read.parquet(f"{lake}/orders_by_day/day=2026-03-02")
    one_day.select("order_id", f.md5("customer_id").alias("customer_hash")).write.mode("overwrite").parquet(
        f"{lake}/orders_of_a_day",
    )


def failing_ratio(spark: SparkSession, folder: Path) -> None:
    """Divides by zero while writing: the agent sends FAIL, and then COMPLETE."""
    seed(spark, folder)
    spark.sql(
        "CREATE TABLE mart.ratio USING parquet AS SELECT order_id, amount / (order_id - 11) AS ratio FROM raw.orders",
    )


def copied_totals(spark: SparkSession, folder: Path) -> None:
    """The older form: indirect dependencies copied into every field instead of told once for the dataset."""
    seed(spark, folder)
    spark.sql("""
        SELECT c.country, max(o.amount) AS greatest, count(DISTINCT md5(c.email)) AS customers
        FROM raw.orders o LEFT JOIN raw.customers c ON o.customer_id = c.customer_id
        WHERE o.status <> 'lost' GROUP BY c.country ORDER BY greatest
    """).write.mode("overwrite").parquet(f"{folder}/lake/country_totals")


def nested_events(spark: SparkSession, folder: Path) -> None:
    """Columns within columns, taken apart and put together, and a union."""
    events = spark.createDataFrame(
        [(1, ("GB", (51.5, -0.1)), ["a", "b"]), (2, ("FI", (60.2, 24.9)), ["c"])],
        "id BIGINT, place STRUCT<country: STRING, geo: STRUCT<lat: DOUBLE, lon: DOUBLE>>, tags ARRAY<STRING>",
    )
    events.write.mode("overwrite").parquet(f"{folder}/lake/events")
    spark.read.parquet(f"{folder}/lake/events").createOrReplaceTempView("events")
    spark.sql("""
        SELECT id, place.country, named_struct('lat', place.geo.lat, 'first_tag', tags[0]) AS summary FROM events
        UNION ALL
        SELECT id, 'unknown', named_struct('lat', 0.0D, 'first_tag', tags[1]) FROM events WHERE size(tags) > 1
    """).write.mode("overwrite").parquet(f"{folder}/lake/event_places")


def word_count(spark: SparkSession, folder: Path) -> None:
    """An RDD job, without any SQL."""
    (folder / "landing" / "words.txt").write_text(WORDS)
    counts = (
        spark.sparkContext.textFile(f"{folder}/landing/words.txt")
        .flatMap(str.split)
        .map(lambda word: (word, 1))
        .reduceByKey(lambda left, right: left + right)
    )
    counts.saveAsTextFile(f"{folder}/lake/word_count")


APPLICATIONS = {
    application.__name__: application
    for application in (orders_mart, order_files, failing_ratio, copied_totals, nested_events, word_count)
}


def main() -> None:
    name, folder = sys.argv[1], Path(sys.argv[2])
    spark = session(name, folder)
    try:
        APPLICATIONS[name](spark, folder)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
