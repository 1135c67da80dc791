"""Faster tokenizer for plain words; sqlglot's reads each letter several times."""

import re
from functools import lru_cache
from typing import Any, cast

from sqlglot import tokenizer_core
from sqlglot.tokenizer_core import TokenizerCore, TokenType
from sqlglot.tokens import Tokenizer

__all__ = ["tokenizer_class"]

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ENDS = frozenset(" \t\n\r,();=<>+*/.")
_COMPILED = not str(tokenizer_core.__file__).endswith(".py")
"""With sqlglot's compiled tokenizer there is nothing to gain, and it cannot be extended."""


class _QuickCore(TokenizerCore):
    """Takes a word in one step where its neighbours cannot change its meaning."""

    __slots__ = ()
    plain: dict[str, TokenType]
    longer: frozenset[str]

    def _scan_keywords(self) -> None:
        match = _WORD.match(self.sql, self._current - 1)
        if match is not None:
            end = match.end()
            if end == self.size or self.sql[end] in _ENDS:
                upper = match.group().upper()
                if upper not in self.longer:
                    size = end - self._current
                    if size:
                        self._advance(size)
                    named = self.tokens and self.tokens[-1].token_type == TokenType.PARAMETER
                    self._add(TokenType.VAR if named else self.plain.get(upper, TokenType.VAR))
                    return
        super()._scan_keywords()


@lru_cache(maxsize=64)
def _core_class(base: Any) -> type[TokenizerCore]:
    """The quick core for one dialect: its words, and those that may go on as `GROUP BY` does."""
    longer: set[str] = set()
    for keyword in base.KEYWORDS:
        first = _WORD.match(keyword)
        if first is not None and first.group() != keyword:
            longer.add(first.group().upper())
    plain = {keyword: kind for keyword, kind in base.KEYWORDS.items() if _WORD.fullmatch(keyword)}
    return type("QuickCore", (_QuickCore,), {"__slots__": (), "plain": plain, "longer": frozenset(longer)})


@lru_cache(maxsize=64)
def tokenizer_class(base: type[Tokenizer]) -> type[Tokenizer]:
    """The dialect's tokenizer, but with the words of a command kept apart: sqlglot makes one string of them."""
    changed: dict[str, Any] = {"COMMANDS": set()}
    if not _COMPILED:
        quick = _core_class(cast("Any", base))

        def _init_core(self: Any) -> TokenizerCore:
            core: Any = base._init_core(self)  # noqa: SLF001 - there is no public way to give it another core
            core.__class__ = quick
            core.commands = set()
            made: TokenizerCore = core
            return made

        changed["_init_core"] = _init_core
    return type(base.__name__, (base,), changed)
