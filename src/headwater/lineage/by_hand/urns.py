"""DataHub's URNs, read and written.

The rule in both directions: the platform is the scheme of the location, the instance its external id, the environment a
setting. Charts and dashboards are datasets called `chart.ID` and `dashboard.ID` at the location that their tool names;
a job is called `FLOW.JOB`.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from msgspec import Struct

from headwater.lineage.by_hand.rules import EndType
from headwater.lineage.errors import BadQuestion
from headwater.openlineage.naming import location_of

__all__ = [
    "LONGEST_URN",
    "Urn",
    "asset_id",
    "asset_urn",
    "dataset_urn",
    "field_urn",
    "is_urn",
    "job_urn",
    "parse_urn",
    "platform_of",
    "scheme_of",
    "user_of",
    "user_urn",
]

LONGEST_URN = 512
"""Bytes of a URN, as DataHub has it; one of a column may be longer."""
_LI = "urn:li:"
_PLATFORM = "urn:li:dataPlatform:"
_USERS = ("urn:li:corpuser:", "urn:li:corpGroup:")
_PLATFORMS = {"gs": "gcs", "abfss": "abs", "abfs": "abs", "wasb": "abs", "wasbs": "abs", "awsathena": "athena"}
"""Schemes that are no name of a platform."""
_SCHEMES = {"gcs": "gs", "abs": "abfss", "athena": "awsathena"}
_TYPE_TOKEN = re.compile(r"\[[^\]]*\]\.?")
"""A type in the second version of DataHub's column paths."""
_SAFE = "".join(chr(code) for code in range(33, 127) if chr(code) not in "(),%")


class Urn(Struct, frozen=True):
    """A parsed URN."""

    text: str
    type: EndType | None
    """None for a URN that is no end of an edge: a flow, a platform, a user."""
    entity: str
    """In DataHub's words: dataset, dataJob, chart ..."""
    platform: str = ""
    """Of a dataset; the tool of a chart; the orchestrator of a job."""
    name: str = ""
    """Of a dataset, instance included; the id of a chart; the flow of a job."""
    env: str = ""
    job: str = ""
    column: str = ""

    @property
    def dataset(self) -> str:
        """The URN without its column."""
        return self.text if not self.column else _inner(self.text, "schemaField")[0]


def is_urn(text: str) -> bool:
    return text.strip().startswith(_LI)


def parse_urn(text: str, *, path: str | None = None) -> Urn:
    """Parses a URN; raises with the reason if it is none.

    >>> urn = parse_urn("urn:li:dataset:(urn:li:dataPlatform:hive,wh.orders,PROD)")
    >>> urn.platform, urn.name, urn.env
    ('hive', 'wh.orders', 'PROD')
    >>> parse_urn("urn:li:dataJob:(urn:li:dataFlow:(airflow,etl,PROD),load)").job
    'load'
    """
    if text != text.strip():
        raise BadQuestion(f"{_short(text)} has white space around it.", path=path)
    if "\N{SYMBOL FOR UNIT SEPARATOR}" in text:
        raise BadQuestion(f"{_short(text)} has a character that no URN may have: ␟.", path=path)
    entity = text.removeprefix(_LI).partition(":")[0]
    if len(quote(text, safe="").encode()) > LONGEST_URN and entity != "schemaField":
        raise BadQuestion(f"A URN may have {LONGEST_URN} bytes; {_short(text)} has more.", path=path)
    try:
        return _parsed(text, entity)
    except (ValueError, IndexError):
        form = _FORMS.get(entity)
        hint = f"Its form is {form}." if form else f"Those of {', '.join(_FORMS)} can be read."
        raise BadQuestion(f"{_short(text)} is no URN that can be read.", path=path, hint=hint) from None


def _parsed(text: str, entity: str) -> Urn:
    if entity == "dataset":
        platform, name, env = _inner(text, entity)
        if not platform.startswith(_PLATFORM):
            raise ValueError
        return Urn(text, EndType.DATASET, entity, platform.removeprefix(_PLATFORM), _full(name), _full(env))
    if entity == "schemaField":
        owner, field = _inner(text, entity)
        of = _parsed(owner, "dataset")
        column = _full(_TYPE_TOKEN.sub("", field))
        return Urn(text, EndType.COLUMN, entity, of.platform, of.name, of.env, column=column)
    if entity in ("chart", "dashboard"):
        tool, name = _inner(text, entity)
        return Urn(text, EndType(entity), entity, _full(tool), _full(name))
    if entity == "dataFlow":
        orchestrator, flow, cluster = _inner(text, entity)
        return Urn(text, None, entity, _full(orchestrator), _full(flow), _full(cluster))
    if entity == "dataJob":
        flow_urn, job = _inner(text, entity)
        flow_of = _parsed(flow_urn, "dataFlow")
        return Urn(text, EndType.JOB, entity, flow_of.platform, flow_of.name, flow_of.env, job=_full(job))
    if entity in ("corpuser", "corpGroup", "dataPlatform"):
        return Urn(text, None, entity, name=_full(text.removeprefix(f"{_LI}{entity}:")))
    raise ValueError


