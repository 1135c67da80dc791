"""Dataset behind a Flink table, from its connector options."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

__all__ = ["Place", "dataset_of_options"]

Place = tuple[str, str]
"""Namespace and name of a dataset."""
Options = Mapping[str, str]

_JDBC = re.compile(r"jdbc:(?P<kind>\w+)(?::\w+)?:/{0,2}@?/{0,2}(?P<host>[^/;?]*)(?:/(?P<database>[^?;]*))?")
_JDBC_KINDS = {"postgresql": "postgres", "sqlserver": "mssql", "mariadb": "mysql"}
_PATH = re.compile(r"(?P<scheme>[A-Za-z][\w+.-]*)://(?P<host>[^/]*)(?P<path>/.*)?$")
_CDC = {
    "mysql-cdc": ("mysql", "3306", ("database-name", "table-name")),
    "postgres-cdc": ("postgres", "5432", ("database-name", "schema-name", "table-name")),
    "oracle-cdc": ("oracle", "1521", ("database-name", "schema-name", "table-name")),
    "sqlserver-cdc": ("mssql", "1433", ("database-name", "schema-name", "table-name")),
    "db2-cdc": ("db2", "50000", ("database-name", "schema-name", "table-name")),
    "tidb-cdc": ("mysql", "4000", ("database-name", "table-name")),
    "oceanbase-cdc": ("oceanbase", "2881", ("database-name", "table-name")),
    "vitess-cdc": ("mysql", "15991", ("keyspace", "table-name")),
}
_BUCKETS = frozenset({"s3", "s3a", "s3n", "gs", "oss", "cos", "obs"})


def dataset_of_options(options: Options) -> Place | None:
    """Namespace and name of the data behind a table with these options; None if they do not name it.

    >>> dataset_of_options({"connector": "kafka", "topic": "orders", "properties.bootstrap.servers": "a:9092,b:9092"})
    ('kafka://a:9092', 'orders')
    >>> dataset_of_options({"connector": "filesystem", "path": "s3://lake/raw/orders"})
    ('s3://lake', 'raw/orders')
    """
    known = {key.lower(): value.strip() for key, value in options.items()}
    connector = known.get("connector", "").lower()
    if connector in _CDC:
        return _captured(known, connector)
    rule = _RULES.get(connector)
    return rule(known) if rule is not None else None


def _captured(options: Options, connector: str) -> Place | None:
    scheme, port, keys = _CDC[connector]
    host = options.get("hostname") or _host_of_url(options.get("url", ""))
    parts = [options.get(key, "") for key in keys]
    if not host or not parts[-1]:
        return None
    host = host if ":" in host else f"{host}:{options.get('port', port)}"
    return f"{scheme}://{host}", ".".join(part for part in parts if part)


def _host_of_url(url: str) -> str:
    found = _JDBC.match(url)
    return found["host"] if found else ""


def _kafka(options: Options) -> Place | None:
    servers = re.split("[,;]", options.get("properties.bootstrap.servers", ""))[0].strip()
    topic = options.get("topic") or options.get("topic-pattern", "")
    return (f"kafka://{servers}", topic) if servers and topic else None


def _jdbc(options: Options) -> Place | None:
    found = _JDBC.match(options.get("url", "") or options.get("jdbc-url", ""))
    table = options.get("table-name", "")
    if found is None or not table:
        return None
    kind = _JDBC_KINDS.get(found["kind"].lower(), found["kind"].lower())
    database = found["database"] or options.get("database-name", "")
    if kind == "mssql":
        named = re.search(r"databaseName=([^;]+)", options.get("url", ""), re.IGNORECASE)
        database = named[1] if named else database
    if kind == "postgres" and "." not in table:
        table = f"public.{table}"
    return f"{kind}://{found['host']}", f"{database}.{table}" if database else table


def _path(options: Options) -> Place | None:
    return _dataset_of_path(options.get("path") or options.get("table-path", ""))


def _dataset_of_path(path: str) -> Place | None:
    if not path:
        return None
    found = _PATH.match(path)
    if found is None:
        return "file", path.removeprefix("file:")
    scheme, host, rest = found["scheme"].lower(), found["host"], found["path"] or "/"
    if scheme in _BUCKETS:
        return f"{scheme}://{host}", rest.strip("/") or "/"
    name = rest.rstrip("/") or "/"
    return ("file", name) if scheme == "file" and not host else (f"{scheme}://{host}", name)


def _in_warehouse(options: Options) -> Place | None:
    if options.get("path"):
        return _path(options)
    warehouse = _dataset_of_path(options.get("warehouse", ""))
    parts = [options.get("catalog-database", ""), options.get("catalog-table", "")]
    if warehouse is None or not parts[-1]:
        return None
    return warehouse[0], "/".join(part for part in (warehouse[1].rstrip("/"), *parts) if part)


def _database(scheme: str, host: str, *keys: str) -> Callable[[Options], Place | None]:
    """A rule for stores that name their place by an address and some parts."""

    def rule(options: Options) -> Place | None:
        address = re.split("[,;]", options.get(host, ""))[0].strip()
        address = re.sub(r"^[\w+:]*://(?:[^@/]*@)?", "", address).split("/")[0]
        parts = [options.get(key, "") for key in keys]
        return (f"{scheme}://{address}", ".".join(filter(None, parts))) if address and parts[-1] else None

    return rule


def _kinesis(options: Options) -> Place | None:
    stream = options.get("stream") or options.get("stream.arn", "").rpartition("/")[2]
    region = options.get("aws.region", "")
    return (f"kinesis://{region}" if region else "kinesis", stream) if stream else None


_RULES: dict[str, Callable[[Options], Place | None]] = {
    "kafka": _kafka,
    "upsert-kafka": _kafka,
    "jdbc": _jdbc,
    "filesystem": _path,
    "hudi": _path,
    "delta": _path,
    "paimon": _path,
    "iceberg": _in_warehouse,
    "kinesis": _kinesis,
    "mongodb": _database("mongodb", "uri", "database", "collection"),
    "mongodb-cdc": _database("mongodb", "hosts", "database", "collection"),
    "elasticsearch-6": _database("elasticsearch", "hosts", "index"),
    "elasticsearch-7": _database("elasticsearch", "hosts", "index"),
    "elasticsearch": _database("elasticsearch", "hosts", "index"),
    "opensearch": _database("opensearch", "hosts", "index"),
    "hbase-1.4": _database("hbase", "zookeeper.quorum", "table-name"),
    "hbase-2.2": _database("hbase", "zookeeper.quorum", "table-name"),
    "pulsar": _database("pulsar", "service-url", "topics"),
    "doris": _database("doris", "fenodes", "table.identifier"),
    "starrocks": _database("starrocks", "load-url", "database-name", "table-name"),
    "clickhouse": _database("clickhouse", "url", "database-name", "table-name"),
    "rabbitmq": _database("amqp", "host", "queue"),
}
