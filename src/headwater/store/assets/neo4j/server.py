"""Connection to a Neo4j server: address, password, and the meaning of its failures."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from headwater.errors import HeadwaterError
from headwater.store.assets.neo4j.cypher import ABOUT_SCHEMA, SCHEMA, drop_constraint, outdated, vector_index

__all__ = ["GraphServer", "GraphUnavailable", "WrongGraph", "read_password"]

_T = TypeVar("_T")
_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
_CONNECT_SECONDS = 3.0
_RETRY_SECONDS = 8.0
_PAUSE_SECONDS = 1.0
"""After a failure nobody waits for the server for so long."""


class GraphUnavailable(HeadwaterError):
    """The graph server does not answer. The events are in the log, and get into the graph later."""

    code = "graph_unavailable"


class WrongGraph(HeadwaterError):
    code = "wrong_graph"


def read_password(reference: str, environment: Mapping[str, str]) -> str | None:
    """A password by reference: env:NAME or file:PATH; None for a server without one."""
    if not reference:
        return None
    kind, _, place = reference.partition(":")
    if kind == "env" and place:
        password = environment.get(place)
        if password is None:
            raise WrongGraph(f"The variable {place} with the graph's password is not set.")
        return password
    if kind == "file" and place:
        try:
            return Path(place).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise WrongGraph(f"The graph's password cannot be read from {place}: {error}.") from None
    raise WrongGraph(
        "graph_password is no reference.", hint="Write env:NAME or file:PATH; the password itself is not taken."
    )


class GraphServer:
    """One Neo4j server. Safe to use from many threads."""

    def __init__(self, url: str, user: str = "neo4j", password: str | None = None, *, pool: int = 20) -> None:
        if url.partition("://")[0] not in _SCHEMES:
            raise WrongGraph(
                f"{url.rsplit('@', maxsplit=1)[-1]!r} is no address of a graph server.",
                hint="Write neo4j://HOST:7687 or bolt://HOST:7687.",
            )
        if "@" in url:
            raise WrongGraph(
                "The address of the graph server holds a password.", hint="Use graph_user and graph_password."
            )
        try:
            from neo4j import GraphDatabase  # noqa: PLC0415 - an extra
        except ModuleNotFoundError:
            raise WrongGraph(
                "Neo4j cannot be reached: the package neo4j is not installed.", hint="pip install 'headwater[neo4j]'"
            ) from None
        self.url, self.pool = url, pool
        self._down_until = 0.0
        self.last_error: str | None = None
        """Why the server was not reached the last time; None once it was."""
        self.in_use = 0
        """Sessions that are open now, of `pool`."""
        self._driver = GraphDatabase.driver(
            url,
            auth=(user, password) if password is not None else None,
            connection_timeout=_CONNECT_SECONDS,
            connection_acquisition_timeout=_RETRY_SECONDS,
            max_transaction_retry_time=_RETRY_SECONDS,
            max_connection_pool_size=pool,
            user_agent="headwater",
            notifications_min_severity="OFF",
        )

    def close(self) -> None:
        self._driver.close()

    @classmethod
    def of_settings(cls, url: str, user: str, password: str) -> GraphServer:
        return cls(url, user, read_password(password, os.environ))

    def migrate(self) -> None:
        """Create the constraints and indexes that are not there yet, and remove those of an id without its tenant."""
        with self._session() as session:
            for row in list(session.run(ABOUT_SCHEMA["constraints"])):
                if outdated(row["name"], next(iter(row["labels"]), ""), row["properties"]):
                    session.run(drop_constraint(row["name"])).consume()
            for statement in SCHEMA:
                session.run(statement).consume()
            session.run("CALL db.awaitIndexes(60)").consume()

    def ensure_vector_space(self, dimension: int, similarity: str) -> None:
        """Create the index for the vectors of a model."""
        with self._session() as session:
            session.run(vector_index(dimension, similarity)).consume()

    def probe(self) -> None:
        """Raise unless the server answers."""
        self._down_until = 0.0
        with self._session() as session:
            session.run("RETURN 1").consume()

    def read(self, statement: str, **values: Any) -> list[Any]:
        """The rows of a statement that only reads; transient errors are tried again."""
        with self._session() as session:
            return session.execute_read(lambda run: list(run.run(statement, **values)))  # type: ignore[no-any-return]

    def write(self, work: Callable[[Any], _T]) -> _T:
        """Run `work` in one transaction; transient errors are tried again, so it must be idempotent."""
        with self._session() as session:
            return session.execute_write(work)  # type: ignore[no-any-return]

    @contextmanager
    def _session(self) -> Iterator[Any]:
        from neo4j.exceptions import AuthError, ClientError, DriverError, Neo4jError  # noqa: PLC0415 - an extra

        if time.monotonic() < self._down_until:
            raise self._unavailable(self.last_error or "it did not answer a moment ago")
        self.in_use += 1
        try:
            with self._driver.session() as session:
                yield session
        except AuthError as error:
            raise self._failed(f"it refuses the credentials ({error.code})") from None
        except ClientError:
            raise  # a wrong statement is a defect
        except (DriverError, Neo4jError, OSError) as error:
            raise self._failed(str(error) or type(error).__name__) from error
        else:
            self.last_error = None
        finally:
            self.in_use -= 1

    def _failed(self, reason: str) -> GraphUnavailable:
        self._down_until = time.monotonic() + _PAUSE_SECONDS
        self.last_error = reason[:300]
        return self._unavailable(self.last_error)

    def _unavailable(self, reason: str) -> GraphUnavailable:
        return GraphUnavailable(
            f"The graph server does not answer: {reason}.",
            hint="Send it again after the time in Retry-After; what was sent is in the log and is not lost.",
        )
