"""Reads statements from tokens: alone, inside control flow, and again where the parser failed."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, cast

from sqlglot import exp
from sqlglot.errors import ErrorLevel, ParseError
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.dialects.differences import Feature
from headwater.sql.dialects.profiles import Profile
from headwater.sql.limits import Budget, OverLimit
from headwater.sql.parse.parsed_statement import Parsed, column_of, failed, reason_of
from headwater.sql.parse.pipe_steps import PIPE_STEPS
from headwater.sql.parse.recover_create import as_create_table, as_select_one, essential_create
from headwater.sql.parse.remove_clauses import prepared
from headwater.sql.parse.statement_start import (
    CONTROL,
    STARTERS,
    body_start,
    declared_names,
    dynamic_sql,
    is_body,
    is_table_variable,
    next_semicolon,
    outfile_position,
    routine_kind,
    starts_statement,
)
from headwater.sql.parse.tokenize import closing, pieces_of, tokenize, unreadable, word
from headwater.sql.walk.statement.cursor_loops import Loop, cursor_at, loop_at

__all__ = ["StatementReader"]

_ENDS = frozenset({TokenType.COMMA, TokenType.FROM})
_AFTER_NAME = frozenset({TokenType.COMMA, TokenType.FROM, TokenType.DOT, TokenType.ALIAS})
_SCANNED = CONTROL | {"SET"}
_FOLLOWING = STARTERS | CONTROL | {"SET", "USE"}
_NAMED = frozenset({exp.Alias, exp.Aliases, exp.Column, exp.Star, exp.Literal})
"""Nodes with names of their own; all others keep their text, from which engines derive a name."""
_NO_STATEMENTS = (exp.Condition, exp.Alias, exp.Identifier, exp.Var, exp.Tuple)


def _validate_and_count(self: Any, expression: exp.Expr, args: list[Any] | None = None) -> exp.Expr:
    """The parser's check of each new node, which also looks whether there is time left for more."""
    budget: Budget = self.budget
    budget.nodes += 1
    if not budget.nodes & 63:
        budget.check_nodes()
    for message in expression.error_messages(args):
        self.raise_error(message)
    return expression


def _with_short_cut(base: type[Parser]) -> Callable[[Any], exp.Expr | None]:
    """Plain columns, which most of a SELECT list is, do not have to go down through every operator of the grammar."""

    def _parse_expression(self: Any) -> exp.Expr | None:
        start = self._curr
        if self._curr.token_type in self.IDENTIFIER_TOKENS and self._next.token_type in _AFTER_NAME:
            index = self._index
            column: exp.Expr | None = self._parse_column_parts_fast()
            if column is not None:
                kind = self._curr.token_type
                if kind in _ENDS:
                    return column
                alias = _plain_alias(self)
                if alias is not None:
                    return self.expression(exp.Alias(this=column, alias=alias))  # type: ignore[no-any-return]
                self._retreat(index)
        node: exp.Expr | None = base._parse_expression(self)  # noqa: SLF001 - the dialect's own way
        if node is not None and type(node) not in _NAMED and start:
            node.meta["text"] = self.sql[start.start : self._prev.end + 1]
        return node

    return _parse_expression


def _plain_alias(parser: Any) -> exp.Expr | None:
    """`AS name` in front of a comma or FROM; None, and nothing read, where it is anything else."""
    curr, following = parser._curr, parser._next  # noqa: SLF001
    after = parser._index + 2  # noqa: SLF001
    if (
        curr.token_type == TokenType.ALIAS
        and following.token_type == TokenType.VAR
        and after < parser._tokens_size  # noqa: SLF001
        and parser._tokens[after].token_type in _ENDS  # noqa: SLF001
        and not curr.comments
        and not following.comments
    ):
        parser._advance(2)  # noqa: SLF001
        alias = exp.Identifier(this=following.text, quoted=False)
        return alias.update_positions(following)
    return None


def _with_quick_alias(base: type[Parser]) -> Callable[..., exp.Expr | None]:
    def _parse_alias(self: Any, this: exp.Expr | None, explicit: bool = False) -> exp.Expr | None:
        alias = _plain_alias(self) if this is not None and not this.comments else None
        if alias is not None:
            return self.expression(exp.Alias(this=this, alias=alias))  # type: ignore[no-any-return]
        return base._parse_alias(self, this, explicit)  # noqa: SLF001 - the dialect's own way

    return _parse_alias


