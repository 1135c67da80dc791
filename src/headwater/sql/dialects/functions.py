"""Functions by kind: aggregates, masking functions, functions with a unit as an argument."""

import re

from sqlglot import exp

from headwater.sql.walk.expression.transformation import AGGREGATION, TRANSFORMATION, Effect, masked

__all__ = ["DATE_UNITS", "effect_of_call", "is_unit_argument"]

_MASKING_TYPES: tuple[type[exp.Expr], ...] = tuple(
    getattr(exp, name)
    for name in ("MD5", "MD5Digest", "SHA", "SHA1Digest", "SHA2", "SHA2Digest", "FarmFingerprint", "StandardHash")
    if hasattr(exp, name)
)
_MASKING_NAMES = frozenset(
    {
        *("md5", "sha", "sha1", "sha2", "sha224", "sha256", "sha384", "sha512", "hash", "xxhash64", "xxhash", "crc32"),
        *("murmur_hash", "mask", "mask_hash", "mask_first_n", "mask_last_n", "mask_show_first_n", "mask_show_last_n"),
        *("cityhash64", "siphash64", "sha2_hex", "sha1_hex", "md5_hex", "farm_fingerprint", "hashbytes", "ora_hash"),
        *("fnv_hash", "murmurhash3_32", "checksum", "aes_encrypt", "encrypt", "hmac"),
    }
)
_AGGREGATE_NAMES = frozenset(
    {
        *("collect", "collect_list", "collect_set", "percentile", "percentile_approx", "bitmap_union", "hll_union"),
        *("wm_concat", "histogram", "map_agg", "multimap_agg", "numeric_histogram", "checksum_agg", "string_agg"),
        *("listagg", "group_concat", "array_agg", "json_agg", "jsonb_agg", "json_arrayagg", "json_objectagg"),
        *("xmlagg", "median", "mode", "regr_slope", "regr_intercept", "regr_r2", "bool_and", "bool_or", "every"),
    }
)
_POSITIONAL: tuple[type[exp.Expr], ...] = tuple(
    getattr(exp, name) for name in ("Lag", "Lead", "FirstValue", "LastValue", "NthValue") if hasattr(exp, name)
)
DATE_UNITS = frozenset(
    {
        *("year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond", "microsecond", "yy"),
        *(
            "yyyy",
            "qq",
            "mm",
            "dd",
            "dy",
            "wk",
            "ww",
            "hh",
            "mi",
            "ss",
            "ms",
            "ns",
            "nanosecond",
            "epoch",
            "dow",
            "doy",
        ),
        *("dayofyear", "dayofweek", "isoweek", "isoyear", "years", "months", "days", "hours", "minutes", "seconds"),
        *("dw", "weekday", "week_iso", "dayofweekiso", "decade", "century"),
    }
)


_TAKES_UNIT = re.compile(
    r"^(time|date|timestamp|datetime|ts)?_?(part|trunc|add|sub|diff|name|bucket|extract|floor|ceil)"
)


def effect_of_call(call: exp.Expr) -> Effect:
    """Effect of a function on its arguments."""
    if isinstance(call, exp.Count):
        return masked(AGGREGATION)
    if isinstance(call, _MASKING_TYPES):
        return masked(TRANSFORMATION)
    if isinstance(call, exp.AggFunc):
        return TRANSFORMATION if isinstance(call, _POSITIONAL) else AGGREGATION
    if isinstance(call, exp.Anonymous | exp.AnonymousAggFunc):
        name = call.name.casefold()
        if name in _MASKING_NAMES:
            return masked(TRANSFORMATION)
        if name in _AGGREGATE_NAMES:
            return AGGREGATION
    return TRANSFORMATION


def is_unit_argument(call: exp.Anonymous, argument: object) -> bool:
    """`DATE_PART(year, d)`: the bare word is a unit, not a column."""
    name = call.name.casefold()
    return (
        isinstance(argument, exp.Column)
        and not argument.args.get("table")
        and argument.name.casefold() in DATE_UNITS
        and len(call.expressions) > 1
        and _TAKES_UNIT.match(name) is not None
    )
