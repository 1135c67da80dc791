"""Settings: flags before environment before file before defaults. Wrong ones are explained, never ignored."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from headwater.credential_grants import read_grants
from headwater.errors import HeadwaterError
from headwater.outgoing.addresses import read_networks

__all__ = ["ENVIRONMENT", "Settings", "WrongSettings", "check_exposure", "load_settings", "seconds_of"]

PREFIX = "HEADWATER_"
ENVIRONMENT = {
    "HEADWATER_CONFIG": "the settings file",
    "HEADWATER_URL": "the server that the command line asks",
    "HEADWATER_API_KEY": "the key that the command line sends to that server",
    "HEADWATER_CACHE": "where downloads are kept",
}
"""Variables that are not settings of the server."""

_FILE = "headwater.toml"
_MOST_RETRIES, _LONGEST_RETRY = 20, 30 * 86_400


class WrongSettings(HeadwaterError):
    code = "wrong_settings"


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that can be set; each field documents itself in `headwater config`."""

    host: str = "127.0.0.1"
    """Address to listen on."""
    port: int = 8580
    """Port to listen on."""
    tls_cert: str = ""
    """File with the certificate (PEM, with its chain) to speak HTTPS; empty for HTTP."""
    tls_key: str = ""
    """File with the key of that certificate."""
    metrics_port: int = 0
    """Port for /metrics alone, without a credential; 0 to have it with the rest, for the role monitor."""
    metrics_host: str = ""
    """Address of that port; empty for the same as `host`."""
    data: str = ".headwater"
    """Folder of the embedded store."""
    store: str = ""
    """Database URL; empty for SQLite in the data folder."""
    pipeline: bool = True
    """Whether `up` starts the Spark pipeline beside the server."""
    master: str = "local[2]"
    """Where that pipeline runs: local[2], spark://host:7077, yarn ..."""
    outage_seconds: int = 300
    """Seconds that a job of the pipeline waits for a database that is away, before it ends."""
    max_event_bytes: int = 32 << 20
    """Largest request body, decompressed."""
    queue_events: int = 4096
    """Events that may wait to be written before the server answers 503."""
    queue_bytes: int = 64 << 20
    """Bytes of events that may wait to be written before the server answers 503."""
    body_bytes: int = 256 << 20
    """Bytes of requests that may be under way before the server answers 503."""
    tenant_body_bytes: int = 0
    """Bytes of requests of one tenant that may be under way; 0 for as much as the others leave free."""
    unknown_body_bytes: int = 32 << 20
    """Bytes of requests in progress whose sender is not known yet."""
    connections: int = 2000
    """Connections that each process keeps open."""
    address_connections: int = 500
    """Connections of one client address, unless it is a proxy's."""
    proxies: str = ""
    """Addresses or networks of proxies in front, with commas between them; they may have any number of connections."""
    keep_alive_seconds: int = 75
    """Seconds after which a connection without a request is closed."""
    header_seconds: int = 20
    """Seconds in which the head of a request must arrive."""
    body_rate: int = 4096
    """Bytes a second that a request body must come with; 0 for any number."""
    body_seconds: int = 10
    """Seconds that a body may be behind that rate before the connection is closed."""
    question_seconds: int = 30
    """Seconds that a question may take before the server answers 504."""
    question_bytes: int = 2 << 30
    """Bytes by which a process that answers questions may grow before it gives them up."""
    stall_seconds: int = 30
    """Seconds that a client may take nothing of its answer before the connection is closed."""
    tenant_rate: int = 0
    """Events a second that are taken of each tenant before the server answers 429; 0 for any number."""
    tenant_burst: int = 0
    """Events admitted of a tenant at once; 0 for the rate times 2 seconds."""
    question_rate: int = 0
    """Questions per second that each process answers for each tenant, before 429; 0 for no limit."""
    workers: int = 1
    """Processes that take requests."""
    query_processes: int = 1
    """Processes beside each of those that answer questions of lineage; with 0 it answers them itself."""
    task_threads: int = 4
    """Tasks (embeddings, summaries of SQL) that run at once beside the server, in batches; 0 for none there."""
    task_lease_seconds: int = 120
    """Seconds after which the tasks of a worker that is silent are taken over."""
    task_poll_seconds: float = 1.0
    """Seconds between two looks for tasks that nobody has pushed."""
    task_retry_seconds: str = "60, 300, 900, 3600, 21600"
    """Seconds before each further attempt of a task that failed, with commas between them."""
    log_level: str = "info"
    """debug, info, warning or error."""
    log_format: str = "auto"
    """json, text, or auto: text on a terminal, JSON otherwise."""
    open: bool = False
    """Listen on an address that others can reach although nobody has to authenticate."""
    hosts: str = ""
    """Names of this server, with commas between them, for where nobody has to authenticate; * for any."""
    origins: str = ""
    """Web sites whose pages may use this server where nobody has to authenticate, with commas between them."""
    session_seconds: int = 43_200
    """Seconds after which a session ends and the user must sign in again."""
    graph: str = ""
    """Address of a Neo4j server for the asset graph; empty to keep it in the database alone."""
    graph_user: str = "neo4j"
    """User of that server."""
    graph_password: str = ""
    """Where its password is: env:NAME or file:PATH; empty for a server that asks for none."""
    create_tenants: bool = False
    """Create tenants that a trusted source (a gateway, a key for Gravitino) names, and take over their new names."""
    gateway_keys: str = ""
    """File with the public keys of the gateway that vouches for callers; empty for no gateway."""
    gateway_issuer: str = ""
    """Issuer of the gateway's assertions."""
    gateway_audience: str = "headwater"
    """Audience of the gateway's assertions."""
    datahub_env: str = "PROD"
    """Environment (fabric) in DataHub's URNs, for its clients."""
    outgoing_private: str = ""
    """Networks that are not public and that requests of ours may go to all the same, with commas between them."""
    emit_secrets: str = ""
    """Folder with secrets of overlays and sinks, in one folder below it per tenant (named by its code)."""
    model_credentials: str = ""
    """Credentials that tenants' models may use: TENANT=env:NAME or TENANT=file:PATH, @HOST behind it, with commas."""

    @property
    def store_url(self) -> str:
        return self.store or f"sqlite:///{Path(self.data) / 'headwater.db'}"


