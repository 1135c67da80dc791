"""Kind of a statement, from its first tokens."""

from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.parse.tokenize import word

__all__ = [
    "CONTROL",
    "STARTERS",
    "body_start",
    "created_kind",
    "declared_names",
    "dynamic_sql",
    "is_body",
    "is_command",
    "is_table_variable",
    "next_semicolon",
    "outfile_position",
    "routine_kind",
    "starts_statement",
]

STARTERS = frozenset(
    {"INSERT", "UPDATE", "DELETE", "MERGE", "SELECT", "WITH", "CREATE", "TRUNCATE", "DROP", "ALTER", "COPY", "UNLOAD"}
)
CONTROL = frozenset(
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
        *("ROLLBACK", "COMMENT", "LOCK", "UNLOCK", "DELIMITER", "HELP", "PUT", "GET", "REMOVE", "REPAIR", "BULK"),
    }
)
_TEXTS = (TokenType.STRING, TokenType.NATIONAL_STRING, TokenType.HEREDOC_STRING, TokenType.RAW_STRING)
_NO_NAMES = frozenset(
    {"IN", "OUT", "INOUT", "VARIADIC", "CURSOR", "TYPE", "PRAGMA", "FUNCTION", "PROCEDURE", "BEGIN", "("}
)
_NOT_AFTER = frozenset({"ON", "AFTER", "BEFORE", "OR", "INSTEAD", "OF", "GRANT", "REVOKE"})


def starts_statement(tokens: list[Token], position: int, text: str) -> bool:
    if text == "UPDATE" and word(tokens, position - 1) == "FOR":
        return False
    if text not in STARTERS or (word(tokens, position - 1) in _NOT_AFTER and text != "SELECT"):
        return False
    if text == "WITH":
        return tokens[position + 1].token_type != TokenType.L_PAREN if position + 1 < len(tokens) else False
    return not (text in ("UPDATE", "INSERT", "DELETE") and word(tokens, position + 1) == "(")


def is_command(tokens: list[Token], commands: frozenset[TokenType]) -> bool:
    """A statement that carries no query, or that only our own reading of its tokens understands."""
    first, second = word(tokens, 0), word(tokens, 1)
    if first in ("EXECUTE", "EXEC", "REPLACE") or (first, second) == ("EXPORT", "DATA"):
        return False
    return (
        first in _COMMANDS
        or tokens[0].token_type in commands
        or (first == "LOAD" and any(word(tokens, position) == "INFILE" for position in range(2, 5)))
        or (second in ("MODULE", "MODULES") and first in ("LOAD", "UNLOAD", "USE"))
        or (second in ("CATALOG", "CONNECTION", "JAR") and first in ("CREATE", "DROP", "ALTER", "ADD"))
        or (first, second) in {("DROP", "MODEL"), ("ALTER", "MODEL")}
    )


def declared_names(tokens: list[Token]) -> frozenset[str]:
    """The parameters and variables of a routine or a block: names that are no columns."""
    names: set[str] = set()
    begin = next((position for position in range(len(tokens)) if word(tokens, position) == "BEGIN"), len(tokens))
    header = next((position for position in range(begin) if word(tokens, position) in ("IS", "AS")), begin)
    opening = next((position for position in range(header) if word(tokens, position) == "("), begin)
    section = listed = False
    fresh = opening < begin and word(tokens, 0) in ("CREATE", "ALTER", "REPLACE")
    depth = 0
    for position in range(opening if fresh else 0, len(tokens)):
        text = word(tokens, position)
        kind = tokens[position].token_type
        depth += {"(": 1, ")": -1}.get(text, 0)
        if text == "DECLARE" or (text in ("IS", "AS") and position < begin and depth == 0 and not section):
            section, fresh = True, True
        elif text == "BEGIN":
            section, fresh = False, False
        elif text in ("LET", "FOR") and depth == 0:
            names.add(word(tokens, position + 1).casefold())
        elif fresh and text not in _NO_NAMES and kind in (TokenType.VAR, TokenType.IDENTIFIER):
            names.add(tokens[position].text.casefold())
            fresh, listed = False, section and word(tokens, position + 1) == ","
        elif text == "," and listed:
            fresh, listed = True, False
        elif text in (",", "(") and depth == 1 and position < begin and not section:
            fresh = True
        elif kind == TokenType.SEMICOLON:
            fresh = section
    return frozenset(names - {""})


def dynamic_sql(tokens: list[Token], position: int) -> str | None:
    """The text that EXECUTE IMMEDIATE or EXEC runs: empty where it is put together at run time, None where neither."""
    first, second = word(tokens, position), word(tokens, position + 1)
    if first not in ("EXECUTE", "EXEC"):
        return None
    start = position + 2 if second in ("IMMEDIATE", "(", "SP_EXECUTESQL") else 0
    if not start:
        return None
    if word(tokens, start) == "(":
        start += 1
    token = tokens[start] if start < len(tokens) else None
    literal = token is not None and token.token_type in _TEXTS and " " in token.text.strip()
    joined = word(tokens, start + 1) in ("||", "+", ".", "(")
    return token.text if token is not None and literal and not joined else ""


def outfile_position(tokens: list[Token]) -> int | None:
    """Position of INTO OUTFILE in a query."""
    for position in range(len(tokens) - 2):
        if tokens[position].token_type == TokenType.INTO and word(tokens, position + 1) in ("OUTFILE", "DUMPFILE"):
            return position
    return None


def created_kind(tokens: list[Token]) -> str:
    position = 1
    while word(tokens, position) in ("OR", "REPLACE"):
        position += 1
    return word(tokens, position)


def is_table_variable(tokens: list[Token], position: int) -> bool:
    """DECLARE @t TABLE (..)."""
    return (
        position + 4 < len(tokens)
        and tokens[position + 1].token_type == TokenType.PARAMETER
        and word(tokens, position + 3) == "TABLE"
        and word(tokens, position + 4) == "("
    )


def routine_kind(tokens: list[Token]) -> str:
    for position in range(1, min(8, len(tokens))):
        text = word(tokens, position)
        if text in ("PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "PACKAGE"):
            return "PROCEDURE" if text == "PROC" else text
    return ""


def body_start(tokens: list[Token]) -> int:
    """Behind the BEGIN of the body, or behind AS where there is none."""
    for position in range(len(tokens)):
        if word(tokens, position) == "BEGIN" or is_body(tokens[position]):
            return position
    for position in range(len(tokens)):
        if word(tokens, position) in ("AS", "IS"):
            return position + 1
    return 0


def is_body(token: Token) -> bool:
    return token.token_type in (TokenType.HEREDOC_STRING, TokenType.RAW_STRING) or (
        token.token_type == TokenType.STRING and "begin" in token.text.casefold() and ";" in token.text
    )


def next_semicolon(tokens: list[Token], position: int) -> int:
    while position < len(tokens) and tokens[position].token_type != TokenType.SEMICOLON:
        position += 1
    return position
