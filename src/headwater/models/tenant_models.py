"""The models of tenants: which are configured, and calls of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from msgspec import Struct

from headwater.credential_grants import read_grants
from headwater.models.configuration import ModelConfiguration, read_configuration
from headwater.models.credentials import resolve_credential
from headwater.models.errors import ModelMissing
from headwater.models.meter import ModelMeter
from headwater.models.providers.local.embedder import LocalEmbedder
from headwater.models.providers.openai import OpenAi
from headwater.models.providers.outline import Summary
from headwater.models.providers.outline_summarizer import OutlineSummarizer
from headwater.models.providers.provider import Embedder, StatementToSummarize, Summarizer
from headwater.outgoing.send import Outgoing
from headwater.store.models.configurations import Configurations, Kind, Place
from headwater.store.models.usage import UsageBook
from headwater.store.write.log import Tenant

__all__ = ["Model", "TenantModels"]


class Model(Struct, frozen=True):
    """A configured model."""

    kind: Kind
    place: Place
    fingerprint: str
    configuration: ModelConfiguration
    since: int


class TenantModels:
    """Reads configurations and makes calls. Safe to use from many threads."""

    def __init__(
        self,
        configurations: Configurations,
        book: UsageBook,
        *,
        outgoing_private: str = "",
        credentials: str = "",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.configurations, self.book = configurations, book
        self.outgoing = Outgoing(outgoing_private)
        self._meter = ModelMeter(book)
        self._grants = read_grants(credentials)
        self._environment = os.environ if environment is None else environment

    def all(self, tenant: int) -> list[Model]:
        return [
            Model(stored.kind, stored.place, stored.fingerprint, read_configuration(stored), stored.since)
            for stored in self.configurations.read(tenant)
        ]

    def find(self, tenant: int, kind: Kind, place: Place = "active") -> Model | None:
        return next((model for model in self.all(tenant) if model.kind == kind and model.place == place), None)

    def of_fingerprint(self, tenant: int, kind: Kind, fingerprint: str) -> Model:
        """The model with this fingerprint, in force or to follow. Raises `ModelMissing`."""
        for model in self.all(tenant):
            if model.kind == kind and model.fingerprint == fingerprint:
                return model
        raise ModelMissing(
            f"The {kind.lower()} model {fingerprint} is not configured any more.", hint="Configure it, or cancel this."
        )

    def embed(self, tenant: Tenant, configuration: ModelConfiguration, texts: Sequence[str]) -> list[bytes | None]:
        """The vectors of these texts, within the budget."""
        embedder = self._embedder(tenant, configuration)

        def ask() -> tuple[list[bytes | None], int]:
            found = embedder.embed(texts)
            return found.vectors, found.tokens

        characters = sum(map(len, texts))
        return self._meter.call(tenant.id, "EMBEDDING", configuration, texts=len(texts), characters=characters, ask=ask)

    def summarize(
        self, tenant: Tenant, configuration: ModelConfiguration, statements: Sequence[StatementToSummarize]
    ) -> list[Summary | None]:
        """The summaries of these statements, within the budget."""
        summarizer = self._summarizer(tenant, configuration)

        def ask() -> tuple[list[Summary | None], int]:
            found = summarizer.summarize(statements)
            return found.summaries, found.tokens

        characters = sum(len(statement.text) for statement in statements)
        return self._meter.call(
            tenant.id, "SUMMARY", configuration, texts=len(statements), characters=characters, ask=ask
        )

    def _embedder(self, tenant: Tenant, configuration: ModelConfiguration) -> Embedder:
        return LocalEmbedder() if configuration.provider == "local" else self._remote(tenant, configuration)

    def _summarizer(self, tenant: Tenant, configuration: ModelConfiguration) -> Summarizer:
        return OutlineSummarizer() if configuration.provider == "outline" else self._remote(tenant, configuration)

    def _remote(self, tenant: Tenant, configuration: ModelConfiguration) -> OpenAi:
        key = ""
        if configuration.credential:
            key = resolve_credential(
                tenant.code, configuration.credential, configuration.endpoint, self._grants, self._environment
            )
        return OpenAi(configuration, key, self.outgoing)
