"""The history of a made-up overlay: publishes, recalls, blocks, reorgs. The same steps give the same bytes."""

from __future__ import annotations

import base64
import hashlib
import json
from random import Random
from typing import Any

from headwater.demo.overlay.chain import NO_BLOCK, Block, double_sha256, merkle_path, mine, shown
from headwater.errors import HeadwaterError
from headwater.openlineage.times import format_time

__all__ = ["OverlayHistory", "WrongStep"]

_FIRST = 1_767_225_600_000_000
"""2026-01-01, when the clock of a history begins."""
_SECOND = 1_000_000
_BLOCK_TIME = 600 * _SECOND
_MOST_VERSIONS = 200_000
_MOST_BLOCKS = 20_000
_MOST_HEADERS = 2_016


class WrongStep(HeadwaterError):
    """A step that this history cannot take."""

    code = "wrong_step"


class _Version:
    """One version with its transaction and the states that it went through."""

    def __init__(self, members: dict[str, Any], raw: bytes, depth: int) -> None:
        self.members, self.raw, self.depth = members, raw, depth
        self.transaction = double_sha256(raw)
        self.recall: dict[str, str] | None = None
        self.states: list[dict[str, Any]] = []

    @property
    def state(self) -> str:
        return str(self.states[-1]["state"])


