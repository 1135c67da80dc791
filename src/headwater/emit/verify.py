"""Checks a version against its overlay's answers: transaction, Merkle path, chain of headers, hash, parents.

Each step passes, fails or cannot be checked. The overlay supplied all of it, so nothing is verified by its hash alone:
the result is `verified` only if the transaction, its content, its path to the root of a block and the headers on that
block pass. The headers are not compared with a chain of another source; `work` is the work in them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal

from msgspec import Struct

from headwater.emit.answers import Bundle, Ready
from headwater.emit.canonical import bundle_hash

__all__ = ["Check", "Verification", "verify"]

Result = Literal["pass", "fail", "unknown"]
_MOST_HEADERS, _MOST_PATH, _HEADER = 5_000, 64, 80
_PROOF = ("transaction", "content", "merkle_path", "headers")


class Check(Struct, frozen=True):
    """One check: `unknown` if it cannot be made."""

    name: str
    result: Result
    detail: str


class Verification(Struct, frozen=True):
    outcome: Literal["verified", "failed", "incomplete"]
    steps: list[Check]


class _Wrong(Exception):
    """Why a step fails."""


class _Unknown(Exception):
    """Why a step cannot be checked."""


def verify(
    bundle: Bundle,
    members: Mapping[str, Any],
    ready: Ready | None,
    *,
    facet_hash: str | None,
    volatile: Collection[str],
    parents_shown: Collection[str] | None,
) -> Verification:
    """All steps. `members` is the bundle as sent, `facet_hash` and `parents_shown` are of the stored lineage."""
    proof = members.get("proof")
    proof = proof if isinstance(proof, dict) else {}
    checks: dict[str, Callable[[], str]] = {
        "transaction": lambda: _transaction(bundle, members),
        "content": lambda: _content(bundle, members),
        "merkle_path": lambda: _merkle_path(bundle, proof),
        "headers": lambda: _headers(proof),
        "confirmations": lambda: _confirmations(members, proof, ready),
        "readiness": lambda: _readiness(ready),
        "bundle_hash": lambda: _hash(members, facet_hash, volatile),
        "parents": lambda: _parents(bundle, parents_shown),
    }
    steps = [_step(name, check) for name, check in checks.items()]
    results = {step.name: step.result for step in steps}
    if "fail" in results.values():
        return Verification("failed", steps)
    return Verification("verified" if all(results[name] == "pass" for name in _PROOF) else "incomplete", steps)


def _step(name: str, check: Callable[[], str]) -> Check:
    try:
        return Check(name, "pass", check())
    except _Wrong as wrong:
        return Check(name, "fail", str(wrong))
    except _Unknown as unknown:
        return Check(name, "unknown", str(unknown))


def _transaction(bundle: Bundle, members: Mapping[str, Any]) -> str:
    raw = members.get("rawTx")
    if not isinstance(raw, str) or not raw or bundle.txid is None:
        raise _Unknown("The bundle has no transaction (rawTx) or no txid.")
    if _shown(_double_sha256(_bytes(raw, "rawTx"))) != bundle.txid.lower():
        raise _Wrong("The transaction has another hash than the txid.")
    return f"The transaction has the txid {bundle.txid}."


def _content(bundle: Bundle, members: Mapping[str, Any]) -> str:
    """The content of a transaction whose bytes are JSON; of any other its form is not known."""
    raw = members.get("rawTx")
    try:
        said = json.loads(_bytes(raw, "rawTx")) if isinstance(raw, str) else None
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise _Unknown("The form of the transaction is not known, so what it says cannot be read.")
    for name, given in (
        ("versionId", bundle.version_id),
        ("createdAt", bundle.created_at),
        ("contentHash", bundle.content_hash),
        ("parents", list(bundle.parents)),
    ):
        if said.get(name) != given and (name in said or given):
            raise _Wrong(f"The transaction says another {name} than the bundle.")
    return "The transaction says the same version, time, content and parents."


def _merkle_path(bundle: Bundle, proof: Mapping[str, Any]) -> str:
    path, headers = proof.get("merklePath"), _header_list(proof)
    if not isinstance(path, list) or bundle.txid is None:
        raise _Unknown("The bundle has no Merkle path: the transaction is in no block yet, or it is not told.")
    if len(path) > _MOST_PATH:
        raise _Wrong(f"The Merkle path has more than {_MOST_PATH} steps.")
    node = _bytes(bundle.txid, "txid", 32)[::-1]
    for index, step in enumerate(path):
        place = f"merklePath[{index}]"
        if not isinstance(step, dict) or step.get("side") not in ("left", "right"):
            raise _Wrong(f"{place} has no side.")
        other = _bytes(step.get("hash"), place, 32)[::-1]
        node = _double_sha256(other + node if step["side"] == "left" else node + other)
    if node != headers[0][36:68]:
        raise _Wrong("The Merkle path does not lead to the root in the block's header.")
    return f"{len(path)} steps lead to the root of block {proof.get('blockHash')}."


def _headers(proof: Mapping[str, Any]) -> str:
    headers = _header_list(proof)
    known, work = proof.get("blockHash"), 0
    previous = b""
    for index, header in enumerate(headers):
        found = _double_sha256(header)
        if index == 0 and (not isinstance(known, str) or _shown(found) != known.lower()):
            raise _Wrong("The first header is not that of the block.")
        if index and header[4:36] != previous:
            raise _Wrong(f"Header {index} does not name the one before.")
        target = _target(int.from_bytes(header[72:76], "little"))
        if not 0 < target < 1 << 256 or int.from_bytes(found, "little") > target:
            raise _Wrong(f"Header {index} does not meet its target.")
        work += (1 << 256) // (target + 1)
        previous = found
    return f"{len(headers)} headers in a row, each with its proof of work; about {work} hashes of work in all."


def _confirmations(members: Mapping[str, Any], proof: Mapping[str, Any], ready: Ready | None) -> str:
    claimed = members.get("confs")
    claims = [one for one in (claimed, ready.confs if ready is not None else None) if isinstance(one, int)]
    if not claims:
        raise _Unknown("Neither /bundle nor /ready tells confirmations.")
    if max(claims) == 0:
        raise _Unknown("There are no confirmations yet.")
    count = len(_header_list(proof))
    if max(claims) > count:
        raise _Wrong(f"{max(claims)} confirmations are claimed, and there are {count} headers.")
    return f"{count} headers for {max(claims)} confirmations."


def _readiness(ready: Ready | None) -> str:
    if ready is None or ready.decision is None:
        raise _Unknown("The overlay does not say whether the version is ready.")
    reasons = f" ({', '.join(ready.reasons)})" if ready.reasons else ""
    if ready.decision != "ready":
        raise _Wrong(f"The overlay decides: {ready.decision}{reasons}.")
    return f"The overlay decides: ready{reasons}."


def _hash(members: Mapping[str, Any], facet_hash: str | None, volatile: Collection[str]) -> str:
    if facet_hash is None:
        raise _Unknown("The stored lineage has no bundleHash of this version.")
    try:
        found = bundle_hash(members, volatile)
    except (ValueError, RecursionError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise _Wrong(f"The bundle has no canonical form: {reason}.") from None
    if found != facet_hash.lower():
        raise _Wrong("The bundle has another hash than when it was emitted.")
    return f"SHA-256 of the bundle, without {', '.join(sorted(volatile)) or 'anything left out'}, is that of the facet."


def _parents(bundle: Bundle, shown: Collection[str] | None) -> str:
    if shown is None:
        raise _Unknown("The stored lineage does not know this version.")
    missing, extra = set(bundle.parents) - set(shown), set(shown) - set(bundle.parents)
    if missing or extra:
        raise _Wrong(f"{len(missing)} parents are not in the lineage shown, and {len(extra)} shown there are none.")
    return f"The lineage shows the {len(bundle.parents)} parents of the bundle."


def _header_list(proof: Mapping[str, Any]) -> list[bytes]:
    headers = proof.get("headers")
    if not isinstance(headers, list) or not headers:
        raise _Unknown("The bundle has no block headers: the transaction is in no block yet, or they are not told.")
    if len(headers) > _MOST_HEADERS:
        raise _Wrong(f"There are more than {_MOST_HEADERS:,} headers.")
    return [_bytes(header, f"headers[{index}]", _HEADER) for index, header in enumerate(headers)]


def _bytes(text: Any, place: str, size: int | None = None) -> bytes:
    try:
        value = bytes.fromhex(text) if isinstance(text, str) and text.isascii() else b""
    except ValueError:
        value = b""
    if not value or (size is not None and len(value) != size):
        raise _Wrong(f"{place} is not hexadecimal" + (f" of {size} bytes." if size else "."))
    return value


def _double_sha256(data: bytes) -> bytes:
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def _shown(value: bytes) -> str:
    return value[::-1].hex()


def _target(bits: int) -> int:
    """The number that a block's hash must not exceed, out of its short form; 0 for a form that is none."""
    exponent, mantissa = bits >> 24, bits & 0xFFFFFF
    if mantissa & 0x800000 or exponent > 34:
        return 0
    return mantissa << 8 * (exponent - 3) if exponent >= 3 else mantissa >> 8 * (3 - exponent)
