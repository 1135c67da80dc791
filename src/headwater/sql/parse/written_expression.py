"""Expressions as written: the parser merges functions, this keeps their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

__all__ = ["Spelled", "Unspelled", "spelled"]

_DEEPEST = 40
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("OR",),
    ("AND",),
    (),  # NOT
    (
        "=",
        "==",
        "<",
        ">",
        "<=",
        ">=",
        "<>",
        "!=",
        "<=>",
        "IS",
        "IN",
        "BETWEEN",
        "LIKE",
        "ILIKE",
        "RLIKE",
        "REGEXP",
        "NOT",
    ),
    ("||", "|", "&", "^", "->", "->>", "#>", "#>>", "@>", "<@", "~"),
    ("+", "-"),
    ("*", "/", "%", "DIV"),
)
_NOT, _COMPARED = 2, 3
_WORDS = frozenset({"TRUE", "FALSE", "NULL"})
_BARE_CALLS = frozenset(
    {"CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_TIME", "CURRENT_USER", "LOCALTIMESTAMP", "LOCALTIME"}
)


class Unspelled(Exception):
    """The expression is more than this can read."""


class Spelled(NamedTuple):
    """A piece of an expression: its kind, a word that goes with it, and the pieces inside."""

    kind: str
    text: str = ""
    parts: tuple[Spelled, ...] = ()
    more: tuple[str, ...] = ()


def spelled(tokens: list[Token]) -> Spelled:
    """Read all of the tokens; `Unspelled` where there is something that is not known."""
    reader = _Reader(tokens)
    found = reader.level(0)
    if reader.position != len(tokens):
        raise Unspelled
    return found


class _Reader:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.position = 0
        self.depth = 0

    def word(self, ahead: int = 0) -> str:
        position = self.position + ahead
        if position >= len(self.tokens):
            return ""
        token = self.tokens[position]
        quoted = token.token_type in (TokenType.STRING, TokenType.IDENTIFIER)
        return "" if quoted else str(token.text).upper()

    def take(self, *words: str) -> bool:
        for ahead, word in enumerate(words):
            if self.word(ahead) != word:
                return False
        self.position += len(words)
        return True

    def need(self, *words: str) -> None:
        if not self.take(*words):
            raise Unspelled

    def level(self, level: int) -> Spelled:
        self.depth += 1
        if self.depth > _DEEPEST * len(_LEVELS):
            raise Unspelled
        try:
            if level == len(_LEVELS):
                return self.unary()
            if level == _NOT:
                return Spelled("prefix", "NOT", (self.level(level),)) if self.take("NOT") else self.level(level + 1)
            found = self.level(level + 1)
            while self.word() in _LEVELS[level]:
                found = self.compared(found) if level == _COMPARED else self.binary(found, level)
            return found
        finally:
            self.depth -= 1

    def binary(self, left: Spelled, level: int) -> Spelled:
        operator = self.word()
        self.position += 1
        return Spelled("op", operator, (left, self.level(level + 1)))

    def compared(self, left: Spelled) -> Spelled:
        below = _COMPARED + 1
        if self.take("IS"):
            negated = self.take("NOT")
            self.need("NULL")
            return Spelled("isnull", "NOT" if negated else "", (left,))
        negated = self.take("NOT")
        operator = self.word()
        self.position += 1
        if operator == "IN":
            self.need("(")
            found = Spelled("in", "", (left, *self.list(")")))
        elif operator == "BETWEEN":
            low = self.level(below)
            self.need("AND")
            found = Spelled("between", "", (left, low, self.level(below)))
        elif operator in ("LIKE", "ILIKE", "RLIKE", "REGEXP"):
            found = Spelled("like", operator, (left, self.level(below)))
        elif negated:
            raise Unspelled
        else:
            found = Spelled("op", operator, (left, self.level(below)))
        return Spelled("prefix", "NOT", (found,)) if negated else found

    def unary(self) -> Spelled:
        if self.word() in ("-", "+"):
            operator = self.word()
            self.position += 1
            return Spelled("prefix", operator, (self.unary(),))
        found = self.primary()
        while True:
            if self.take("::"):
                found = Spelled("cast", self.type(), (found,), ("::",))
            elif self.take("["):
                found = Spelled("index", "", (found, self.level(0)))
                self.need("]")
            elif self.take("."):
                found = Spelled("field", self.name(), (found,))
            else:
                return found

    def name(self) -> str:
        if self.position >= len(self.tokens) or self.tokens[self.position].token_type == TokenType.STRING:
            raise Unspelled
        text = str(self.tokens[self.position].text)
        if (
            not (text[:1].isalpha() or text[:1] == "_")
            and self.tokens[self.position].token_type != TokenType.IDENTIFIER
        ):
            raise Unspelled
        self.position += 1
        return text

    def list(self, closing: str) -> tuple[Spelled, ...]:
        if self.take(closing):
            return ()
        found = [self.level(0)]
        while self.take(","):
            found.append(self.level(0))
        self.need(closing)
        return tuple(found)

    def type(self) -> str:
        """The words of a type, with its parentheses."""
        text = self.name()
        if self.take("("):
            inner = []
            while not self.take(")"):
                inner.append(self.word() or self.name())
                self.position += 1
            text += f"({''.join(inner)})"
        return text

    def primary(self) -> Spelled:
        if self.position >= len(self.tokens):
            raise Unspelled
        token, word = self.tokens[self.position], self.word()
        kind = token.token_type
        if kind == TokenType.STRING:
            self.position += 1
            return Spelled("string", str(token.text))
        if kind == TokenType.NUMBER:
            self.position += 1
            return Spelled("number", str(token.text))
        if word == "(":
            return self.parenthesis()
        if word == "*":
            self.position += 1
            return Spelled("star")
        rule = _STARTS.get(word)
        if rule is not None and (
            word not in ("EXTRACT", "CAST", "TRY_CAST", "EXISTS", "ARRAY") or self.word(1) in "(["
        ):
            return rule(self)
        if word in _WORDS:
            self.position += 1
            return Spelled("word", word)
        if word in _BARE_CALLS and self.word(1) != "(":
            self.position += 1
            return Spelled("bare", word)
        return self.named()

    def parenthesis(self) -> Spelled:
        if self.word(1) in ("SELECT", "WITH"):
            return self.query("subquery")
        self.need("(")
        found = self.list(")")
        return Spelled("paren", "", found) if len(found) == 1 else Spelled("tuple", "", found)

    def query(self, kind: str) -> Spelled:
        """A query in parentheses: its first column gives the name."""
        self.need("(")
        start, depth = self.position, 1
        while self.position < len(self.tokens):
            depth += {"(": 1, ")": -1}.get(self.word(), 0)
            self.position += 1
            if not depth:
                return Spelled(kind, "", (), (str(start), str(self.position - 1)))
        raise Unspelled

    def named(self) -> Spelled:
        parts = [self.name()]
        while self.word() == "." and self.word(1) != "*":
            self.position += 1
            parts.append(self.name())
        if self.word() == "(":
            return self.call(parts[-1])
        return Spelled("name", parts[-1], (), tuple(parts))

    def call(self, name: str) -> Spelled:
        self.need("(")
        distinct = self.take("DISTINCT")
        inner = self.list(")")
        found = Spelled("call", name, inner, ("DISTINCT",) if distinct else ())
        if self.take("FILTER"):
            self.need("(", "WHERE")
            found = Spelled("filter", "", (found, self.level(0)))
            self.need(")")
        if self.take("OVER"):
            found = self.window(found)
        return found

    def window(self, call: Spelled) -> Spelled:
        if not self.take("("):
            raise Unspelled
        by: tuple[Spelled, ...] = ()
        if self.take("PARTITION", "BY") or self.take("PARTITION BY"):
            by = self.keys()
        order: list[Spelled] = []
        if self.take("ORDER", "BY") or self.take("ORDER BY"):
            order.append(self.ordered())
            while self.take(","):
                order.append(self.ordered())
        frame = []
        while not self.take(")"):
            if not self.word() or self.word() == "(":
                raise Unspelled
            frame.append(self.word())
            self.position += 1
        parts = (call, Spelled("by", "", by), Spelled("order", "", tuple(order)))
        return Spelled("window", " ".join(frame), parts)

    def keys(self) -> tuple[Spelled, ...]:
        found = [self.level(0)]
        while self.take(","):
            found.append(self.level(0))
        return tuple(found)

    def ordered(self) -> Spelled:
        key = self.level(0)
        direction = "DESC" if self.take("DESC") else "ASC"
        if self.word() != "ASC" and self.word() not in ("ASC", "NULLS"):
            return Spelled("key", direction, (key,))
        self.take("ASC")
        nulls = ""
        if self.take("NULLS"):
            nulls = self.word()
            self.position += 1
        return Spelled("key", direction, (key,), (nulls,) if nulls else ())

    def case(self) -> Spelled:
        self.need("CASE")
        operand = () if self.word() == "WHEN" else (self.level(0),)
        branches: list[Spelled] = []
        while self.take("WHEN"):
            when = self.level(0)
            self.need("THEN")
            branches.append(Spelled("when", "", (when, self.level(0))))
        last = (self.level(0),) if self.take("ELSE") else ()
        self.need("END")
        return Spelled("case", "", (*operand, *branches, *last), (str(len(operand)), str(len(last))))

    def cast(self) -> Spelled:
        word = self.word()
        self.position += 1
        self.need("(")
        inner = self.level(0)
        self.need("AS")
        kind = self.type()
        self.need(")")
        return Spelled("cast", kind, (inner,), (word,))

    def extract(self) -> Spelled:
        self.position += 1
        self.need("(")
        unit = self.name()
        self.need("FROM")
        found = Spelled("extract", unit, (self.level(0),))
        self.need(")")
        return found

    def exists(self) -> Spelled:
        self.position += 1
        return self.query("exists")

    def array(self) -> Spelled:
        self.position += 1
        if self.word() == "(":
            if self.word(1) == "SELECT":
                return self.query("array")
            return self.call("array")
        self.need("[")
        return Spelled("array", "", self.list("]"))


_STARTS: dict[str, Callable[[_Reader], Spelled]] = {
    "CASE": _Reader.case,
    "CAST": _Reader.cast,
    "TRY_CAST": _Reader.cast,
    "EXTRACT": _Reader.extract,
    "EXISTS": _Reader.exists,
    "ARRAY": _Reader.array,
}