@lru_cache(maxsize=64)
def _parser_class(base: type[Parser]) -> type[Parser]:
    """The dialect's parser, silent: a statement that it does not know is ours to judge, not to log."""
    changed = {
        "_warn_unsupported": lambda _: None,
        "validate_expression": _validate_and_count,
        "_parse_alias": _with_quick_alias(base),
        "_parse_expression": _with_short_cut(base),
        "PIPE_SYNTAX_TRANSFORM_PARSERS": {**base.PIPE_SYNTAX_TRANSFORM_PARSERS, **PIPE_STEPS},
    }
    return type(base.__name__, (base,), changed)


class StatementReader:
    """Parses pieces of one script."""

    def __init__(self, sql: str, profile: Profile, budget: Budget) -> None:
        self.sql = sql
        self.profile = profile
        self.budget = budget
        parser_class = _parser_class(profile.dialect.parser_class)
        self.parser = cast("Any", parser_class(dialect=profile.dialect, error_level=ErrorLevel.IMMEDIATE))
        self.parser.budget = budget
        self.commands = frozenset(profile.dialect.tokenizer_class.COMMANDS) - {TokenType.REPLACE, TokenType.END}
        self.variables: frozenset[str] = frozenset()
        self.cursors: dict[str, exp.Expr] = {}
        self.records: dict[str, exp.Expr] = {}
        self.continues = Feature.BATCHES in profile.features

    def prefix(self, tokens: list[Token]) -> tuple[exp.Expr | None, int]:
        """Parse as many tokens as form one statement; gives the tree and how many they are."""
        parser = self.parser
        parser.reset()
        self.budget.nodes = 0
        parser.sql = self.sql
        parser._chunks = [tokens]  # noqa: SLF001 - sqlglot has no public way to parse a prefix
        parser._advance_chunk()  # noqa: SLF001
        before = len(tokens)
        node = parser._parse_statement()  # noqa: SLF001
        used = int(parser._index)  # noqa: SLF001
        dropped = before - int(parser._tokens_size)  # noqa: SLF001
        return node, used + dropped

    def first(self, tokens: list[Token]) -> tuple[Parsed, int]:
        """The statement that tokens begin with, and how many of them it takes: all where it fails."""
        try:
            node, used = self.prefix(tokens)
        except ParseError as error:
            return self.rescued(tokens) or failed(tokens, error), len(tokens)
        except OverLimit:
            raise
        except Exception as error:  # noqa: BLE001 - a defect of the parser is a diagnostic, not a crash
            broken = Parsed(None, tokens, reason_of(error), tokens[0].line, column_of(tokens[0]))
            return self.rescued(tokens) or broken, len(tokens)
        if isinstance(node, exp.Command) and node.name.upper() in ("CREATE", "REPLACE"):
            return self.rescued(tokens) or Parsed(node, tokens), len(tokens)
        if isinstance(node, _NO_STATEMENTS) and not isinstance(node, exp.Query):
            token = tokens[0]
            reason = f"{token.text[:40]!r} does not begin a statement"
            return Parsed(None, tokens, reason, token.line, column_of(token)), max(used, 1)
        return Parsed(node, tokens[:used]), used

    def parse(self, tokens: list[Token]) -> Iterator[Parsed]:
        """All statements in tokens that hold no semicolon: one, or several where the dialect needs none."""
        rest = prepared(tokens, self.profile)
        while rest:
            parsed, used = self.first(rest)
            after = rest[used:]
            if after and not (self.continues and used > 0 and word(after, 0) in _FOLLOWING):
                yield Parsed(None, rest, f"unexpected {after[0].text!r}", after[0].line, column_of(after[0]))
                return
            yield parsed
            if word(after, 0) in _SCANNED:
                yield from self.scan(after)
                return
            rest = prepared(after, self.profile)

    def rescued(self, tokens: list[Token]) -> Parsed | None:
        """A second try at a CREATE, reduced to the parts with lineage."""
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
        except OverLimit:
            raise
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
            reader = StatementReader(inner[0].text, self.profile, self.budget)
            try:
                inner = tokenize(inner[0].text, self.profile)
            except Exception as error:  # noqa: BLE001 - whatever the tokenizer raises is a fault of the text
                return Parsed(None, tokens, f"the query to unload cannot be read: {unreadable(error)}")
        parsed = next(iter(reader.parse(inner)), None)
        position = next((token.text for token in tokens[end:] if token.token_type == TokenType.STRING), "")
        if parsed is None or parsed.node is None:
            return parsed._replace(tokens=tokens) if parsed is not None else Parsed(None, tokens, "nothing to unload")
        copy = exp.Copy(this=exp.Subquery(this=parsed.node), kind=False, files=[exp.Literal.string(position)])
        return Parsed(copy, tokens)

    def outfile(self, tokens: list[Token]) -> Parsed:
        """MySQL's SELECT .. INTO OUTFILE 'place'."""
        position = outfile_position(tokens) or 0
        rest = tokens[:position]
        end = position + 3
        while end < len(tokens) and word(tokens, end) != "FROM":
            end += 1
        parsed = next(iter(self.parse([*rest, *tokens[end:]])), None)
        if parsed is None or parsed.node is None:
            return parsed or Parsed(None, tokens, "nothing to write")
        target = exp.Literal.string(tokens[position + 2].text)
        return Parsed(exp.Copy(this=exp.Subquery(this=parsed.node), kind=False, files=[target]), tokens)

    def scan(self, tokens: list[Token]) -> Iterator[Parsed]:
        """The statements inside control flow; anything else is skipped."""
        position = 0
        depth = 0
        while position < len(tokens):
            token = tokens[position]
            kind = token.token_type
            text = word(tokens, position)
            dynamic = dynamic_sql(tokens, position)
            if dynamic is not None:
                if dynamic:
                    yield from self.inside(dynamic)
                else:
                    notice = "the statement is put together at run time"
                    yield Parsed(None, tokens[position:], "", token.line, column_of(token), notice=notice)
                position = next_semicolon(tokens, position)
                continue
            loop = loop_at(tokens, position) or cursor_at(tokens, position)
            if loop is not None:
                yield from self.learn(loop, is_cursor=text == "CURSOR")
                position = loop.end
                continue
            if kind == TokenType.L_PAREN:
                depth += 1
            elif kind == TokenType.R_PAREN:
                depth -= 1
            elif text == "DECLARE" and is_table_variable(tokens, position):
                end = closing(tokens, position + 4) + 1
                yield from self.parse(
                    [*as_create_table(token), *tokens[position + 1 : position + 3], *tokens[position + 4 : end]]
                )
                position = end
                continue
            elif is_body(token):
                yield from self.inside(str(token.text))
            elif depth == 0 and starts_statement(tokens, position, text):
                end = next_semicolon(tokens, position)
                rest = prepared(tokens[position:end], self.profile)
                tokens = [*tokens[:position], *rest, *tokens[end:]]
                parsed, used = self.first(rest)
                if used > 0:
                    yield parsed._replace(records=tuple(self.records.items())) if self.records else parsed
                    position += used
                    continue
            position += 1

    def learn(self, loop: Loop, *, is_cursor: bool) -> Iterator[Parsed]:
        """Remember the query behind a cursor or a record, and count it as read."""
        if not loop.query:
            query = self.cursors.get(loop.cursor)
        else:
            parsed, _ = self.first(prepared(loop.query, self.profile))
            query = parsed.node
            yield parsed
        if isinstance(query, exp.Query):
            (self.cursors if is_cursor else self.records)[loop.name] = query

    def inside(self, text: str) -> Iterator[Parsed]:
        """A routine's body that is quoted as one string."""
        reader = StatementReader(text, self.profile, self.budget)
        for piece in pieces_of(text, self.profile):
            self.variables |= declared_names(piece.tokens)
            yield from reader.scan(piece.tokens)

    def routine(self, tokens: list[Token]) -> Parsed:
        """A CREATE PROCEDURE with the statements of its body."""
        body = body_start(tokens)
        before = self.variables
        self.variables |= declared_names(tokens)
        declared = [loop for position in range(body) if (loop := cursor_at(tokens, position)) is not None]
        found = [item for loop in declared for item in self.learn(loop, is_cursor=True)]
        found += list(self.scan(tokens[body:]))
        inner = tuple(item._replace(variables=self.variables) for item in found)
        self.variables = before
        self.records = {}
        return Parsed(None, tokens, routine=inner, kind=f"CREATE {routine_kind(tokens)}")
