"""Fallback for CREATE statements that the parser rejects: name, columns and query."""

from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.parse.tokenize import closing, word

__all__ = ["as_create_table", "as_select_one", "essential_create"]

_KINDS = frozenset({"TABLE", "VIEW", "MODEL"})
_QUERY_STARTS = frozenset({"SELECT", "WITH", "(", "FROM", "VALUES", "TABLE"})


def essential_create(tokens: list[Token]) -> tuple[list[Token], list[Token]] | None:
    """CREATE [TEMPORARY] TABLE|VIEW name (columns), and the query behind AS, without all that stands between."""
    if word(tokens, 0) not in ("CREATE", "REPLACE"):
        return None
    kind = next((position for position in range(1, min(12, len(tokens))) if word(tokens, position) in _KINDS), None)
    if kind is None:
        return None
    position = kind + 1
    while word(tokens, position) in ("IF", "NOT", "EXISTS"):
        position += 1
    start = position
    position += 1
    while position + 1 < len(tokens) and tokens[position].token_type == TokenType.DOT:
        position += 2
    name = tokens[start:position]
    columns: list[Token] = []
    if word(tokens, position) == "(" and word(tokens, position + 1) not in ("SELECT", "WITH", "("):
        end = closing(tokens, position)
        columns = _plain_columns(tokens[position : end + 1])
        position = end + 1
    temporary = [token for token in tokens[1:kind] if token.token_type == TokenType.TEMPORARY]
    temporary += [token for token in tokens[1:kind] if word([token], 0) == "VOLATILE"]
    made = _like(tokens[kind], TokenType.TABLE, "TABLE") if word(tokens, kind) == "MODEL" else tokens[kind]
    head = [tokens[0], *temporary, made, *name, *columns]
    query = _query_start(tokens, position)
    if query is None:
        return (head, []) if columns else None
    return head, tokens[query + 1 :]


_CONSTRAINTS = frozenset(
    {"PRIMARY", "CONSTRAINT", "UNIQUE", "WATERMARK", "PERIOD", "KEY", "INDEX", "CHECK", "FOREIGN", "LIKE", "EXCLUDE"}
)


def _plain_columns(tokens: list[Token]) -> list[Token]:
    """The column list with every type made plain: only names, computed expressions and VIRTUAL count."""
    opening, comma, end = tokens[0], None, tokens[-1]
    result: list[Token] = [opening]
    for definition in _split_at_commas(tokens[1:-1]):
        if not definition or word(definition, 0) in _CONSTRAINTS:
            continue
        plain = _plain_column(definition)
        if len(result) > 1:
            comma = comma or _like(opening, TokenType.COMMA, ",")
            result.append(comma)
        result.extend(plain)
    return [*result, end] if len(result) > 1 else []


def _split_at_commas(tokens: list[Token]) -> list[list[Token]]:
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        text = token.text if token.token_type not in (TokenType.STRING, TokenType.IDENTIFIER) else ""
        depth += text.count("(") + text.count("<") - text.count(")") - text.count(">")
        if text == "," and depth <= 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _plain_column(definition: list[Token]) -> list[Token]:
    name = definition[0]
    if len(definition) == 1 or word(definition, 1) == "AS":
        return definition
    plain = [name, _like(name, TokenType.INT, "INT")]
    for position in range(1, len(definition)):
        if word(definition, position) == "METADATA":
            virtual = [token for token in definition[position:] if word([token], 0) == "VIRTUAL"]
            return [*plain, definition[position], *virtual] if virtual else plain
    return plain


def _like(token: Token, kind: TokenType, text: str) -> Token:
    return Token(kind, text, token.line, token.col, token.start, token.end)


def as_select_one(token: Token) -> list[Token]:
    """`AS SELECT 1`, to be replaced by the real query."""
    return [
        _like(token, TokenType.ALIAS, "AS"),
        _like(token, TokenType.SELECT, "SELECT"),
        _like(token, TokenType.NUMBER, "1"),
    ]


def as_create_table(token: Token) -> list[Token]:
    return [_like(token, TokenType.CREATE, "CREATE"), _like(token, TokenType.TABLE, "TABLE")]


def _query_start(tokens: list[Token], position: int) -> int | None:
    """The AS in front of the query, outside of all parentheses."""
    depth = 0
    for here in range(position, len(tokens)):
        text = word(tokens, here)
        if text == "(":
            depth += 1
        elif text == ")":
            depth -= 1
        elif depth == 0 and text == "AS" and word(tokens, here + 1) in _QUERY_STARTS:
            return here
    return None
