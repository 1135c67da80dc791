"""From tokens to syntax trees: one tree per statement, with what sqlglot's grammar lacks made good."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from sqlglot import exp
from sqlglot.errors import ErrorLevel, ParseError
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.dialects import Profile
from headwater.sql.limits import Limits
from headwater.sql.prepare import first_row_only, prepared
from headwater.sql.rescue import as_create_table, as_select_one, essential_create
from headwater.sql.tokens import Piece, closing, pieces_of, tokenize, word

__all__ = ["Parsed", "parse_script"]

_STARTERS = frozenset(
    {"INSERT", "UPDATE", "DELETE", "MERGE", "SELECT", "WITH", "CREATE", "TRUNCATE", "DROP", "ALTER", "COPY", "UNLOAD"}
)
_CONTROL = frozenset(
    {
        *("BEGIN", "DECLARE", "IF", "ELSE", "ELSEIF", "ELSIF", "WHILE", "LOOP", "FOR", "REPEAT", "END", "EXECUTE"),
        *("DO", "TRY", "CATCH", "RETURN", "EXCEPTION", "STATEMENT", "COMPILE", "THEN", "UNTIL", "PRINT", "THROW"),
        *("SUBMIT", "FOREACH", "OPEN", "FETCH", "CLOSE", "RAISE", "LEAVE", "ITERATE", "EXEC"),
    }
)
_COMMANDS = frozenset(
    {
        *(
            "SHOW",
            "GRANT",
            "REVOKE",
            "EXPORT",
            "IMPORT",
            "RENAME",
            "ADD",
            "LIST",
            "RESET",
            "MSCK",
            "REFRESH",
            "ANALYZE",
        ),
        *("VACUUM", "OPTIMIZE", "CALL", "EXPLAIN", "DESCRIBE", "DESC", "UNCACHE", "CLEAR", "STOP", "START", "COMMIT"),
        *("ROLLBACK", "COMMENT", "LOCK", "UNLOCK", "DELIMITER", "HELP", "PUT", "GET", "REMOVE", "REPAIR"),
    }
)
_NO_STATEMENTS = (exp.Condition, exp.Alias, exp.Identifier, exp.Var, exp.Tuple)
_NOT_AFTER = frozenset({"ON", "AFTER", "BEFORE", "OR", "INSTEAD", "OF", "GRANT", "REVOKE"})


class Parsed(NamedTuple):
    """One statement: its tree, or why there is none."""

    node: exp.Expr | None
    tokens: list[Token]
    error: str = ""
    line: int = 1
    column: int = 1
    routine: "tuple[Parsed, ...] | None" = None


@lru_cache(maxsize=64)
def _parser_class(base: type[Parser]) -> type[Parser]:
    """The dialect's parser, silent: a statement that it does not know is ours to judge, not to log."""
    return type(base.__name__, (base,), {"_warn_unsupported": lambda _: None})


