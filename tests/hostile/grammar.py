"""Expressions of the dialect by type: every function of `plan.functions`, written as an analyst would."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence

from discreet.base.types import Type
from hostile.world import Col

WHOLE = (
    ("add", "({i} + {i})"),
    ("sub", "({i} - {i})"),
    ("mul", "({i} * {i})"),
    ("neg", "(-{i})"),
    ("int_div", "({i} // {i})"),
    ("mod", "({i} % {i})"),
    ("abs", "ABS({i})"),
    ("sign", "SIGN({n})"),
    ("round", "ROUND({i}, -2)"),
    ("width_bucket", "WIDTH_BUCKET({n}, -1.5, 10, 4)"),
    ("case", "CASE WHEN {b} THEN {i} WHEN {b} THEN {i} END"),
    ("coalesce", "COALESCE({i}, {i}, 3)"),
    ("nullif", "NULLIF({i}, {i})"),
    ("least", "LEAST({i}, {i})"),
    ("greatest", "GREATEST({i}, {i})"),
    ("as_integer", "CAST({f} AS BIGINT)"),
    ("as_integer", "CAST({t} AS INTEGER)"),
    ("as_integer", "CAST({e} AS INTEGER)"),
    ("as_integer", "CAST({b} AS INTEGER)"),
    ("length", "LENGTH({t})"),
    ("strlen", "STRLEN({t})"),
    ("strpos", "STRPOS({t}, {t})"),
    ("date_part", "EXTRACT(year FROM {d})"),
    ("date_part", "DATE_PART('dow', {m})"),
    ("date_part", "SECOND({m})"),
    ("date_diff", "DATE_DIFF('day', {d}, {d})"),
    ("date_diff", "DATE_DIFF('microsecond', {m}, {m})"),
    ("date_diff", "DATE_DIFF('month', {d}, {m})"),
    ("date_diff", "({d} - {d})"),
)
FLOAT = (
    ("add", "({f} + {n})"),
    ("sub", "({n} - {f})"),
    ("mul", "({f} * {n})"),
    ("neg", "(-{f})"),
    ("div", "({n} / {n})"),
    ("mod", "({f} % {n})"),
    ("abs", "ABS({f})"),
    ("floor", "FLOOR({f})"),
    ("ceil", "CEIL({f})"),
    ("trunc", "TRUNC({f})"),
    ("round", "ROUND({f}, 2)"),
    *((name, name.upper() + "({n})") for name in ("sqrt", "exp", "ln", "log10", "log2", "sin", "cos", "tan", "asin")),
    *((name, name.upper() + "({n})") for name in ("acos", "atan", "radians", "degrees")),
    ("pow", "POW({n}, 2)"),
    ("pow", "POW({n}, {f})"),
    ("atan2", "ATAN2({f}, {n})"),
    ("case", "CASE WHEN {b} THEN {f} ELSE {n} END"),
    ("coalesce", "COALESCE({f}, {n})"),
    ("nullif", "NULLIF({f}, {n})"),
    ("least", "LEAST({f}, {n})"),
    ("greatest", "GREATEST({f}, {n})"),
    ("as_float", "CAST({t} AS DOUBLE)"),
    ("as_float", "CAST({i} AS DOUBLE)"),
)
DECIMAL = (
    ("add", "({e} + {e})"),
    ("add", "({i} + {e})"),
    ("sub", "({e} - {i})"),
    ("mul", "({e} * {e})"),
    ("mul", "({i} * {e})"),
    ("mod", "({e} % {e})"),
    ("neg", "(-{e})"),
    ("abs", "ABS({e})"),
    ("floor", "FLOOR({e})"),
    ("ceil", "CEIL({e})"),
    ("trunc", "TRUNC({e})"),
    ("round", "ROUND({e}, 1)"),
    ("case", "CASE WHEN {b} THEN {e} ELSE {i} END"),
    ("coalesce", "COALESCE({e}, {i}, 0.25)"),
    ("nullif", "NULLIF({e}, {n})"),
    ("least", "LEAST({e}, {i})"),
    ("greatest", "GREATEST({e}, {e})"),
    ("as_decimal", "CAST({n} AS DECIMAL(9, 2))"),
    ("as_decimal", "CAST({t} AS DECIMAL(18, 4))"),
    ("as_decimal", "CAST({i} AS DECIMAL)"),
)
TEXT = (
    ("lower", "LOWER({t})"),
    ("upper", "UPPER({t})"),
    ("reverse", "REVERSE({t})"),
    ("substring", "SUBSTRING({t}, {i}, {i})"),
    ("left", "LEFT({t}, {i})"),
    ("right", "RIGHT({t}, 2)"),
    ("trim", "TRIM({t})"),
    ("trim", "TRIM({t}, 'ni')"),
    ("ltrim", "LTRIM({t}, 'n')"),
    ("rtrim", "RTRIM({t})"),
    ("replace", "REPLACE({t}, 'o', '\u00e9')"),
    ("split_part", "SPLIT_PART({t}, 'o', 2)"),
    ("regexp_replace", "REGEXP_REPLACE({t}, '[^a-z]+', '\u00e9')"),
    ("regexp_replace_all", "REGEXP_REPLACE({t}, '[aeiou]', '', 'g')"),
    ("split_part", "SPLIT_PART({t}, '\u00e9', -1)"),
    ("strftime", "STRFTIME({m}, '%Y-%m-%d %H:%M:%S')"),
    ("strftime", "STRFTIME({d}, '%a %b %j %y')"),
    ("monthname", "MONTHNAME({d})"),
    ("dayname", "DAYNAME({m})"),
    ("join", "({t} || {t})"),
    ("concat", "CONCAT({t}, {t})"),
    ("lpad", "LPAD({t}, 4, '*')"),
    ("rpad", "RPAD({t}, 3, 'ab')"),
    ("as_text", "CAST({i} AS TEXT)"),
    ("as_text", "CAST({d} AS TEXT)"),
    ("case", "CASE WHEN {b} THEN {t} ELSE 'else' END"),
    ("coalesce", "COALESCE({t}, 'none')"),
    ("nullif", "NULLIF({t}, {t})"),
    ("least", "LEAST({t}, {t})"),
)
TRUTH = (
    ("eq", "{n} = {n}"),
    ("eq", "{t} = {t}"),
    ("eq", "{d} = {m}"),
    ("ne", "{i} <> {n}"),
    ("lt", "{n} < {n}"),
    ("lt", "{t} < {t}"),
    ("le", "{d} <= {d}"),
    ("gt", "{m} > {d}"),
    ("gt", "{f} > {n}"),
    ("ge", "{m} >= {m}"),
    ("ge", "{n} BETWEEN {n} AND {n}"),
    ("distinct", "{n} IS DISTINCT FROM {n}"),
    ("distinct", "{t} IS NOT DISTINCT FROM {t}"),
    ("and", "({b} AND {b})"),
    ("or", "({b} OR {b})"),
    ("not", "(NOT {b})"),
    ("is_true", "({b} IS TRUE)"),
    ("is_false", "({b} IS NOT FALSE)"),
    ("is_null", "{a} IS NULL"),
    ("is_null", "{a} IS NOT NULL"),
    ("in", "{i} IN (1, 2, 5, NULL)"),
    ("in", "{t} NOT IN ('north', 'null', '')"),
    ("in", "{f} IN (0, 0.5)"),
    ("in", "{e} IN (0.01, 1.25, 3)"),
    ("le", "{e} <= {n}"),
    ("like", "{t} LIKE '%o_%'"),
    ("like", "{t} NOT ILIKE 'N!%%' ESCAPE '!'"),
    ("starts_with", "STARTS_WITH({t}, {t})"),
    ("ends_with", "ENDS_WITH({t}, 'h')"),
    ("contains", "CONTAINS({t}, {t})"),
    ("as_boolean", "CAST({i} AS BOOLEAN)"),
    ("as_boolean", "CAST({t} AS BOOLEAN)"),
    ("as_boolean", "CAST({f} AS BOOLEAN)"),
)
DAY = (
    ("date_trunc", "DATE_TRUNC('month', {d})"),
    ("date_trunc", "DATE_TRUNC('week', {d})"),
    ("last_day", "LAST_DAY({d})"),
    ("plus_months", "({d} + INTERVAL 13 MONTH)"),
    ("plus_days", "({d} - 40)"),
    ("plus_days", "({d} + {i})"),
    ("as_date", "CAST({m} AS DATE)"),
    ("as_date", "CAST({t} AS DATE)"),
    ("make_date", "MAKE_DATE({i}, 2, {i})"),
    ("coalesce", "COALESCE({d}, DATE '2020-01-01')"),
    ("greatest", "GREATEST({d}, {d})"),
)
MOMENT = (
    ("time_trunc", "DATE_TRUNC('hour', {m})"),
    ("time_trunc", "DATE_TRUNC('second', {d})"),
    ("date_trunc", "DATE_TRUNC('year', {m})"),
    ("plus_months", "({m} - INTERVAL 2 YEAR)"),
    ("plus_days", "({m} + INTERVAL 3 WEEK)"),
    ("plus_microseconds", "({m} + INTERVAL 90 MINUTE)"),
    ("plus_microseconds", "({d} - INTERVAL 1 HOUR)"),
    ("as_timestamp", "CAST({d} AS TIMESTAMP)"),
    ("as_timestamp", "CAST({t} AS TIMESTAMP)"),
    ("strptime", "STRPTIME({t}, '%d/%m/%Y %H:%M')"),
    ("strptime", "STRPTIME(CAST({d} AS TEXT), '%Y-%m-%d')"),
    ("case", "CASE WHEN {b} THEN {m} END"),
)
TEMPLATES = {"i": WHOLE, "f": FLOAT, "e": DECIMAL, "t": TEXT, "b": TRUTH, "d": DAY, "m": MOMENT}
LETTERS = {Type.INTEGER: "i", Type.FLOAT: "f", Type.DECIMAL: "e", Type.TEXT: "t", Type.BOOLEAN: "b", Type.DATE: "d"}
LETTERS[Type.TIMESTAMP] = "m"
TYPES = {"i": Type.INTEGER, "f": Type.FLOAT, "t": Type.TEXT, "b": Type.BOOLEAN, "d": Type.DATE, "m": Type.TIMESTAMP}
TYPES["e"] = Type.DECIMAL

CONSTANTS = {
    "i": ("0", "1", "-1", "3", "7", "9007199254740993", "9223372036854775807"),
    "f": ("0.5", "-0.0", "1e308", "2.25", "0.1", "1e-1"),
    "e": ("0.01", "-0.5", "1.25", "99.99", "123456789.123456789"),
    "t": ("'north'", "''", "'null'", "'o'", "'a''b'", "'\u00e9'"),
    "b": ("TRUE", "FALSE"),
    "d": ("DATE '2020-01-02'", "DATE '9999-12-31'", "DATE '0001-01-01'"),
    "m": ("TIMESTAMP '2020-01-01 00:00:00'", "TIMESTAMP '9999-12-31 23:59:59'"),
}
PLACE = re.compile(r"\{([a-z])\}")


class Writer:
    """Writes expressions; of some templates at random it takes the one that was written least."""

    def __init__(self, rng: random.Random, used: Counter[str]) -> None:
        self.random, self.used = rng, used

    def write(self, letter: str, columns: Sequence[Col], depth: int) -> str:
        """Return an expression of a type: i f e t b d m, n for numbers and a for any."""
        rng = self.random
        if letter in "na":
            letter = rng.choice("ife" if letter == "n" else "ifetbdm")
        if depth <= 0 or rng.random() < 0.1:
            return self.leaf(letter, columns)
        tried = rng.sample(TEMPLATES[letter], 4)
        name, template = min(tried, key=lambda each: self.used[each[0]])
        self.used[name] += 1
        return PLACE.sub(lambda found: self.write(found.group(1), columns, depth - 1), template)

    def leaf(self, letter: str, columns: Sequence[Col]) -> str:
        fitting = [each.sql for each in columns if LETTERS[each.type] == letter]
        if fitting and self.random.random() < 0.8:
            return self.random.choice(fitting)
        return self.random.choice(CONSTANTS[letter])

    def bounded(self, columns: Sequence[Col], depth: int | None = None) -> str:
        """Return a number that has public bounds."""
        rng = self.random
        depth = rng.choice([1, 1, 1, 2]) if depth is None else depth
        plain = [each.sql for each in columns if each.bounded]
        way = rng.random()
        if plain and way < 0.35:
            return rng.choice(plain)
        if plain and way < 0.5:
            one, two = rng.choice(plain), rng.choice(plain)
            return rng.choice([f"({one} * 2 - {two})", f"ABS({one} - 3)", f"GREATEST({one}, {two})", f"{one} / 4"])
        return (
            f"LEAST(GREATEST({self.write('n', columns, depth)}, {rng.choice([-50, 0, -0.5])}), {rng.choice([9, 50])})"
        )

    def condition(self, columns: Sequence[Col], depth: int | None = None) -> str:
        return self.write("b", columns, self.random.choice([1, 1, 2]) if depth is None else depth)
