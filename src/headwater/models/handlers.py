"""Handlers of tasks: embeddings of nodes, and summaries of statements."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import sqlalchemy as sa
from msgspec import Struct

from headwater.models.credentials import CredentialRefused
from headwater.models.errors import AGAIN_SECONDS, BudgetSpent, ModelMissing, ModelRefused
from headwater.models.meter import DAY_SECONDS
from headwater.models.work import ModelWork
from headwater.store.assets.server_notes import note_nodes_for_server
from headwater.store.models.configurations import Kind
from headwater.store.models.results import name_texts, write_results
from headwater.store.write.log import Tenant
from headwater.tasks.handler import NewTask, PauseModel, TaskOutcome, Work

__all__ = ["EmbeddingHandler", "SummaryHandler", "pausing"]

Follow = Callable[[int], None]
"""Lets a graph server follow a tenant."""


class _Kept(Struct, frozen=True):
    """Results of one task for `write` to store."""

    node: bytes
    id: str
    content_hash: bytes
    value: bytes | None
    """None: it was there already."""
    embedded_hash: bytes = b""
    """For a summary: the hash of the text to embed."""
    embedding_model: str = ""


class EmbeddingHandler:
    task_type = "EMBEDDING"
    batch_size = 32

    def __init__(self, work: ModelWork, follow: Follow | None = None) -> None:
        self._work, self._follow = work, follow

    def run(self, tenant: Tenant, fingerprint: str, batch: Sequence[Work]) -> list[TaskOutcome]:
        work = self._work
        with pausing():
            model = work.models.of_fingerprint(tenant.id, "EMBEDDING", fingerprint)
            nodes = work.nodes(tenant.id, {bytes.fromhex(item.resource_id) for item in batch})
            summaries = work.models.find(tenant.id, "SUMMARY")
            texts = {item.node: item for item in work.texts.to_embed(tenant.id, nodes, model, summaries)}
            wanted = {
                item.task: text
                for item in batch
                if (text := texts.get(bytes.fromhex(item.resource_id))) is not None
                and text.hash.hex() == item.content_hash
            }
            found = work.embed(tenant, model, list(wanted.values()))
            known = work.results.known(
                tenant.id, "EMBEDDING", fingerprint, {text.hash for text in wanted.values()} - found.keys()
            )
        outcomes = []
        for item in batch:
            text = wanted.get(item.task)
            if text is None:
                outcomes.append(_needless(item))
            elif text.hash in found or text.hash in known:
                kept = _Kept(text.node, text.id, text.hash, found.get(text.hash))
                outcomes.append(TaskOutcome(item.task, ok=True, result=kept))
            else:
                outcomes.append(_missing(item))
        return outcomes

    def write(
        self, connection: sa.Connection, tenant: int, fingerprint: str, outcomes: Sequence[TaskOutcome]
    ) -> list[NewTask]:
        _write(connection, tenant, "EMBEDDING", fingerprint, list(_kept(outcomes)))
        return []

    def written(self, tenant: int, outcomes: Sequence[TaskOutcome]) -> None:
        if self._follow is not None and any(_kept(outcomes)):
            self._follow(tenant)


class SummaryHandler:
    task_type = "SQL_SUMMARY"
    batch_size = 8

    def __init__(self, work: ModelWork, follow: Follow | None = None) -> None:
        self._work, self._follow = work, follow

    def run(self, tenant: Tenant, fingerprint: str, batch: Sequence[Work]) -> list[TaskOutcome]:
        work = self._work
        with pausing():
            model = work.models.of_fingerprint(tenant.id, "SUMMARY", fingerprint)
            nodes = work.nodes(tenant.id, {bytes.fromhex(item.resource_id) for item in batch})
            texts = {item.node: item for item in work.texts.to_summarize(nodes, model)}
            wanted = {
                item.task: text
                for item in batch
                if (text := texts.get(bytes.fromhex(item.resource_id))) is not None
                and text.hash.hex() == item.content_hash
            }
            found = work.summarize(tenant, model, list(wanted.values()))
            hashes = {text.hash for text in wanted.values()} - found.keys()
            known = work.results.read(tenant.id, "SUMMARY", fingerprint, hashes)
            embeddings = work.models.find(tenant.id, "EMBEDDING")
        follows = embeddings.fingerprint if embeddings is not None and model.place == "active" else ""
        outcomes = []
        for item in batch:
            text = wanted.get(item.task)
            if text is None:
                outcomes.append(_needless(item))
                continue
            value = found.get(text.hash)
            summary = value if value is not None else known[text.hash].value if text.hash in known else None
            if summary is None:
                outcomes.append(_missing(item))
                continue
            kept = _Kept(text.node, text.id, text.hash, value, work.embedded_hash(summary), follows)
            outcomes.append(TaskOutcome(item.task, ok=True, result=kept))
        return outcomes

    def write(
        self, connection: sa.Connection, tenant: int, fingerprint: str, outcomes: Sequence[TaskOutcome]
    ) -> list[NewTask]:
        kept = list(_kept(outcomes))
        _write(connection, tenant, "SUMMARY", fingerprint, kept)
        following = [item for item in kept if item.embedding_model]
        return [
            NewTask("EMBEDDING", "SQL", item.node.hex(), item.embedded_hash.hex(), item.embedding_model)
            for item in following
        ]

    def written(self, tenant: int, outcomes: Sequence[TaskOutcome]) -> None:
        if self._follow is not None and any(_kept(outcomes)):
            self._follow(tenant)


def _write(connection: sa.Connection, tenant: int, kind: Kind, fingerprint: str, kept: Sequence[_Kept]) -> None:
    if kept:
        new = {item.content_hash: item.value for item in kept if item.value is not None}
        if new:
            write_results(connection, tenant, kind, fingerprint, new)
        name_texts(connection, tenant, kind, fingerprint, {item.node: item.content_hash for item in kept})
        note_nodes_for_server(connection, tenant, [item.id for item in kept])


def _kept(outcomes: Iterable[TaskOutcome]) -> Iterator[_Kept]:
    return (outcome.result for outcome in outcomes if outcome.ok and isinstance(outcome.result, _Kept))


def _needless(item: Work) -> TaskOutcome:
    """Of a task whose node has another text by now, or is gone."""
    return TaskOutcome(item.task, ok=True, is_needless=True)


def _missing(item: Work) -> TaskOutcome:
    return TaskOutcome(item.task, ok=False, error_type="wrong_answer", error="The model answered nothing for this one.")


@contextmanager
def pausing() -> Iterator[None]:
    """Errors that pause a model instead of failing a task."""
    try:
        yield
    except ModelRefused as error:
        until = None if error.seconds is None else _after(error.seconds)
        raise PauseModel(error.message, reason=error.reason, until=until, hint=error.hint) from None
    except BudgetSpent as error:
        tomorrow = (int(time.time()) // DAY_SECONDS + 1) * DAY_SECONDS
        raise PauseModel(error.message, reason=error.code, until=tomorrow * 1_000_000, hint=error.hint) from None
    except CredentialRefused as error:
        raise PauseModel(error.message, reason=error.code, until=_after(AGAIN_SECONDS), hint=error.hint) from None
    except ModelMissing as error:
        raise PauseModel(error.message, reason=error.code, hint=error.hint) from None


def _after(seconds: float) -> int:
    return int((time.time() + seconds) * 1_000_000)