class _Reader:
    """Parses pieces of one script."""

    def __init__(self, sql: str, profile: Profile, limits: Limits) -> None:
        self.sql = sql
        self.profile = profile
        self.limits = limits
        parser_class = _parser_class(profile.dialect.parser_class)
        self.parser: Any = parser_class(
            dialect=profile.dialect, error_level=ErrorLevel.IMMEDIATE, max_nodes=limits.statement_nodes
        )
        self.commands = frozenset(profile.dialect.tokenizer_class.COMMANDS) - {TokenType.REPLACE, TokenType.END}
        self.continues = profile.name in ("tsql", "mssql", "sqlserver", "fabric")

    def prefix(self, tokens: list[Token]) -> tuple[exp.Expr | None, int]:
        """Parse as many tokens as form one statement; gives the tree and how many they are."""
        parser = self.parser
        parser.reset()
        parser.sql = self.sql
        parser._chunks = [tokens]  # noqa: SLF001 - sqlglot has no public way to parse a prefix
        parser._advance_chunk()  # noqa: SLF001
        before = len(tokens)
        node = parser._parse_statement()  # noqa: SLF001
        used = int(parser._index)  # noqa: SLF001
        dropped = before - int(parser._tokens_size)  # noqa: SLF001
        return node, used + dropped

    def parse(self, tokens: list[Token]) -> Iterator[Parsed]:
        """All statements in tokens that hold no semicolon."""
        start = 0
        while start < len(tokens):
            rest = prepared(tokens[start:], self.profile)
            removed = len(tokens) - start - len(rest)
            if not rest:
                return
            try:
                node, used = self.prefix(rest)
            except ParseError as error:
                yield self.rescued(rest) or _failed(rest, error)
                return
            except Exception as error:  # noqa: BLE001 - a defect of the parser is a diagnostic, not a crash
                yield self.rescued(rest) or Parsed(None, rest, _reason(error), rest[0].line, rest[0].col)
                return
            if isinstance(node, exp.Command) and node.name.upper() in ("CREATE", "REPLACE"):
                yield self.rescued(rest) or Parsed(node, rest)
                return
            if used < len(rest):
                if not (self.continues and used > 0 and word(rest, used) in _STARTERS | _CONTROL | {"SET", "USE"}):
                    token = rest[used]
                    yield Parsed(None, rest, f"unexpected {token.text!r}", token.line, _column(token))
                    return
                yield Parsed(node, rest[:used])
                start += used + removed
                if word(tokens, start) in _CONTROL | {"SET"}:
                    yield from self.scan(tokens[start:])
                    return
                continue
            if isinstance(node, _NO_STATEMENTS) and not isinstance(node, exp.Query):
                token = rest[0]
                yield Parsed(None, rest, f"{token.text[:40]!r} does not begin a statement", token.line, _column(token))
                return
            yield Parsed(node, rest)
            return

    def rescued(self, tokens: list[Token]) -> Parsed | None:
        """A second try at a CREATE, with only what matters of it."""
        if word(tokens, 0) == "ALTER":
            return Parsed(exp.Command(this="ALTER"), tokens)
        essential = essential_create(tokens)
        if essential is None:
            return None
        head, query = essential
        try:
            if not query:
                node, _ = self.prefix(head)
                return Parsed(node, tokens) if isinstance(node, exp.Create) else None
            body, _ = self.prefix(query)
            plain = [token for token in head if token.token_type != TokenType.TEMPORARY]
            node, _ = self.prefix([*plain, *as_select_one(query[0])])
        except Exception:  # noqa: BLE001 - the first failure is the one to report
            return None
        if not isinstance(node, exp.Create) or not isinstance(body, exp.Query):
            return None
        node.set("expression", body)
        if len(plain) < len(head):
            node.set("properties", exp.Properties(expressions=[exp.TemporaryProperty()]))
        return Parsed(node, tokens)

    def unload(self, tokens: list[Token]) -> Parsed:
        """UNLOAD ('query') TO 'place', and UNLOAD (query) TO 'place'."""
        end = closing(tokens, 1)
        inner = tokens[2:end]
        reader = self
        if len(inner) == 1 and inner[0].token_type == TokenType.STRING:
            reader = _Reader(inner[0].text, self.profile, self.limits)
            inner = tokenize(inner[0].text, self.profile)
        parsed = next(iter(reader.parse(inner)), None)
        place = next((token.text for token in tokens[end:] if token.token_type == TokenType.STRING), "")
        if parsed is None or parsed.node is None:
            return parsed._replace(tokens=tokens) if parsed is not None else Parsed(None, tokens, "nothing to unload")
        copy = exp.Copy(this=exp.Subquery(this=parsed.node), kind=False, files=[exp.Literal.string(place)])
        return Parsed(copy, tokens)

    def outfile(self, tokens: list[Token]) -> Parsed:
        """MySQL's SELECT .. INTO OUTFILE 'place'."""
        place = _outfile(tokens) or 0
        rest = tokens[:place]
        end = place + 3
        while end < len(tokens) and word(tokens, end) != "FROM":
            end += 1
        parsed = next(iter(self.parse([*rest, *tokens[end:]])), None)
        if parsed is None or parsed.node is None:
            return parsed or Parsed(None, tokens, "nothing to write")
        target = exp.Literal.string(tokens[place + 2].text)
        return Parsed(exp.Copy(this=exp.Subquery(this=parsed.node), kind=False, files=[target]), tokens)

    def scan(self, tokens: list[Token]) -> Iterator[Parsed]:
        """The statements inside control flow: step over what is not a statement."""
        place = 0
        depth = 0
        while place < len(tokens):
            token = tokens[place]
            kind = token.token_type
            text = word(tokens, place)
            if kind == TokenType.L_PAREN:
                depth += 1
            elif kind == TokenType.R_PAREN:
                depth -= 1
            elif text == "DECLARE" and _is_table_variable(tokens, place):
                end = closing(tokens, place + 4) + 1
                yield from self.parse(
                    [*as_create_table(token), *tokens[place + 1 : place + 3], *tokens[place + 4 : end]]
                )
                place = end
                continue
            elif _is_body(token):
                yield from self.inside(str(token.text))
            elif depth == 0 and self._starts(tokens, place, text):
                end = _next_semicolon(tokens, place)
                rest = prepared(tokens[place:end], self.profile)
                removed = end - place - len(rest)
                try:
                    node, used = self.prefix(rest)
                except ParseError as error:
                    yield _failed(rest, error)
                    place = end
                    continue
                except Exception as error:  # noqa: BLE001 - a defect of the parser is a diagnostic, not a crash
                    yield Parsed(None, rest, _reason(error), token.line, _column(token))
                    place = end
                    continue
                if used > 0 and node is not None:
                    yield Parsed(node, rest[:used])
                    place += used + removed
                    continue
            place += 1

    def _starts(self, tokens: list[Token], place: int, text: str) -> bool:
        if text == "UPDATE" and word(tokens, place - 1) == "FOR":
            return False
        if text not in _STARTERS or (word(tokens, place - 1) in _NOT_AFTER and text != "SELECT"):
            return False
        if text == "WITH":
            return tokens[place + 1].token_type != TokenType.L_PAREN if place + 1 < len(tokens) else False
        return not (text in ("UPDATE", "INSERT", "DELETE") and word(tokens, place + 1) == "(")

    def inside(self, text: str) -> Iterator[Parsed]:
        """A routine's body that is quoted as one string."""
        reader = _Reader(text, self.profile, self.limits)
        for piece in pieces_of(text, self.profile):
            yield from reader.scan(piece.tokens)

    def routine(self, tokens: list[Token]) -> Parsed:
        """A CREATE PROCEDURE with the statements of its body."""
        body = _body_start(tokens)
        inner = tuple(self.scan(tokens[body:]))
        return Parsed(None, tokens, routine=inner)


