"""Profile of each dialect: its grammar, how it folds names, and its differences."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from sqlglot.dialects.dialect import Dialect, NormalizationStrategy

from headwater.sql.dialects.differences import DIFFERENCES, Feature, Naming, Transparent
from headwater.sql.dialects.flink import Flink
from headwater.sql.errors import UnknownDialect

__all__ = ["DIALECTS", "Profile", "profile_of"]


def _as_written(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class Profile:
    """Properties of a dialect, beyond its grammar, that the walk needs."""

    name: str
    dialect: Dialect
    fold: Callable[[str], str]
    """How an unquoted identifier is stored."""
    structs: bool
    """`a.b` may be the field b of the column a."""
    lateral_aliases: bool
    """An alias may be used by the projections after it."""
    lambdas: bool
    """`x -> f(x)` is a function; elsewhere the arrow takes a field out of JSON."""
    implicit_recursion: bool
    """A CTE may read itself without the word RECURSIVE."""
    use_names_catalog: bool
    """`USE x` names a catalog (database), not a schema."""
    double_quotes_strings: bool
    """Double quotes hold a string, not a name."""
    naming: Naming
    transparent: Transparent
    features: Feature


DIALECTS = tuple(DIFFERENCES)
"""Every name that `analyze` takes."""


@lru_cache(maxsize=64)
def profile_of(name: str) -> Profile:
    """Find a dialect by any of its names.

    >>> profile_of("MariaDB").dialect.__class__.__name__
    'MySQL'
    """
    key = name.casefold()
    if key not in DIALECTS:
        raise UnknownDialect(name, DIALECTS)
    grammar, naming, transparent, features = DIFFERENCES[key]
    dialect = Flink() if grammar == "flink" else Dialect.get_or_raise(grammar)
    strategy = dialect.normalization_strategy
    fold: Callable[[str], str] = _as_written
    if key in ("hive", "impala", "athena"):
        fold = str.lower
    elif key not in ("ansi", "flink"):
        if strategy is NormalizationStrategy.LOWERCASE:
            fold = str.lower
        elif strategy is NormalizationStrategy.UPPERCASE:
            fold = str.upper
    return Profile(
        name=key,
        dialect=dialect,
        fold=fold,
        structs=Feature.STRUCTS in features,
        lateral_aliases=Feature.LATERAL_ALIASES in features,
        lambdas=Feature.LAMBDAS in features,
        implicit_recursion=Feature.IMPLICIT_RECURSION in features,
        use_names_catalog=Feature.USE_NAMES_CATALOG in features,
        double_quotes_strings='"' in dialect.tokenizer_class.QUOTES,
        naming=naming,
        transparent=transparent,
        features=features,
    )