_NAMES = Settings.__struct_fields__
_RANGES = {
    "port": (0, 65535),
    "metrics_port": (0, 65535),
    "outage_seconds": (0, 86_400),
    "max_event_bytes": (1024, 1 << 30),
    "queue_events": (1, 1_000_000),
    "queue_bytes": (1024, 16 << 30),
    "body_bytes": (1024, 64 << 30),
    "tenant_body_bytes": (0, 64 << 30),
    "unknown_body_bytes": (0, 64 << 30),
    "connections": (1, 1_000_000),
    "address_connections": (1, 1_000_000),
    "keep_alive_seconds": (1, 86_400),
    "header_seconds": (1, 3600),
    "body_rate": (0, 1 << 30),
    "body_seconds": (1, 3600),
    "question_seconds": (1, 3600),
    "question_bytes": (1 << 20, 1 << 40),
    "stall_seconds": (1, 3600),
    "tenant_rate": (0, 1_000_000_000),
    "tenant_burst": (0, 1_000_000_000),
    "question_rate": (0, 1_000_000),
    "session_seconds": (60, 31 * 86_400),
    "workers": (1, 64),
    "query_processes": (0, 64),
    "task_threads": (0, 64),
    "task_lease_seconds": (1, 86_400),
    "task_poll_seconds": (0.05, 3600),
}
_CHOICES = {"log_level": ("debug", "info", "warning", "error"), "log_format": ("auto", "json", "text")}


def load_settings(
    flags: Mapping[str, Any], environment: Mapping[str, str], file: str | None = None
) -> tuple[Settings, dict[str, str]]:
    """The settings in force, and where each comes from."""
    values: dict[str, Any] = {}
    origins = dict.fromkeys(_NAMES, "default")
    path = file or environment.get("HEADWATER_CONFIG") or (_FILE if Path(_FILE).is_file() else None)
    for origin, layer in (
        (f"file {path}", _read_file(path) if path else {}),
        ("environment", _read_environment(environment)),
        ("flag", {name: value for name, value in flags.items() if value is not None}),
    ):
        for name, value in layer.items():
            values[name], origins[name] = value, origin
    settings = _convert(values, origins)
    _check(settings, origins)
    return settings, origins