class OverlayHistory:
    """Versions and blocks. Its clock moves only with its steps."""

    def __init__(self, seed: int = 1, stable_confs: int = 3, start: int = _FIRST) -> None:
        """`start`: when its clock begins, in microseconds."""
        self.stable_confs = stable_confs
        self._random, self._now = Random(seed), start  # noqa: S311 - invented data, the same every time
        self._versions: dict[str, _Version] = {}
        self._by_transaction: dict[bytes, _Version] = {}
        self._waiting: list[bytes] = []
        self._heights: dict[bytes, int] = {}
        self._blocks: list[Block] = []
        self.mine()

    def grow(self, versions: int, per_block: int = 8) -> None:
        """Publish new versions, each with up to three of the earlier ones as parents, and put them into blocks."""
        for number in range(versions):
            known = list(self._versions)[-64:]
            parents = self._random.sample(known, min(len(known), self._random.randrange(4)))
            self.publish(None, parents)
            if number % per_block == per_block - 1:
                self.mine()
        self.mine(self.stable_confs)

    def publish(self, version_id: str | None = None, parents: list[str] | None = None) -> str:
        """Publish a version; its id is made of its content unless one is given."""
        parents = parents or []
        if len(self._versions) >= _MOST_VERSIONS:
            raise WrongStep(f"This history has {_MOST_VERSIONS:,} versions, and takes no more.")
        for parent in parents:
            self._version(parent)
        self._now += _SECOND
        content = hashlib.sha256(self._random.randbytes(32)).hexdigest()
        digest = hashlib.sha256(content.encode()).digest()
        made = version_id or base64.b64encode(digest[:16]).decode()
        if made in self._versions:
            raise WrongStep(f"There is a version {made!r} already.")
        members: dict[str, Any] = {
            "versionId": made,
            "createdAt": format_time(self._now),
            "contentHash": content,
            "parents": parents,
            "producerIdentityKey": f"02{hashlib.sha256(digest).hexdigest()}",
        }
        depth = 1 + max((self._versions[parent].depth for parent in parents), default=-1)
        version = _Version(members, json.dumps(members, separators=(",", ":")).encode(), depth)
        self._versions[made] = self._by_transaction[version.transaction] = version
        self._waiting.append(version.transaction)
        self._enter(version, "published")
        return made

    def recall(self, version_id: str) -> None:
        """Withdraw a version, by a transaction of its own."""
        version = self._version(version_id)
        if version.recall is not None:
            raise WrongStep(f"The version {version_id!r} has been recalled already.")
        self._now += _SECOND
        at = format_time(self._now)
        transaction = double_sha256(f"recall {version_id} {at}".encode())
        version.recall = {"at": at, "txid": shown(transaction)}
        self._waiting.append(transaction)

    def mine(self, blocks: int = 1) -> None:
        """Add blocks; the first holds all transactions that wait."""
        if not 0 < blocks <= _MOST_BLOCKS - len(self._blocks):
            raise WrongStep(f"A history has at most {_MOST_BLOCKS:,} blocks.")
        for _ in range(blocks):
            self._now += _BLOCK_TIME
            height = len(self._blocks)
            first = double_sha256(f"block {height} at {self._now}".encode())
            previous = self._blocks[-1].hash if self._blocks else NO_BLOCK
            block = mine(height, previous, [first, *self._waiting], self._now // _SECOND)
            self._blocks.append(block)
            self._heights.update(dict.fromkeys(block.transactions, height))
            self._waiting = []
            self._settle()

    def reorg(self, depth: int = 1) -> list[str]:
        """Replace the last blocks by one more without their transactions; gives the versions that lost their block."""
        if not 0 < depth < len(self._blocks):
            raise WrongStep(f"A reorg replaces 1 to {len(self._blocks) - 1} blocks.")
        before = {version_id: self.confs(version_id) for version_id in self._versions}
        removed = self._blocks[-depth:]
        del self._blocks[-depth:]
        waiting = [*self._waiting, *(one for block in removed for one in block.transactions[1:])]
        for block in removed:
            for transaction in block.transactions:
                del self._heights[transaction]
        self._waiting = []
        self.mine(depth + 1)
        self._waiting = waiting
        lost = []
        for transaction in waiting:
            version = self._by_transaction.get(transaction)
            if version is not None and before[version.members["versionId"]] and version.state != "unstable":
                version_id = version.members["versionId"]
                self._enter(version, "unstable", confsBefore=before[version_id])
                lost.append(version_id)
        return lost

    def drop(self, version_id: str) -> None:
        """Let the transaction of a version that waits for a block never return."""
        version = self._version(version_id)
        if version.transaction not in self._waiting:
            raise WrongStep(f"The transaction of {version_id!r} is in a block.", hint="Make a reorg first.")
        self._waiting.remove(version.transaction)
        self._now += _SECOND
        self._enter(version, "dropped")

    def confs(self, version_id: str) -> int:
        height = self._heights.get(self._version(version_id).transaction)
        return 0 if height is None else len(self._blocks) - height

    def bundle(self, version_id: str) -> dict[str, Any]:
        """Answer of `/bundle`."""
        version = self._version(version_id)
        return {
            **version.members,
            "txid": shown(version.transaction),
            "lineageDepth": version.depth,
            "rawTx": version.raw.hex(),
            "recall": version.recall,
            "confs": self.confs(version_id),
            "proof": self._proof(version.transaction),
        }

    def ready(self, version_id: str) -> dict[str, Any]:
        """Answer of `/ready`."""
        version = self._version(version_id)
        return {
            "versionId": version_id,
            **version.states[-1],
            "confs": self.confs(version_id),
            "history": version.states,
        }

    def listing(self, version_id: str) -> dict[str, Any]:
        version = self._version(version_id)
        created, recalled = version.members["createdAt"], version.recall is not None
        return {"versionId": version_id, "createdAt": created, "recalled": recalled}

    def listings(self, after: str | None, limit: int) -> dict[str, Any]:
        """One page of `/listings`, in the order of publishing."""
        known = list(self._versions)
        start = int(after) if after and after.isdigit() else 0
        page = known[start : start + limit]
        following = str(start + limit) if start + limit < len(known) else None
        return {"listings": [self.listing(version_id) for version_id in page], "next": following}

    def _proof(self, transaction: bytes) -> dict[str, Any] | None:
        height = self._heights.get(transaction)
        if height is None:
            return None
        block = self._blocks[height]
        index = block.transactions.index(transaction)
        path = merkle_path(block.transactions, index)
        return {
            "blockHash": shown(block.hash),
            "blockHeight": height,
            "index": index,
            "merklePath": [{"hash": shown(step.hash), "side": "left" if step.is_left else "right"} for step in path],
            "headers": [later.header.hex() for later in self._blocks[height : height + _MOST_HEADERS]],
        }

    def _settle(self) -> None:
        """Versions that a reorg had removed, and that are deep enough again."""
        deep = len(self._blocks) - self.stable_confs
        for transaction in self._blocks[deep].transactions[1:] if deep >= 0 else ():
            version = self._by_transaction.get(transaction)
            if version is not None and version.state == "unstable":
                self._enter(version, "stable")

    def _enter(self, version: _Version, state: str, **more: int) -> None:
        decision, reasons = {
            "published": ("ready", []),
            "unstable": ("wait", ["a reorg removed the transaction"]),
            "stable": ("ready", []),
            "dropped": ("refused", ["the transaction never returned"]),
        }[state]
        confs = self.confs(version.members["versionId"])
        at = format_time(self._now)
        entered = {"state": state, "at": at, "confs": confs, **more, "decision": decision, "reasons": reasons}
        version.states.append(entered)

    def _version(self, version_id: str) -> _Version:
        version = self._versions.get(version_id)
        if version is None:
            raise WrongStep(f"There is no version {version_id[:100]!r}.", hint="/listings has all of them.")
        return version