def parse_script(sql: str, profile: Profile, limits: Limits) -> Iterator[Parsed]:
    """Every statement of a script; one that cannot be parsed does not spoil the others."""
    reader = _Reader(sql, profile, limits)
    for piece in pieces_of(sql, profile):
        yield from _parse_piece(reader, piece, limits)


def _parse_piece(reader: _Reader, piece: Piece, limits: Limits) -> Iterator[Parsed]:
    tokens = piece.tokens
    if piece.error:
        yield Parsed(None, [], piece.error, piece.line, piece.column)
        return
    if len(tokens) > limits.statement_tokens:
        tokens = first_row_only(tokens)
    if len(tokens) > limits.statement_tokens:
        message = f"the statement has {len(tokens)} tokens, more than the limit of {limits.statement_tokens}"
        yield Parsed(None, tokens[:1], message, tokens[0].line, _column(tokens[0]))
        return
    first = word(tokens, 0)
    if piece.routine:
        if _routine_kind(tokens) == "FUNCTION":
            yield Parsed(exp.Command(this="CREATE FUNCTION", expression=""), tokens)
        else:
            yield reader.routine(tokens)
    elif first == "SELECT" and _outfile(tokens) is not None:
        yield reader.outfile(tokens)
    elif first == "UNLOAD" and word(tokens, 1) == "(":
        yield reader.unload(tokens)
    elif first == "CREATE" and _created_kind(tokens) in ("TASK", "ALERT"):
        yield from reader.scan(tokens[_body_start(tokens) :])
    elif first in _CONTROL or (len(tokens) > 1 and tokens[1].token_type == TokenType.COLON and first):
        yield from reader.scan(tokens)
    elif _is_command(tokens, reader.commands):
        yield Parsed(exp.Command(this=first), tokens)
    else:
        yield from reader.parse(tokens)


