"""The ends of edges, by any of their names: ids, keys, plain names, and DataHub's URNs."""

from __future__ import annotations

from msgspec import Struct

from headwater.graph.facts import NodeKind
from headwater.lineage.by_hand.rules import EndType
from headwater.openlineage.naming import dataset_name, job_id
from headwater.store.read.names import Name

__all__ = ["End", "named_end", "new_end", "split_node_id"]


class End(Struct, frozen=True):
    """A dataset, chart, dashboard, job or column; it need not exist."""

    type: EndType
    namespace: str
    name: str
    column: str
    id: bytes
    exists: bool
    has_information: bool = True
    """Of a chart or dashboard: whether somebody described it, so that it is one."""

    @property
    def is_job(self) -> bool:
        return self.type is EndType.JOB

    @property
    def shown(self) -> str:
        """Its id, as everywhere."""
        text = f"{'job' if self.is_job else 'dataset'}:{self.namespace}:{self.name}"
        return f"{text}#{self.column}" if self.column else text

    @property
    def place(self) -> tuple[bytes, str]:
        return self.id, self.column

    def as_stated(self) -> dict[str, str]:
        """As an event names it."""
        found = {"type": "JOB" if self.is_job else "DATASET", "namespace": self.namespace, "name": self.name}
        return found | ({"column": self.column} if self.column else {})


def named_end(name: Name, type_: EndType, column: str = "", *, has_information: bool = True) -> End:
    """An end that is there."""
    kind = EndType.JOB if name.kind is NodeKind.JOB else EndType.COLUMN if column else type_
    return End(kind, name.namespace, name.name, column, name.id, exists=True, has_information=has_information)


def new_end(type_: EndType, namespace: str, name: str, column: str = "") -> End:
    """An end that is not there, or not yet."""
    if type_ is EndType.JOB:
        return End(type_, namespace, name, "", job_id(namespace, name), exists=False)
    known = dataset_name(namespace, name)
    kind = EndType.COLUMN if column else type_
    is_told = type_ not in (EndType.CHART, EndType.DASHBOARD)
    return End(kind, known.namespace, known.name, column, known.id, exists=False, has_information=is_told)


def split_node_id(rest: str) -> tuple[str, str] | None:
    """Splits the text after `dataset:` or `job:` into namespace and name. The port of a host belongs to the namespace.

    >>> split_node_id("postgres://db:5432:shop.orders"), split_node_id("hive:wh.orders"), split_node_id("orders")
    (('postgres://db:5432', 'shop.orders'), ('hive', 'wh.orders'), None)
    """
    scheme, separator, after = rest.partition("://")
    if separator and scheme and ":" not in scheme:
        places = [place for place, letter in enumerate(after) if letter == ":"]
        for place in places:
            port = after[place + 1 :].partition(":")[0].partition("/")[0].partition(",")[0]
            if not (port.isdigit() and len(port) < 6 and len(places) > 1 and place != places[-1]):
                namespace, name = f"{scheme}://{after[:place]}", after[place + 1 :]
                return (namespace, name) if name.strip() else None
        return None
    namespace, _, name = rest.partition(":")
    return (namespace, name) if namespace.strip() and name.strip() else None