_FORMS = {
    "dataset": "urn:li:dataset:(urn:li:dataPlatform:PLATFORM,NAME,ENV)",
    "schemaField": "urn:li:schemaField:(DATASET URN,COLUMN)",
    "chart": "urn:li:chart:(TOOL,ID)",
    "dashboard": "urn:li:dashboard:(TOOL,ID)",
    "dataJob": "urn:li:dataJob:(urn:li:dataFlow:(ORCHESTRATOR,FLOW,CLUSTER),JOB)",
    "dataFlow": "urn:li:dataFlow:(ORCHESTRATOR,FLOW,CLUSTER)",
    "corpuser": "urn:li:corpuser:NAME",
    "dataPlatform": "urn:li:dataPlatform:PLATFORM",
}
_COUNTS = {"dataset": 3, "schemaField": 2, "chart": 2, "dashboard": 2, "dataFlow": 3, "dataJob": 2}


def _inner(text: str, entity: str) -> list[str]:
    """The parts between the outermost parentheses."""
    head = f"{_LI}{entity}:("
    if not text.startswith(head) or not text.endswith(")"):
        raise ValueError
    parts, depth, start = [], 0, len(head)
    for place in range(start, len(text) - 1):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth < 0:
            raise ValueError
        if text[place] == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:-1])
    if depth or len(parts) != _COUNTS[entity]:
        raise ValueError
    return parts


def _full(part: str) -> str:
    if not part or part != part.strip():
        raise ValueError
    return unquote(part)


def asset_id(kind: EndType, name: str) -> str:
    """The id in a name; a chart that events call otherwise has its name as id.

    >>> asset_id(EndType.CHART, "chart.12"), asset_id(EndType.CHART, "revenue")
    ('12', 'revenue')
    """
    rest = name.removeprefix(f"{kind.value}.")
    return rest.replace("%3D", "=") if "/" in rest else rest


def platform_of(namespace: str) -> str:
    """The platform of a location: its scheme.

    >>> platform_of("postgres://db:5432"), platform_of("hive"), platform_of("gs://bucket")
    ('postgres', 'hive', 'gcs')
    """
    scheme = location_of(namespace).type
    return _PLATFORMS.get(scheme, scheme)


def scheme_of(platform: str) -> str:
    return _SCHEMES.get(platform, platform)


def dataset_urn(platform: str, name: str, env: str) -> str:
    return f"urn:li:dataset:({_PLATFORM}{_part(platform)},{_part(name)},{env})"


def asset_urn(kind: EndType, tool: str, asset: str) -> str:
    return f"{_LI}{kind.value}:({_part(tool)},{_part(asset)})"


def job_urn(namespace: str, name: str, env: str) -> str:
    """A job without a dot in its name is the only one of a flow of its name.

    >>> job_urn("airflow", "etl.load", "PROD")
    'urn:li:dataJob:(urn:li:dataFlow:(airflow,etl,PROD),load)'
    """
    flow, dot, job = name.rpartition(".")
    if not dot or not flow or not job:
        flow, job = name, name
    return f"urn:li:dataJob:(urn:li:dataFlow:({_part(namespace)},{_part(flow)},{env}),{_part(job)})"


def field_urn(dataset: str, column: str) -> str:
    return f"urn:li:schemaField:({dataset},{_part(column)})"


def user_urn(name: str) -> str:
    return name if name.startswith(_USERS) else f"{_USERS[0]}{name}"


def user_of(urn: str) -> str:
    """Name of a user; a text that is no URN is a name already."""
    return next((urn.removeprefix(start) for start in _USERS if urn.startswith(start)), urn)


def _part(text: str) -> str:
    return quote(text, safe=_SAFE)


def _short(text: str) -> str:
    return repr(text[:200])
