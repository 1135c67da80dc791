"""Names of datasets and jobs: when two spellings mean the same thing.

Only what is certain is decided here, from one name alone. What takes knowledge of other events (symlinks, shared
addresses, renames) is an alias fact that reading resolves.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from headwater.openlineage.identity import digest

__all__ = [
    "DatasetName",
    "Location",
    "address_id",
    "canonical_namespace",
    "clean",
    "dataset_name",
    "is_exact",
    "job_id",
    "location_of",
    "namespace_id",
]

_SCHEMES = {"s3a": "s3", "s3n": "s3", "postgresql": "postgres", "gcs": "gs", "sqlserver": "mssql"}
"""Schemes that name the same kind of place."""

_PORTS = {
    "postgres": 5432,
    "redshift": 5439,
    "mysql": 3306,
    "oracle": 1521,
    "mssql": 1433,
    "kafka": 9092,
    "cassandra": 9042,
    "mongodb": 27017,
    "db2": 50000,
    "hdfs": 8020,
    "starrocks": 9030,
    "http": 80,
    "https": 443,
}
"""A location named without its port is the one at the default port."""

_FILES = {
    "s3",
    "gs",
    "hdfs",
    "file",
    "abfs",
    "abfss",
    "wasb",
    "wasbs",
    "dbfs",
    "oss",
    "cos",
    "obs",
    "adl",
    "viewfs",
    "webhdfs",
}
"""Places whose datasets are paths."""

_OVERLAY = "overlay:"
"""Namespaces of overlays: names of datasets and jobs are exact there."""

_CACHE = 16_384
"""Events name the same things over and over; the functions are pure, so remembering is safe."""

_PARTITION = re.compile(r"/[^/=]+=[^/]*(/.*)?$")
_DECORATOR = re.compile(r"\$\d{4,10}$")
_SLASHES = re.compile(r"/{2,}")
_OF_TENANT = re.compile(r"^gravitino://tenant/\d{1,18}/(?=[^/])")
"""Gravitino repeats the tenant in its namespaces; whose an event is has been settled before."""


class Location(NamedTuple):
    """Where something lives: `kafka://a:9092,b:9092` is of type kafka, named a, with two addresses."""

    type: str
    name: str
    addresses: tuple[str, ...]


class DatasetName(NamedTuple):
    id: bytes
    namespace: str
    name: str


def is_exact(namespace: str) -> bool:
    """Whether names of datasets and jobs in a namespace are exact: ids of versions, in which every character counts."""
    return namespace.startswith(_OVERLAY)


def clean(text: str) -> str:
    """Text that every store can hold: no NUL, no lone surrogate."""
    if text.isascii() and "\x00" not in text:
        return text
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


@lru_cache(maxsize=_CACHE)
def dataset_name(namespace: str, name: str) -> DatasetName:
    """Identity of a dataset. Partition suffixes and slashes around are trimmed. Names of overlays are exact.

    >>> dataset_name("s3a://Lake/", "/orders/dt=2025-01-01/part=3")[1:]
    ('s3a://Lake', '/orders')
    >>> dataset_name("s3a://lake", "/orders").id == dataset_name("s3://lake", "orders/").id
    True
    >>> dataset_name("overlay:prod", "ab/cd==").name
    'ab/cd=='
    """
    namespace = _trim_namespace(clean(namespace))
    if is_exact(namespace):
        exact = clean(name)
        return DatasetName(digest("dataset", _identity(namespace), exact), namespace, exact)
    name = clean(name).strip()
    scheme = _scheme(namespace)
    identity = name
    if scheme in _FILES or "/" in name:
        trimmed = _PARTITION.sub("", "/" + name)[1:] if "=" in name else name
        name = _SLASHES.sub("/", trimmed).rstrip("/") or trimmed or name
        identity = name.strip("/") or name
    elif scheme == "bigquery" or namespace == "bigquery":
        name = identity = _DECORATOR.sub("", name)
    return DatasetName(digest("dataset", _identity(namespace), identity), namespace, name)


@lru_cache(maxsize=_CACHE)
def job_id(namespace: str, name: str) -> bytes:
    """Identity of a job; names are taken as they are, but for white space around them (not in overlays)."""
    namespace, name = _trim_namespace(clean(namespace)), clean(name)
    return digest("job", _identity(namespace), name if is_exact(namespace) else name.strip())


@lru_cache(maxsize=_CACHE)
def namespace_id(namespace: str) -> bytes:
    return digest("namespace", canonical_namespace(namespace))


def canonical_namespace(namespace: str) -> str:
    """The one spelling of a namespace that has several.

    >>> canonical_namespace(" s3a://Lake/ ")
    's3://lake'
    """
    return _identity(_trim_namespace(clean(namespace)))


def address_id(address: str) -> bytes:
    return digest("address", address)


@lru_cache(maxsize=_CACHE)
def location_of(namespace: str) -> Location:
    """The location that a namespace names.

    >>> location_of("kafka://b1:9092,b2")
    Location(type='kafka', name='b1', addresses=('kafka://b1:9092', 'kafka://b2:9092'))
    >>> location_of("bigquery")
    Location(type='bigquery', name='bigquery', addresses=('bigquery',))
    """
    identity = _identity(_trim_namespace(clean(namespace)))
    scheme, separator, rest = identity.partition("://")
    if not separator:
        return Location(scheme.partition(":")[0] if ":" in scheme else scheme, identity, (identity,))
    hosts = [host.strip() for host in rest.partition("/")[0].split(",") if host.strip()]
    if not hosts:
        return Location(scheme, "unknown", (identity,))
    addresses = []
    for host in hosts:
        has_port = re.search(r":\d+$", host) is not None
        port = "" if has_port or scheme not in _PORTS else f":{_PORTS[scheme]}"
        address = f"{scheme}://{host}{port}"
        if address not in addresses:
            addresses.append(address)
    return Location(scheme, re.sub(r":\d+$", "", hosts[0]), tuple(addresses))


def _trim_namespace(namespace: str) -> str:
    namespace = namespace.strip()
    if namespace.startswith("gravitino://tenant/"):
        namespace = _OF_TENANT.sub("gravitino://", namespace)
    trimmed = namespace.rstrip("/")
    return namespace if not trimmed or trimmed.endswith(":") else trimmed


def _scheme(namespace: str) -> str:
    scheme = namespace.partition(":")[0].lower()
    return _SCHEMES.get(scheme, scheme)


def _identity(namespace: str) -> str:
    """Scheme and host do not mind case; a namespace that is no address does."""
    scheme, separator, rest = namespace.partition("://")
    if not separator:
        return "file" if namespace in ("file", "file:") else namespace
    scheme = _scheme(namespace)
    if scheme == "file" and not rest.strip("/"):
        return "file"
    if scheme == "gravitino":
        return f"{scheme}://{rest}"  # a metalake, no host
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.lower()}{slash}{path}"
