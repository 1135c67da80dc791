"""Titles: the last part of a name, with as many parts before it as make it distinct in a picture."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from headwater.openlineage.naming import is_exact, location_of

__all__ = ["Title", "job_parts", "parts_of", "titles"]

Title = tuple[str, str]
"""The title, and the rest of namespace and name."""
_SEPARATOR, _OF_PATHS = re.compile(r"[./]+"), re.compile(r"/+")
_VERSION = re.compile(r"[./]?v?\d{1,3}")
"""A last part that means nothing without the one before it."""
_TOOL_MADE = re.compile(
    r"(?:execute_|optimized_|atomic_)*"
    r"(?:\w+_command|(?:create|replace|cache)_table_as_select|create_hive_table_as_select|append_data(?:_exec_v1)?"
    r"|overwrite_by_expression\w*|overwrite_partitions_dynamic\w*|replace_data|write_delta|insert_into_\w+"
    r"|adaptive_spark_plan|write_to_data_source_v2\w*|deserialize_to_object|map_partitions_\w+|write_files)"
)
"""The part that Spark puts between the names of application and table."""
_LONGEST = 200
"""Characters of a title; a longer one is cut in the middle."""


def titles(names: Mapping[bytes, tuple[str, str]], jobs: Iterable[bytes] = ()) -> dict[bytes, Title]:
    """By node, of its (namespace, name); parts that a tool put into the names of jobs are left out.

    >>> found = titles({b"a": ("postgres://db", "shop.public.orders"), b"b": ("s3://lake", "stage/orders")})
    >>> found[b"a"], found[b"b"]
    (('public.orders', 'postgres://db:shop'), ('stage/orders', 's3://lake'))
    >>> titles({b"a": ("postgres://one", "orders"), b"b": ("postgres://two", "orders")})[b"a"]
    ('orders (one)', 'postgres://one')
    >>> titles({b"a": ("overlay:prod", "/b/c=="), b"b": ("overlay:test", "/b/c==")})[b"a"]
    ('/b/c== (overlay:prod)', 'overlay:prod')
    """
    of_jobs = set(jobs)
    exact = {node: name for node, name in names.items() if is_exact(name[0])}
    split = {
        node: (job_parts if node in of_jobs else parts_of)(name)
        for node, (_, name) in names.items()
        if node not in exact
    }
    alike: dict[str, list[bytes]] = defaultdict(list)
    for node, parts in split.items():
        alike[_last(parts)].append(node)
    found = {node: title for group in alike.values() for node, title in _of_group(group, split, names).items()}
    return {node: _cut(title) for node, title in (found | _of_exact(exact)).items()}


def parts_of(name: str) -> tuple[str, ...]:
    """Parts of a name, each with the separator before it; the dots of a path are parts of its names.

    >>> parts_of("shop.public.orders"), parts_of("/lake/orders.csv/")
    (('shop', '.public', '.orders'), ('lake', '/orders.csv'))
    """
    is_path = "/" in name.strip("/")
    return _parts(name, is_path) if len(name) <= _LONGEST else _parts.__wrapped__(name, is_path)


def job_parts(name: str) -> tuple[str, ...]:
    """Parts of the name of a job, without those that a tool put between the first and the last.

    >>> job_parts("ingest.execute_insert_into_hadoop_fs_relation_command.lake_orders")
    ('ingest', '.lake_orders')
    """
    parts = _parts(name, False) if len(name) <= _LONGEST else _parts.__wrapped__(name, False)
    kept = [part for part in parts[1:-1] if not _TOOL_MADE.fullmatch(part[1:])]
    return parts if len(parts) < 3 else (parts[0], *kept, parts[-1])


@lru_cache(maxsize=16_384)
def _parts(name: str, is_path: bool) -> tuple[str, ...]:
    stripped = name.strip("./") or name
    found, start = [], 0
    for separator in (_OF_PATHS if is_path else _SEPARATOR).finditer(stripped):
        if separator.start() > start:
            found.append(stripped[start : separator.start()])
            start = separator.start()
    found.append(stripped[start:])
    return tuple(found)


def _last(parts: tuple[str, ...]) -> str:
    return parts[-1].lstrip("./") or parts[-1]


def _of_group(
    group: list[bytes], split: Mapping[bytes, tuple[str, ...]], names: Mapping[bytes, tuple[str, str]]
) -> dict[bytes, Title]:
    """Titles of nodes with the same last part: each takes the fewest parts that no other one ends with."""
    lengths = _lengths({split[node] for node in group})
    by_title: dict[str, list[bytes]] = defaultdict(list)
    for node in group:
        by_title[_joined(split[node][-lengths[split[node]] :])].append(node)
    found: dict[bytes, Title] = {}
    for title, nodes in by_title.items():
        places = {node: names[node][0] for node in nodes}
        short = _places(set(places.values()))
        for node in nodes:
            rest = _rest(names[node], split[node], lengths[split[node]])
            found[node] = (f"{title} ({short[places[node]]})" if len(nodes) > 1 else title), rest
    return found


def _of_exact(names: Mapping[bytes, tuple[str, str]]) -> dict[bytes, Title]:
    """Titles of nodes whose names have no parts: the whole name, with the namespace where two have the same."""
    often = Counter(name for _, name in names.values())
    return {
        node: (name if often[name] == 1 else f"{name} ({namespace})", namespace)
        for node, (namespace, name) in names.items()
    }


def _lengths(names: set[tuple[str, ...]]) -> dict[tuple[str, ...], int]:
    """By name, the number of last parts that make it distinct."""
    counts: dict[tuple[str, ...], int] = defaultdict(int)
    for parts in names:
        for length in range(1, len(parts) + 1):
            counts[_tail(parts, length)] += 1
    return {
        parts: next(
            (length for length in range(_least(parts), len(parts)) if counts[_tail(parts, length)] == 1), len(parts)
        )
        for parts in names
    }


def _least(parts: tuple[str, ...]) -> int:
    """How many parts a title has at least.

    >>> _least(("shop", ".orders", ".v1")), _least(("shop", ".orders"))
    (2, 1)
    """
    return 2 if len(parts) > 1 and _VERSION.fullmatch(parts[-1]) else 1


def _tail(parts: tuple[str, ...], length: int) -> tuple[str, ...]:
    return tuple(part.lstrip("./") for part in parts[-length:])


def _joined(parts: tuple[str, ...]) -> str:
    return "".join(parts).lstrip("./") or "".join(parts)


def _places(namespaces: set[str]) -> dict[str, str]:
    """Namespaces in short: the name of the location, or all of it where two have the same."""
    names = {namespace: location_of(namespace).name for namespace in namespaces}
    often: dict[str, int] = defaultdict(int)
    for name in names.values():
        often[name] += 1
    return {namespace: name if often[name] == 1 else namespace for namespace, name in names.items()}


def _rest(name: tuple[str, str], parts: tuple[str, ...], length: int) -> str:
    head = _joined(parts[:-length]) if length < len(parts) else ""
    return f"{name[0]}:{head}" if head else name[0]


def _cut(title: Title) -> Title:
    return _short(title[0]), _short(title[1])


def _short(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST // 2 - 1]}…{text[-_LONGEST // 2 :]}"
