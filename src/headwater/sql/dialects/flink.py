"""Flink's grammar, which sqlglot does not have."""

from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect, NormalizationStrategy
from sqlglot.generator import Generator
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import TokenType
from sqlglot.tokens import Tokenizer

__all__ = ["Descriptor", "Flink", "MetadataColumn", "TableArgument"]


class TableArgument(exp.Expression):
    """A table handed to a function: `TABLE orders PARTITION BY user_id`."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "partition_by": False, "order": False}


class Descriptor(exp.Expression):
    """Columns named to a function: `DESCRIPTOR(ts)`."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}


class MetadataColumn(exp.Expression):
    """`METADATA [FROM 'key'] [VIRTUAL]` behind a column type."""

    arg_types: ClassVar[dict[str, bool]] = {"this": False, "virtual": False}


_NESTED_TYPES = frozenset({"ROW", "MULTISET", "RAW", "STRUCTURED"})


def _table_argument_sql(generator: Generator, node: exp.Expr) -> str:
    keys = node.args.get("partition_by") or ()
    by = f" PARTITION BY ({', '.join(generator.sql(key) for key in keys)})" if keys else ""
    return f"TABLE {generator.sql(node, 'this')}{by}{generator.sql(node, 'order')}"


class FlinkParser(Parser):
    """The clauses of Flink that no other dialect has."""

    CONSTRAINT_PARSERS: ClassVar[Any] = {
        **Parser.CONSTRAINT_PARSERS,
        "METADATA": lambda self: self._parse_metadata(),
        "WATERMARK": lambda self: self._parse_watermark(),
    }
    SCHEMA_UNNAMED_CONSTRAINTS: ClassVar[Any] = {*Parser.SCHEMA_UNNAMED_CONSTRAINTS, "WATERMARK"}
    FUNCTION_PARSERS: ClassVar[Any] = {
        **Parser.FUNCTION_PARSERS,
        "DESCRIPTOR": lambda self: self._parse_descriptor(),
        "JSON_EXISTS": lambda self: self._parse_json_call("JSON_EXISTS"),
        "JSON_QUERY": lambda self: self._parse_json_call("JSON_QUERY"),
        "JSON_VALUE": lambda self: self._parse_json_call("JSON_VALUE"),
    }
    FUNCTIONS: ClassVar[Any] = {
        **Parser.FUNCTIONS,
        "TIMESTAMPADD": lambda args: exp.Anonymous(this="TIMESTAMPADD", expressions=args),
        "TIMESTAMPDIFF": lambda args: exp.Anonymous(this="TIMESTAMPDIFF", expressions=args),
        "TABLE": lambda args: exp.TableFromRows(this=args[0] if args else None),
    }
    FUNC_TOKENS: ClassVar[Any] = Parser.FUNC_TOKENS | {TokenType.TABLE, TokenType.ROW, TokenType.SESSION}
    PROPERTY_PARSERS: ClassVar[Any] = {
        **Parser.PROPERTY_PARSERS,
        "DISTRIBUTED": lambda self: self._parse_distribution(),
    }

    def _parse_metadata(self) -> exp.Expr:
        key = self._parse_string() if self._match(TokenType.FROM) else None
        return self.expression(MetadataColumn(this=key, virtual=self._match_text_seq("VIRTUAL")))

    def _parse_watermark(self) -> exp.Expr:
        self._match(TokenType.FOR)
        column = self._parse_column()
        self._match(TokenType.ALIAS)
        return self.expression(exp.WatermarkColumnConstraint(this=column, expression=self._parse_disjunction()))

    def _parse_descriptor(self) -> exp.Expr:
        return self.expression(Descriptor(expressions=self._parse_csv(self._parse_column)))

    def _parse_json_call(self, name: str) -> exp.Expr:
        """The document and the path; RETURNING, ON ERROR and the like do not matter for lineage."""
        arguments = self._parse_csv(self._parse_bitwise)
        depth = 0
        while self._curr and not (depth == 0 and self._curr.token_type == TokenType.R_PAREN):
            depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(self._curr.token_type, 0)
            self._advance()
        return self.expression(exp.Anonymous(this=name, expressions=arguments))

    def _parse_distribution(self) -> exp.Expr:
        self._match_text_seq("BY") or self._match_text_seq("INTO")
        self._match_texts(("HASH", "RANGE"))
        columns = self._parse_wrapped_id_vars() if self._match(TokenType.L_PAREN, advance=False) else []
        self._match_text_seq("INTO")
        buckets = self._parse_number()
        self._match_text_seq("BUCKETS")
        return self.expression(exp.DistributedByProperty(expressions=columns, kind="HASH", buckets=buckets))

    def _parse_create_like(self) -> exp.LikeProperty | None:
        table = self._parse_table_parts(schema=True)
        options: list[exp.Expr] = []
        if self._match(TokenType.L_PAREN):
            while self._curr and not self._match(TokenType.R_PAREN):
                kind = self._curr.text.upper()
                self._advance()
                value = self._curr.text.upper()
                self._advance()
                options.append(exp.Property(this=kind, value=exp.var(value)))
        return self.expression(exp.LikeProperty(this=table, expressions=options))

    def _parse_table_argument(self) -> exp.Expr | None:
        if not self._match(TokenType.TABLE):
            return None
        if self._match(TokenType.L_PAREN, advance=False):
            this = self._parse_wrapped(self._parse_select)
        else:
            this = self._parse_table_parts()
        partition_by: list[exp.Expr] = []
        if self._match(TokenType.PARTITION_BY):
            if self._match(TokenType.L_PAREN, advance=False):
                partition_by = self._parse_wrapped_csv(self._parse_column)
            else:
                partition_by = [column for column in [self._parse_column()] if column is not None]
        return self.expression(TableArgument(this=this, partition_by=partition_by, order=self._parse_argument_order()))

    def _parse_argument_order(self) -> exp.Expr | None:
        """ORDER BY behind a table argument: one column, or several in parentheses; a comma ends the argument."""
        if not self._match(TokenType.ORDER_BY):
            return None
        if self._match(TokenType.L_PAREN, advance=False):
            return self.expression(exp.Order(expressions=self._parse_wrapped_csv(self._parse_ordered)))
        ordered = self._parse_ordered()
        return self.expression(exp.Order(expressions=[ordered] if ordered is not None else []))

    def _parse_lambda(self, alias: bool = False) -> exp.Expr | None:
        if self._curr.token_type == TokenType.TABLE and self._next.token_type != TokenType.L_PAREN:
            return self._parse_table_argument()
        if self._curr.token_type == TokenType.TABLE and self._is_table_query_ahead():
            return self._parse_table_argument()
        if self._next.token_type == TokenType.FARROW:
            name = self._parse_id_var()
            self._match(TokenType.FARROW)
            value = self._parse_lambda()
            return self.expression(exp.Kwarg(this=exp.var(name.name if name else ""), expression=value))
        if self._curr.text.upper() == "MODEL" and self._next.token_type not in (TokenType.COMMA, TokenType.R_PAREN):
            self._advance()
            model = self._parse_table_parts()
            return exp.Literal.string(model.sql() if model is not None else "")
        return super()._parse_lambda(alias)

    def _is_table_query_ahead(self) -> bool:
        after = self._index + 2
        return after < self._tokens_size and self._tokens[after].token_type in (TokenType.SELECT, TokenType.WITH)

    def _parse_bracket(self, this: exp.Expr | None = None) -> exp.Expr | None:
        """MAP['key', value] builds a map; the parser takes it for an element of a column called map."""
        result: exp.Expr | None = super()._parse_bracket(this)
        if isinstance(result, exp.Bracket) and isinstance(result.this, exp.Column):
            column = result.this
            if column.name.upper() == "MAP" and not column.table and not column.this.args.get("quoted"):
                return self.expression(exp.Anonymous(this="MAP", expressions=result.expressions))
        return result

    def _parse_types(self, *args: Any, **kwargs: Any) -> exp.Expr | None:
        word = self._curr.text.upper() if self._curr else ""
        if word in _NESTED_TYPES and self._curr.token_type is not TokenType.IDENTIFIER:
            opener = self._next.token_type
            schema = bool(kwargs.get("schema"))
            if opener == TokenType.LT or (opener == TokenType.L_PAREN and (schema or word == "RAW")):
                return self._parse_nested_type()
        if word == "INTERVAL" and kwargs.get("schema"):
            return self._parse_interval_type()
        result: exp.Expr | None = super()._parse_types(*args, **kwargs)
        return self._parse_postfix_collection(result)

    def _parse_postfix_collection(self, this: exp.Expr | None) -> exp.Expr | None:
        """`INT ARRAY` and `INT MULTISET`."""
        while isinstance(this, exp.DataType) and self._curr.text.upper() in ("ARRAY", "MULTISET"):
            if self._next.token_type in (TokenType.LT, TokenType.L_BRACKET):
                break
            kind = f"{this.sql()} {self._curr.text.upper()}"
            self._advance()
            this = exp.DataType(this=exp.DType.USERDEFINED, kind=kind)
        return this

    def _parse_interval_type(self) -> exp.Expr:
        """INTERVAL DAY(3) TO SECOND(6)."""
        start = self._curr
        self._advance(2)
        self._parse_wrapped_csv(self._parse_number, optional=True)
        if self._match_text_seq("TO"):
            self._advance()
            self._parse_wrapped_csv(self._parse_number, optional=True)
        return exp.DataType(this=exp.DType.USERDEFINED, kind=self._find_sql(start, self._prev))

    def _parse_nested_type(self) -> exp.Expr:
        """ROW<..>, MULTISET<..>: kept as text, since no lineage depends on it."""
        start = self._curr
        self._advance()
        depth = 0
        while self._curr:
            text = self._curr.text
            depth += text.count("<") + text.count("(") - text.count(">") - text.count(")")
            self._advance()
            if depth <= 0:
                break
        return exp.DataType(this=exp.DType.USERDEFINED, kind=self._find_sql(start, self._prev))

    def _parse_match_recognize(self) -> exp.MatchRecognize | None:
        """Drop `WITHIN INTERVAL ..`: it bounds the pattern, and is read by no other dialect."""
        if self._curr.token_type != TokenType.MATCH_RECOGNIZE:
            return None
        tokens = self._tokens
        position = self._index
        while position < len(tokens) and tokens[position].text.upper() not in ("WITHIN", "DEFINE"):
            position += 1
        if position < len(tokens) and tokens[position].text.upper() == "WITHIN":
            end = position
            while end < len(tokens) and tokens[end].text.upper() != "DEFINE":
                end += 1
            self._tokens = [*tokens[:position], *tokens[end:]]
            self._tokens_size = len(self._tokens)
        return super()._parse_match_recognize()


class Flink(Dialect):
    """Apache Flink SQL: backticks quote, names keep their case."""

    NORMALIZATION_STRATEGY = NormalizationStrategy.CASE_SENSITIVE
    ALIAS_POST_VERSION = True

    class Tokenizer(Tokenizer):
        IDENTIFIERS: ClassVar[Any] = ["`"]
        QUOTES: ClassVar[Any] = ["'"]
        KEYWORDS: ClassVar[Any] = {
            **Tokenizer.KEYWORDS,
            "BYTES": TokenType.VARBINARY,
            "MATCH_RECOGNIZE": TokenType.MATCH_RECOGNIZE,
            "MINUS": TokenType.EXCEPT,
            "STRING": TokenType.TEXT,
            "TIMESTAMP_LTZ": TokenType.TIMESTAMPLTZ,
        }

    Parser = FlinkParser

    class Generator(Generator):
        TRANSFORMS: ClassVar[Any] = {
            **Generator.TRANSFORMS,
            Descriptor: lambda self, node: f"DESCRIPTOR({self.expressions(node, flat=True)})",
            MetadataColumn: lambda _, node: f"METADATA{' VIRTUAL' if node.args.get('virtual') else ''}",
            TableArgument: _table_argument_sql,
        }