def _is_command(tokens: list[Token], commands: frozenset[TokenType]) -> bool:
    """A statement that carries no query, or that only our own reading of its tokens understands."""
    first, second = word(tokens, 0), word(tokens, 1)
    if first in ("EXECUTE", "EXEC", "REPLACE") or (first, second) == ("EXPORT", "DATA"):
        return False
    return (
        first in _COMMANDS
        or tokens[0].token_type in commands
        or (first == "LOAD" and any(word(tokens, place) == "INFILE" for place in range(2, 5)))
        or (second in ("MODULE", "MODULES") and first in ("LOAD", "UNLOAD", "USE"))
        or (second in ("CATALOG", "CONNECTION", "JAR") and first in ("CREATE", "DROP", "ALTER", "ADD"))
        or (first, second) in {("DROP", "MODEL"), ("ALTER", "MODEL")}
    )


def _outfile(tokens: list[Token]) -> int | None:
    for place in range(len(tokens) - 2):
        if tokens[place].token_type == TokenType.INTO and word(tokens, place + 1) in ("OUTFILE", "DUMPFILE"):
            return place
    return None


def _created_kind(tokens: list[Token]) -> str:
    place = 1
    while word(tokens, place) in ("OR", "REPLACE"):
        place += 1
    return word(tokens, place)


def _is_table_variable(tokens: list[Token], place: int) -> bool:
    """DECLARE @t TABLE (..)."""
    return (
        place + 4 < len(tokens)
        and tokens[place + 1].token_type == TokenType.PARAMETER
        and word(tokens, place + 3) == "TABLE"
        and word(tokens, place + 4) == "("
    )


def _routine_kind(tokens: list[Token]) -> str:
    for place in range(1, min(8, len(tokens))):
        text = word(tokens, place)
        if text in ("PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "PACKAGE"):
            return text
    return ""


def _body_start(tokens: list[Token]) -> int:
    """Behind the BEGIN of the body, or behind AS where there is none."""
    for place in range(len(tokens)):
        if word(tokens, place) == "BEGIN" or _is_body(tokens[place]):
            return place
    for place in range(len(tokens)):
        if word(tokens, place) in ("AS", "IS"):
            return place + 1
    return 0


def _is_body(token: Token) -> bool:
    return token.token_type in (TokenType.HEREDOC_STRING, TokenType.RAW_STRING) or (
        token.token_type == TokenType.STRING and "begin" in token.text.casefold() and ";" in token.text
    )


def _next_semicolon(tokens: list[Token], place: int) -> int:
    while place < len(tokens) and tokens[place].token_type != TokenType.SEMICOLON:
        place += 1
    return place


def _column(token: Token) -> int:
    return max(token.col - (token.end - token.start), 1)


def _failed(tokens: list[Token], error: ParseError) -> Parsed:
    details = error.errors[0] if error.errors else {}
    message = _readable(str(details.get("description") or error).splitlines()[0])
    line, column = details.get("line"), details.get("col")
    width = len(str(details.get("highlight") or "")) or 1
    return Parsed(
        None,
        tokens,
        message,
        int(line) if line is not None else tokens[0].line,
        max(int(column) - width + 1, 1) if column is not None else 1,
    )


def _readable(message: str) -> str:
    """The parser's own words name its classes; a person wants to know that something is missing."""
    missing = re.match(r"Required keyword: '(\w+)' missing for <class '[\w.]*?(\w+)'>", message)
    return f"incomplete {missing[2]}: its {missing[1]!r} is missing" if missing else message


def _reason(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "the statement is nested too deeply"
    return (str(error).splitlines() or [type(error).__name__])[0] or type(error).__name__