def _read_file(path: str) -> dict[str, Any]:
    try:
        values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise WrongSettings(
            f"The settings file {path} cannot be read: {error.strerror}.", hint="Check --config and HEADWATER_CONFIG."
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WrongSettings(f"The settings file {path} is not valid TOML: {error}.") from None
    for name in values:
        if name not in _NAMES:
            raise WrongSettings(f"{path}: there is no setting {name!r}.", hint=_similar(name, _NAMES))
    return values


def _read_environment(environment: Mapping[str, str]) -> dict[str, str]:
    values = {}
    for variable, value in environment.items():
        if not variable.startswith(PREFIX) or variable in ENVIRONMENT:
            continue
        name = variable.removeprefix(PREFIX).lower()
        if name not in _NAMES:
            known = [PREFIX + known.upper() for known in _NAMES]
            raise WrongSettings(f"There is no setting {variable}.", hint=_similar(variable, [*known, *ENVIRONMENT]))
        values[name] = value
    return values


def _convert(values: dict[str, Any], origins: dict[str, str]) -> Settings:
    converted = {}
    for field in msgspec.structs.fields(Settings):
        if field.name not in values:
            continue
        value = values[field.name]
        if field.type is bool and isinstance(value, str):
            value = {"yes": True, "on": True, "no": False, "off": False}.get(value.lower(), value)
        try:
            converted[field.name] = msgspec.convert(value, field.type, strict=False)
        except msgspec.ValidationError as error:
            raise WrongSettings(f"{field.name} = {value!r} (from the {origins[field.name]}): {error}.") from None
    return Settings(**converted)


def _check(settings: Settings, origins: dict[str, str]) -> None:
    for name, (low, high) in _RANGES.items():
        if not low <= getattr(settings, name) <= high:
            origin = f"from the {origins[name]}"
            raise WrongSettings(f"{name} = {getattr(settings, name)} ({origin}): it must be from {low} to {high}.")
    for name, choices in _CHOICES.items():
        if getattr(settings, name) not in choices:
            sent = getattr(settings, name)
            raise WrongSettings(
                f"{name} = {sent!r} (from the {origins[name]}): it must be one of {', '.join(choices)}."
            )
    if not settings.data:
        raise WrongSettings(
            f"data (from the {origins['data']}) is empty.", hint="Name a folder, for example ./.headwater."
        )
    if bool(settings.tls_cert) != bool(settings.tls_key):
        raise WrongSettings("Of tls_cert and tls_key only one is set.", hint="Set both, or neither.")
    if settings.metrics_port and settings.metrics_port == settings.port:
        raise WrongSettings("metrics_port is the same as port.", hint="Choose another one, or 0.")
    for setting in ("proxies", "outgoing_private"):
        try:
            read_networks(getattr(settings, setting))
        except ValueError as error:
            raise WrongSettings(
                f"{setting} (from the {origins[setting]}): {str(error)!r} is neither an address nor a network.",
                hint="Write for example 10.0.0.5, 192.168.0.0/16.",
            ) from None
    try:
        read_grants(settings.model_credentials)
    except ValueError as error:
        raise WrongSettings(
            f"model_credentials (from the {origins['model_credentials']}): {str(error)!r} grants nothing.",
            hint="Write for example sales=env:SALES_KEY@models.example.com, *=file:/run/secrets/models/.",
        ) from None
    try:
        seconds_of(settings.task_retry_seconds)
    except ValueError:
        raise WrongSettings(
            f"task_retry_seconds = {settings.task_retry_seconds!r} (from the {origins['task_retry_seconds']}): it must "
            "be 1 to 20 numbers of seconds from 0 to 2592000.",
            hint="Write for example 60, 300, 900, 3600, 21600.",
        ) from None
    if settings.gateway_keys and not (settings.gateway_issuer and settings.gateway_audience):
        raise WrongSettings(
            "gateway_keys is set, but not who signs and for whom.", hint="Set gateway_issuer and gateway_audience too."
        )


def seconds_of(text: str) -> tuple[float, ...]:
    """Numbers of seconds with commas between them. Raises `ValueError` for anything else."""
    found = tuple(float(part) for part in text.split(","))
    if len(found) > _MOST_RETRIES or not all(0 <= seconds <= _LONGEST_RETRY for seconds in found):
        raise ValueError(text)
    return found


def check_exposure(settings: Settings, has_credentials: Callable[[], bool]) -> None:
    """Refuse to be reached by others while nobody has to authenticate."""
    if settings.open or _is_loopback(settings.host) or settings.gateway_keys or has_credentials():
        return
    raise WrongSettings(
        f"Refused to listen on {settings.host}: everybody who can reach it could read and write all lineage.",
        hint="Create a key first (headwater key create --role admin), set up a gateway, listen on 127.0.0.1, "
        "or say --open if the network is trusted.",
    )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _similar(name: str, known: list[str] | tuple[str, ...]) -> str:
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return f"Did you mean {close[0]}?" if close else f"Known are: {', '.join(sorted(known))}."
