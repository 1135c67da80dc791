"""Brings the results of a tenant's models up to date, for all nodes at once: missing results, their cost, and the work.

A switch of the model needs it: until each node has the new model's result, the old one stays active.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

from msgspec import Struct

from headwater.deadline import check
from headwater.errors import HeadwaterError
from headwater.models.errors import ModelFailed, WrongAnswer
from headwater.models.meter import estimated_tokens
from headwater.models.tenant_models import Model
from headwater.models.work import ModelWork
from headwater.store.models.configurations import Kind
from headwater.store.write.log import Tenant

__all__ = ["ORDER", "Computed", "Enrichment", "Estimate"]

_PAGE = 500
_HOPELESS = 7
"""Failures in a row after which the model is taken for away: a batch, its halves and its quarters."""
ORDER: tuple[Kind, ...] = ("SUMMARY", "EMBEDDING")
"""Embeddings of statements follow from their summaries."""
_T = TypeVar("_T")


class Estimate(Struct, frozen=True):
    """Remaining work of a model, and its estimated cost."""

    kind: Kind
    fingerprint: str
    nodes: int
    """Nodes that have a text for it."""
    missing: int
    """Different texts without a result."""
    tokens: int
    price: float


class Computed(Struct):
    """Result for the texts of some nodes."""

    done: int = 0
    failed: int = 0
    """Texts that the model gave nothing for, though it answers others."""
    error: str = ""
    """Why one of them failed."""


class Enrichment:
    """One tenant's."""

    def __init__(self, work: ModelWork, tenant: Tenant) -> None:
        self._work, self._tenant = work, tenant

    def target(self, kind: Kind) -> Model | None:
        """The model that is to have all results: the one that is to follow, or else the one in force."""
        models = self._work.models
        return models.find(self._tenant.id, kind, "next") or models.find(self._tenant.id, kind)

    def pages(self) -> Iterator[list[bytes]]:
        """Keys of all nodes, of all that was committed before."""
        self._work.catch_up(self._tenant.id)
        last = b""
        while keys := self._work.graph.keys(self._tenant.id, last, _PAGE):
            check()
            yield keys
            last = keys[-1]

    def estimate(self) -> list[Estimate]:
        """Find missing results from the text of every node; for statements without a summary only that."""
        found = []
        for kind in ORDER:
            model = self.target(kind)
            if model is not None:
                found.append(self._estimate(model))
        return found

    def _estimate(self, model: Model) -> Estimate:
        nodes, characters, missing = 0, 0, set[bytes]()
        for keys in self.pages():
            texts = self._texts(model, keys)
            nodes += len(texts)
            known = self._work.results.known(
                self._tenant.id, model.kind, model.fingerprint, {content for _, content, _ in texts}
            )
            for _, content, length in texts:
                if content not in known and content not in missing:
                    missing.add(content)
                    characters += length
        tokens = estimated_tokens(characters, len(missing))
        price = round(tokens * model.configuration.price) / 1_000_000
        return Estimate(model.kind, model.fingerprint, nodes, len(missing), tokens, price)

    def _texts(self, model: Model, keys: Sequence[bytes]) -> list[tuple[bytes, bytes, int]]:
        """Node, hash and length of each text."""
        work, tenant = self._work, self._tenant.id
        nodes = work.nodes(tenant, keys)
        if model.kind == "SUMMARY":
            return [(item.node, item.hash, len(item.statement.text)) for item in work.texts.to_summarize(nodes, model)]
        texts = work.texts.to_embed(tenant, nodes, model, self.target("SUMMARY"))
        return [(item.node, item.hash, len(item.text)) for item in texts]

    def run_page(self, kind: Kind, keys: Sequence[bytes]) -> Computed:
        """Compute and store missing results of one kind for these nodes.

        Raises the errors that end the job for now: `ModelRefused`, `BudgetSpent`, `CredentialRefused`, or that the
        model is away.
        """
        model, computed = self.target(kind), Computed()
        if model is None:
            return computed
        work, tenant = self._work, self._tenant
        nodes = work.nodes(tenant.id, keys)
        if kind == "SUMMARY":
            statements = work.texts.to_summarize(nodes, model)
            size = max(1, model.configuration.batch // 4)
            self._compute(model, statements, size, partial(work.summarize, tenant, model), computed)
            work.attach_known(tenant.id, model, statements)
        else:
            texts = work.texts.to_embed(tenant.id, nodes, model, self.target("SUMMARY"))
            self._compute(model, texts, model.configuration.batch, partial(work.embed, tenant, model), computed)
            work.attach_known(tenant.id, model, texts)
        return computed

    def _compute(
        self,
        model: Model,
        texts: Sequence[_T],
        size: int,
        ask: Callable[[Sequence[_T]], Mapping[bytes, bytes]],
        computed: Computed,
    ) -> None:
        """Ask for these texts in portions. One that fails is halved, so that one bad text does not keep others back."""
        results, tenant, in_a_row = self._work.results, self._tenant.id, 0
        parts = deque(_portions(texts, size))
        while parts:
            check()
            part = parts.popleft()
            try:
                found = ask(part)
            except (ModelFailed, WrongAnswer) as error:
                in_a_row += 1
                if in_a_row >= _HOPELESS:
                    raise
                if len(part) > 1:
                    middle = len(part) // 2
                    parts.extendleft((part[middle:], part[:middle]))
                else:
                    computed.failed += 1
                    computed.error = _told(error)
            else:
                in_a_row = 0
                results.write(tenant, model.kind, model.fingerprint, found)
                computed.done += len(found)

    def run(self, progress: Callable[[int], None] = lambda _: None) -> dict[Kind, int]:
        """Compute all that is missing in this process: summaries first, since their embeddings follow from them."""
        done: dict[Kind, int] = {}
        for kind in ORDER:
            if self.target(kind) is not None:
                done[kind] = 0
                for keys in self.pages():
                    done[kind] += self.run_page(kind, keys).done
                    progress(len(keys))
        self.finish()
        return done

    def finish(self, *, is_incomplete_allowed: bool = False) -> tuple[list[Kind], dict[Kind, int]]:
        """Put models that were to follow in force, if they have all results.

        Gives the kinds that are in force now, and of the others how many texts are missing.
        """
        promoted: list[Kind] = []
        lacking: dict[Kind, int] = {}
        models, tenant = self._work.models, self._tenant.id
        for kind in ORDER:
            model = models.find(tenant, kind, "next")
            if model is None:
                continue
            missing = self._estimate(model).missing
            if missing and not is_incomplete_allowed:
                lacking[kind] = missing
            elif models.configurations.promote(tenant, kind, model.fingerprint):
                promoted.append(kind)
                self._note_missing(kind)
        return promoted, lacking

    def _note_missing(self, kind: Kind) -> None:
        """Note missing results for tasks: of nodes that changed while the former model was active."""
        model = self._work.models.find(self._tenant.id, kind)
        if model is None:
            return
        for keys in self.pages():
            texts = self._texts(model, keys)
            known = self._work.results.known(
                self._tenant.id, kind, model.fingerprint, {content for _, content, _ in texts}
            )
            lacking = [node for node, content, _ in texts if content not in known]
            self._work.results.note_for_tasks(self._tenant.id, lacking)


def _told(error: HeadwaterError) -> str:
    return f"{error.message} {error.hint or ''}".strip()


def _portions(items: Sequence[_T], size: int) -> Iterator[Sequence[_T]]:
    for start in range(0, len(items), size):
        check()
        yield items[start : start + size]
