"""MiniLM in numpy: word pieces to one vector per text. No network, no compiled model runtime."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from headwater.models.providers.local.wordpiece import WordPiece

__all__ = ["TextEncoder"]

_HEADS = 12
_LONGEST = 256
"""Word pieces of a text that count."""
_AT_ONCE = 4_096
"""Word pieces that are worked on together: more only takes memory."""
Array = Any


class TextEncoder:
    """The weights of one model, read once. Safe to use from many threads."""

    def __init__(self, folder: Path) -> None:
        """`folder` has vocab.txt and model.safetensors."""
        words = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
        self._words = WordPiece({word: number for number, word in enumerate(words)})
        found = _read_weights(folder / "model.safetensors")
        self._embeddings = found["embeddings.word_embeddings.weight"]
        self._places = (
            found["embeddings.position_embeddings.weight"] + found["embeddings.token_type_embeddings.weight"][0]
        )
        self._norm = (found["embeddings.LayerNorm.weight"], found["embeddings.LayerNorm.bias"])
        self._layers = [_layer(found, number) for number in range(_layer_count(found))]
        self.dimension = int(self._embeddings.shape[1])

    def encode(self, texts: Sequence[str]) -> tuple[list[Array], int]:
        """One vector of length 1 per text, and the number of word pieces of all."""
        pieces = [self._words.encode(text, _LONGEST) for text in texts]
        order = sorted(range(len(pieces)), key=lambda number: len(pieces[number]))
        vectors: list[Array] = [None] * len(pieces)
        batch: list[int] = []
        for number in order:  # texts of like length together, so that little is filled up
            if batch and (len(batch) + 1) * len(pieces[number]) > _AT_ONCE:
                self._encode(batch, pieces, vectors)
                batch = []
            batch.append(number)
        if batch:
            self._encode(batch, pieces, vectors)
        return vectors, sum(map(len, pieces))

    def _encode(self, batch: list[int], pieces: list[list[int]], vectors: list[Array]) -> None:
        longest = max(len(pieces[number]) for number in batch)
        ids = np.zeros((len(batch), longest), np.int32)
        mask = np.zeros((len(batch), longest), np.float32)
        for row, number in enumerate(batch):
            ids[row, : len(pieces[number])] = pieces[number]
            mask[row, : len(pieces[number])] = 1
        values = _normed(self._embeddings[ids] + self._places[:longest], self._norm)
        hidden = ((1 - mask) * np.float32(-1e9))[:, None, None, :]
        for layer in self._layers:
            values = _apply(layer, values, hidden)
        sums = (values * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
        for row, number in enumerate(batch):
            vectors[number] = sums[row]


def _read_weights(path: Path) -> dict[str, Array]:
    """The tensors of a file in the format of safetensors: a header in JSON, then their bytes."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    found = {}
    for name, told in header.items():
        if name == "__metadata__" or told["dtype"] != "F32":
            continue
        begin, end = told["data_offsets"]
        values = np.frombuffer(content, np.float32, (end - begin) // 4, 8 + length + begin)
        found[name.removeprefix("bert.")] = values.reshape(told["shape"])
    return found


def _layer_count(found: dict[str, Array]) -> int:
    return sum(name.endswith("intermediate.dense.weight") for name in found)


def _layer(found: dict[str, Array], number: int) -> dict[str, Any]:
    start = f"encoder.layer.{number}."

    def dense(name: str) -> tuple[Array, Array]:
        return np.ascontiguousarray(found[f"{start}{name}.weight"].T), found[f"{start}{name}.bias"]

    def norm(name: str) -> tuple[Array, Array]:
        return found[f"{start}{name}.weight"], found[f"{start}{name}.bias"]

    parts = [dense(f"attention.self.{name}") for name in ("query", "key", "value")]
    return {
        "attention": (np.concatenate([part[0] for part in parts], 1), np.concatenate([part[1] for part in parts])),
        "out": dense("attention.output.dense"),
        "norm": norm("attention.output.LayerNorm"),
        "inner": dense("intermediate.dense"),
        "outer": dense("output.dense"),
        "norm2": norm("output.LayerNorm"),
    }


def _apply(layer: dict[str, Any], values: Array, hidden: Array) -> Array:
    texts, length, width = values.shape
    size = width // _HEADS
    weight, bias = layer["attention"]
    mixed = (values.reshape(-1, width) @ weight + bias).reshape(texts, length, 3, _HEADS, size)
    query, key, value = (mixed[:, :, part].transpose(0, 2, 1, 3) for part in range(3))
    scores = query @ key.transpose(0, 1, 3, 2)
    scores *= np.float32(1 / math.sqrt(size))
    scores += hidden
    scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(-1, keepdims=True)
    seen = (scores @ value).transpose(0, 2, 1, 3).reshape(-1, width)
    flat = _normed(_dense(seen, layer["out"]) + values.reshape(-1, width), layer["norm"])
    return _normed(_dense(_gelu(_dense(flat, layer["inner"])), layer["outer"]) + flat, layer["norm2"]).reshape(
        texts, length, width
    )


def _dense(values: Array, weights: tuple[Array, Array]) -> Array:
    found = values @ weights[0]
    found += weights[1]
    return found


def _normed(values: Array, weights: tuple[Array, Array]) -> Array:
    values = values - values.mean(-1, keepdims=True)
    values /= np.sqrt(np.square(values).mean(-1, keepdims=True) + np.float32(1e-12))
    values *= weights[0]
    values += weights[1]
    return values


def _gelu(values: Array) -> Array:
    """x/2 (1 + erf(x/√2)), with the error function to seven digits (Abramowitz and Stegun 7.1.26)."""
    size = np.abs(values)
    size *= np.float32(1 / math.sqrt(2))
    part = 1 / (1 + np.float32(0.3275911) * size)
    found = np.float32(1.061405429) * part
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        found += np.float32(factor)
        found *= part
    np.square(size, out=size)
    np.negative(size, out=size)
    np.exp(size, out=size)
    found *= size
    found = np.copysign(1 - found, values)
    found += 1
    found *= values
    found *= np.float32(0.5)
    return found
