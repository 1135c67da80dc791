"""Finds the ends of edges by text, many at once, since a request may name thousands."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from headwater.errors import HeadwaterError
from headwater.graph.facts import NodeKind
from headwater.lineage.by_hand.ends import End, named_end, new_end, split_node_id
from headwater.lineage.by_hand.find_urns import UrnFinder, types_of
from headwater.lineage.by_hand.rules import EndType, type_of_dataset
from headwater.lineage.by_hand.urns import Urn, is_urn, parse_urn
from headwater.lineage.errors import BadQuestion
from headwater.lineage.names.find import parse_node_id
from headwater.lineage.names.keys import read_key
from headwater.lineage.names.start import Start, find_start
from headwater.openlineage.naming import clean
from headwater.store.read.aliases import Aliases
from headwater.store.read.exact_names import nodes_called
from headwater.store.read.names import Name
from headwater.store.read.reader import Reader

__all__ = ["Found", "find_ends"]

Found = dict[str, End | HeadwaterError]
"""By text, the end it means, or why it means none."""
_ASSETS = ("chart", "dashboard")
_KINDS = ("dataset:", "job:")
_MOST_GUESSED = 100
"""Names in one request that are no ids, each of which is searched for."""
_LONGEST = 8192


def find_ends(reader: Reader, tenant: int, texts: Collection[str], env: str) -> Found:
    """The end for each text. An id that is not in the graph gives an end that does not exist."""
    found: Found = {}
    urns: dict[str, Urn] = {}
    plain: list[str] = []
    for text in dict.fromkeys(texts):
        try:
            if len(text) > _LONGEST:
                raise BadQuestion(f"A name may have {_LONGEST} characters; this one has {len(text)}.")
            if is_urn(text):
                urns[text] = parse_urn(text)
            elif (asset := _asset(text)) is not None:
                urns[text] = asset
            else:
                plain.append(text)
        except HeadwaterError as error:
            found[text] = error
    found.update(UrnFinder(reader, tenant, env).find(urns))
    found.update(_find_plain(reader, tenant, plain))
    return _shown(reader, tenant, found)


def _asset(text: str) -> Urn | None:
    """`chart:TOOL:ID`, and the same of dashboards."""
    kind, _, rest = text.strip().partition(":")
    named = split_node_id(rest) if kind in _ASSETS else None
    return Urn(text, EndType(kind), kind, named[0], named[1]) if named is not None else None


def _find_plain(reader: Reader, tenant: int, texts: Iterable[str]) -> Found:
    meant: dict[str, list[tuple[bytes, str]]] = {text: _readings(clean(text).strip()) for text in texts}
    names = reader.names(tenant, {node for readings in meant.values() for node, _ in readings})
    chosen: dict[str, tuple[Name, str]] = {}
    left: list[str] = []
    for text, readings in meant.items():
        there = [(names[node], column) for node, column in readings if node in names]
        if there:
            chosen[text] = max(there, key=lambda pair: (not pair[1], len(pair[0].namespace)))
        else:
            left.append(text)
    called = _called(reader, tenant, left)
    chosen |= called
    found: Found = {}
    for number, text in enumerate(text for text in left if text not in called):
        known = _new(text)
        if known is not None:
            found[text] = known
        elif number >= _MOST_GUESSED:
            found[text] = BadQuestion(
                f"{text[:200]!r} is no id, and {_MOST_GUESSED} names of this request were searched for.",
                hint="Use ids: dataset:NAMESPACE:NAME, job:NAMESPACE:NAME, or URNs.",
            )
        else:
            try:
                start = find_start(reader, tenant, text)
                is_end = start.kind in ("dataset", "job", "column")
                name = reader.names(tenant, [start.id])[start.id] if is_end else None
                found[text] = BadQuestion(f"{start.shown} is a {start.kind}, which is no end of an edge.")
                if name is not None:
                    chosen[text] = name, _column(start)
            except HeadwaterError as error:
                found[text] = error
    types = types_of(reader, tenant, {name.id for name, _ in chosen.values() if name.kind is NodeKind.DATASET})
    for text, (name, column) in chosen.items():
        found[text] = named_end(name, type_of_dataset(types.get(name.id)), column)
    return found


def _called(reader: Reader, tenant: int, texts: Iterable[str]) -> dict[str, tuple[Name, str]]:
    """Of plain names, with or without a column, the one dataset, or else the one job, that is called exactly so."""
    plain = [text for text in texts if ":" not in text]
    splits = {text: text.rpartition("#") if "#" in text else (text, "", "") for text in plain}
    heads = {text: clean(head).strip() for text, (head, _, column) in splits.items() if bool(column) == ("#" in text)}
    datasets = nodes_called(tenant, reader.engine, NodeKind.DATASET, set(heads.values())) if heads else {}
    whole = {head for text, head in heads.items() if "#" not in text and head not in datasets}
    jobs = nodes_called(tenant, reader.engine, NodeKind.JOB, whole) if whole else {}
    found: dict[str, tuple[Name, str]] = {}
    for text, head in heads.items():
        names = datasets.get(head) or (jobs.get(head) if "#" not in text else None) or []
        if len(names) == 1:
            found[text] = names[0], splits[text][2]
    return found


def _column(start: Start) -> str:
    if start.digest is not None:
        raise BadQuestion(f"{start.shown} is the key of a column.", hint="Name the column: DATASET#COLUMN.")
    return start.column or ""


def _readings(text: str) -> list[tuple[bytes, str]]:
    """Ids that a text may mean, with the column."""
    key = read_key(text)
    if key is not None:
        return [(key.id, "")] if key.kind in ("dataset", "job") else []
    is_full = text.startswith(_KINDS)
    forms: tuple[str, ...] = (text,) if is_full else (f"dataset:{text}", f"job:{text}")
    found = [(node, "") for form in forms for node in parse_node_id(form)]
    if "#" in text:
        head, _, column = text.rpartition("#")
        forms = ((head,) if is_full else (f"dataset:{head}",)) if column else ()
        found += [(node, column) for form in forms for node in parse_node_id(form)]
    return found


def _new(text: str) -> End | None:
    """The end for a text in the form of an id."""
    kind, _, rest = clean(text).strip().partition(":")
    if kind == "column":
        kind = "dataset"
    if kind not in ("dataset", "job"):
        return None
    head, mark, column = rest.rpartition("#") if kind == "dataset" else ("", "", "")
    named = split_node_id(head if mark else rest)
    return new_end(EndType(kind), *named, column if mark else "") if named is not None else None


def _shown(reader: Reader, tenant: int, found: Found) -> Found:
    """The same by the ids under which datasets are shown, of those that have several names."""
    aliases = Aliases(reader, tenant)
    if not aliases.any:
        return found
    ends = {text: end for text, end in found.items() if isinstance(end, End)}
    aliases.learn({end.id for end in ends.values()})
    others = {end.id: shown for end in ends.values() if (shown := aliases.canonical(end.id)) != end.id}
    names = reader.names(tenant, set(others.values()))
    for text, end in ends.items():
        name = names.get(others.get(end.id, b""))
        if name is not None:
            of_set = named_end(name, end.type, end.column, has_information=end.has_information)
            found[text] = of_set
    return found
