"""Text to syntax trees, one per statement; a broken statement does not affect the others."""

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from headwater.sql.dialects.profiles import Profile
from headwater.sql.limits import Budget, Limits
from headwater.sql.parse.parsed_statement import Parsed, column_of
from headwater.sql.parse.read_statements import StatementReader
from headwater.sql.parse.remove_clauses import first_row_only
from headwater.sql.parse.statement_start import (
    CONTROL,
    body_start,
    created_kind,
    declared_names,
    is_command,
    outfile_position,
    routine_kind,
)
from headwater.sql.parse.tokenize import Piece, pieces_of, word

__all__ = ["Parsed", "parse_script"]


def parse_script(sql: str, profile: Profile, budget: Budget) -> Iterator[Parsed]:
    """Every statement of a script; one that cannot be parsed does not spoil the others."""
    reader = StatementReader(sql, profile, budget)
    for piece in pieces_of(sql, profile):
        if word(piece.tokens, 0) in ("DECLARE", "BEGIN"):
            reader.variables |= declared_names(piece.tokens)
        for parsed in _parse_piece(reader, piece, budget.limits):
            yield parsed._replace(variables=reader.variables) if reader.variables else parsed


def _parse_piece(reader: StatementReader, piece: Piece, limits: Limits) -> Iterator[Parsed]:
    tokens = piece.tokens
    if piece.error:
        yield Parsed(None, [], piece.error, piece.line, piece.column)
        return
    if len(tokens) > limits.statement_tokens:
        tokens = first_row_only(tokens)
    if len(tokens) > limits.statement_tokens:
        message = f"the statement has {len(tokens)} tokens, more than the limit of {limits.statement_tokens}"
        yield Parsed(None, tokens[:1], message, tokens[0].line, column_of(tokens[0]))
        return
    first = word(tokens, 0)
    if piece.routine:
        if routine_kind(tokens) == "FUNCTION":
            yield Parsed(exp.Command(this="CREATE FUNCTION", expression=""), tokens)
        else:
            yield reader.routine(tokens)
    elif first == "SELECT" and outfile_position(tokens) is not None:
        yield reader.outfile(tokens)
    elif first == "UNLOAD" and word(tokens, 1) == "(":
        yield reader.unload(tokens)
    elif first == "CREATE" and created_kind(tokens) in ("TASK", "ALERT", "PIPE"):
        yield from reader.scan(tokens[body_start(tokens) :])
    elif first in CONTROL or (len(tokens) > 1 and tokens[1].token_type == TokenType.COLON and first):
        yield from reader.scan(tokens)
    elif is_command(tokens, reader.commands):
        yield Parsed(exp.Command(this=first), tokens)
    else:
        yield from reader.parse(tokens)
