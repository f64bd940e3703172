"""Functions as sqlglot reads them: which node is which row of the table, and which arguments must be constants."""

from __future__ import annotations

import math
import string
from fractions import Fraction

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Expression, Literal
from discreet.plan.functions import call
from discreet.query.parse import quote_sql, refuse_other_parts
from discreet.query.scalars import formats, text_parts, times
from discreet.query.scalars.coercion import combine, fit_constant, to_text
from discreet.query.scalars.text_parts import read_constant_text
from discreet.query.scalars.times import Read, Reader

LONGEST_PAD = 1000
MOST_BUCKETS = 1_000_000

NUMBERS: dict[type[exp.Expression], str] = {
    exp.Abs: "abs",
    exp.Sign: "sign",
    exp.Floor: "floor",
    exp.Ceil: "ceil",
    exp.Trunc: "trunc",
    exp.Sqrt: "sqrt",
    exp.Exp: "exp",
    exp.Ln: "ln",
    exp.Sin: "sin",
    exp.Cos: "cos",
    exp.Tan: "tan",
    exp.Asin: "asin",
    exp.Acos: "acos",
    exp.Atan: "atan",
    exp.Radians: "radians",
    exp.Degrees: "degrees",
}
PAIRS: dict[type[exp.Expression], tuple[str, Type]] = {
    exp.IntDiv: ("int_div", Type.INTEGER),
    exp.Pow: ("pow", Type.FLOAT),
    exp.Atan2: ("atan2", Type.FLOAT),
    exp.DPipe: ("join", Type.TEXT),
    exp.StartsWith: ("starts_with", Type.TEXT),
    exp.EndsWith: ("ends_with", Type.TEXT),
    exp.Contains: ("contains", Type.TEXT),
}
TEXTS: dict[type[exp.Expression], str] = {
    exp.Lower: "lower",
    exp.Upper: "upper",
    exp.Length: "length",
    exp.Reverse: "reverse",
}
NOTES = {"safe", "coalesce", "ignore_nulls", "is_string", "typed", "fixed_size"}
"""What sqlglot notes about its own dialects."""


def _number(node: exp.Expression, read: Read) -> Expression:
    refuse_other_parts(node, {"this"}, {"decimals": "only ROUND takes digits; use ROUND(x, digits)"})
    return call(NUMBERS[type(node)], fit_constant(read(node.this), Type.FLOAT))


def _pair(node: exp.Expression, read: Read) -> Expression:
    refuse_other_parts(node, {"this", "expression"} | NOTES)
    name, type_ = PAIRS[type(node)]
    if name == "join":
        return call(name, *_join_texts(read(node.this), read(node.expression)))
    return call(name, *(fit_constant(read(each), type_) for each in (node.this, node.expression)))


def _join_texts(*both: Expression) -> tuple[Expression, ...]:
    """Return both sides of ||: beside a text, a whole number is one too."""
    mixed = any(each.type is Type.TEXT for each in both)
    return tuple(to_text(each) if mixed else fit_constant(each, Type.TEXT) for each in both)


def _text(node: exp.Expression, read: Read) -> Expression:
    refuse_other_parts(node, {"this"})
    return call(TEXTS[type(node)], fit_constant(read(node.this), Type.TEXT))


def _round(node: exp.Expression, read: Read) -> Expression:
    refuse_other_parts(node, {"this", "decimals"})
    value, digits = fit_constant(read(node.this), Type.FLOAT), node.args.get("decimals")
    if digits is None:
        return call("round", value)
    places = read(digits)
    given = places.value if isinstance(places, Literal) and places.type is Type.INTEGER else None
    if not isinstance(given, int) or not -38 <= given <= 38:
        raise QueryError(f"{quote_sql(node)}: the digits of ROUND must be a whole number from -38 to 38")
    return call("round", value, places)


def _log(node: exp.Expression, read: Read) -> Expression:
    """LOG(x) is of base 10, as in DuckDB."""
    refuse_other_parts(node, {"this", "expression"})
    if node.expression is None:
        return call("log10", fit_constant(read(node.this), Type.FLOAT))
    base = read(node.this)
    if not isinstance(base, Literal) or base.value not in (2, 10):
        raise QueryError(f"{quote_sql(node)}: logarithms have the base 10, 2 or e; use LN(x) / LN(base)")
    return call(f"log{base.value}", fit_constant(read(node.expression), Type.FLOAT))


def _pi(node: exp.Expression, read: Read) -> Expression:
    return Literal(Fraction(math.pi), Type.FLOAT)


def _extreme(node: exp.Expression, read: Read) -> Expression:
    refuse_other_parts(node, {"this", "expressions"} | NOTES)
    name = "least" if isinstance(node, exp.Least) else "greatest"
    return combine(name, *(read(each) for each in (node.this, *node.expressions)))


def _null_if(node: exp.Expression, read: Read) -> Expression:
    refuse_other_parts(node, {"this", "expression"})
    return combine("nullif", read(node.this), read(node.expression))


def _substring(node: exp.Expression, read: Read) -> Expression:
    refuse_other_parts(node, {"this", "start", "length"})
    numbers = [node.args.get("start"), node.args.get("length")]
    parts = [fit_constant(read(each), Type.INTEGER) for each in numbers if each is not None]
    return call("substring", fit_constant(read(node.this), Type.TEXT), *parts)


def _side(node: exp.Expression, read: Read) -> Expression:
    refuse_other_parts(node, {"this", "expression"})
    count = fit_constant(read(node.expression), Type.INTEGER)
    return call("left" if isinstance(node, exp.Left) else "right", fit_constant(read(node.this), Type.TEXT), count)


def _trim(node: exp.Expression, read: Read) -> Expression:
    refuse_other_parts(node, {"this", "expression", "position"})
    name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(node.args.get("position") or "BOTH"), "trim")
    letters = node.args.get("expression")
    given = () if letters is None else (read_constant_text(node, read(letters), "the characters to trim"),)
    return call(name, fit_constant(read(node.this), Type.TEXT), *given)


def _replace(node: exp.Expression, read: Read) -> Expression:
    refuse_other_parts(node, {"this", "expression", "replacement"})
    searched = read_constant_text(node, read(node.expression), "what is searched for")
    put = read_constant_text(node, read(node.args["replacement"]), "the replacement")
    if not searched.value:
        raise QueryError(f"{quote_sql(node)}: an empty text is found everywhere; search for at least one letter")
    return call("replace", fit_constant(read(node.this), Type.TEXT), searched, put)


def _concat(node: exp.Expression, read: Read) -> Expression:
    refuse_other_parts(node, {"expressions"} | NOTES)
    return call("concat", *(to_text(read(each)) for each in node.expressions))


def _position(node: exp.Expression, read: Read) -> Expression:
    refuse_other_parts(node, {"this", "substr"})
    return call("strpos", *(fit_constant(read(each), Type.TEXT) for each in (node.this, node.args["substr"])))


def _pad(node: exp.Expression, read: Read) -> Expression:
    refuse_other_parts(node, {"this", "expression", "fill_pattern", "is_left"})
    length, fill = read(node.expression), node.args.get("fill_pattern")
    count = length.value if isinstance(length, Literal) and length.type is Type.INTEGER else None
    if not isinstance(count, int) or not 0 <= count <= LONGEST_PAD:
        raise QueryError(f"{quote_sql(node)}: the length must be a constant from 0 to {LONGEST_PAD}")
    letters = Literal(" ", Type.TEXT) if fill is None else read_constant_text(node, read(fill), "the fill")
    if not letters.value:
        raise QueryError(f"{quote_sql(node)}: the fill must have at least one letter")
    return call(
        "lpad" if node.args.get("is_left") else "rpad", fit_constant(read(node.this), Type.TEXT), length, letters
    )


def _bucket(node: exp.Expression, read: Read) -> Expression:
    names = ("min_value", "max_value", "num_buckets")
    refuse_other_parts(node, {"this", *names})
    ends = [read(node.args[name]) for name in names if node.args.get(name) is not None]
    values = [each.value for each in ends if isinstance(each, Literal) and each.type.numeric]
    right = len(values) == 3 and isinstance(values[2], int) and 1 <= values[2] <= MOST_BUCKETS
    low, high = values[:2] if right else (0, 0)
    if not (isinstance(low, int | Fraction) and isinstance(high, int | Fraction) and float(low) < float(high)):
        raise QueryError(f"{quote_sql(node)}: write WIDTH_BUCKET(x, low, high, buckets) with constants, low below high")
    return call("width_bucket", fit_constant(read(node.this), Type.FLOAT), *ends)


def read_like(node: exp.Expression, read: Read, escape: exp.Expression | None = None) -> Expression:
    """LIKE and ILIKE, which lowers the letters of ASCII, with or without ESCAPE."""
    refuse_other_parts(node, {"this", "expression", "negate"})
    pattern, value = read(node.expression), fit_constant(read(node.this), Type.TEXT)
    if not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
        raise QueryError(f"{quote_sql(node)}: the pattern of LIKE must be a constant; use CONTAINS or STARTS_WITH")
    if isinstance(node, exp.ILike):
        value, pattern = call("lower", value), Literal(lower_ascii(pattern.value), Type.TEXT)
    given = () if escape is None else (_escape(node, read(escape), str(pattern.value)),)
    made = call("like", value, pattern, *given)
    return call("not", made) if node.args.get("negate") else made


def read_escaped_like(node: exp.Expression, read: Read) -> Expression:
    """LIKE ... ESCAPE 'c'."""
    refuse_other_parts(node, {"this", "expression"})
    if not isinstance(node.this, exp.Like | exp.ILike):
        raise QueryError(f"{quote_sql(node)}: ESCAPE stands after LIKE 'pattern' only")
    return read_like(node.this, read, node.expression)


def _escape(node: exp.Expression, found: Expression, pattern: str) -> Literal:
    letter = found.value if isinstance(found, Literal) else None
    if not isinstance(letter, str) or len(letter) != 1 or letter not in set(string.punctuation) - {"%", "_"}:
        raise QueryError(f"{quote_sql(node)}: ESCAPE takes one character such as '!' or '\\', no letter, %, or _")
    place = 0
    while place < len(pattern):
        if pattern[place] == letter:
            place += 1
            if pattern[place : place + 1] not in ("%", "_", letter):
                raise QueryError(f"{quote_sql(node)}: after {letter} in the pattern comes %, _ or {letter} itself")
        place += 1
    return Literal(letter, Type.TEXT)


def lower_ascii(text: str) -> str:
    """Return the text with the letters of ASCII in lower case, and no others changed."""
    return text.translate(str.maketrans(string.ascii_uppercase, string.ascii_lowercase))


def _named_pair(name: str) -> Reader:
    def reader(node: exp.Expression, read: Read) -> Expression:
        if len(node.expressions) != 2:
            raise QueryError(f"{quote_sql(node)}: this takes two texts")
        return call(name, *(fit_constant(read(each), Type.TEXT) for each in node.expressions))

    return reader


READERS: dict[type[exp.Expression], Reader] = {
    **dict.fromkeys(NUMBERS, _number),
    **dict.fromkeys(PAIRS, _pair),
    **dict.fromkeys(TEXTS, _text),
    exp.Round: _round,
    exp.Log: _log,
    exp.Pi: _pi,
    exp.Least: _extreme,
    exp.Greatest: _extreme,
    exp.Nullif: _null_if,
    exp.Substring: _substring,
    exp.Left: _side,
    exp.Right: _side,
    exp.Trim: _trim,
    exp.Replace: _replace,
    exp.Concat: _concat,
    exp.StrPosition: _position,
    exp.Pad: _pad,
    exp.WidthBucket: _bucket,
    exp.Like: read_like,
    exp.ILike: read_like,
    exp.Escape: read_escaped_like,
    **times.READERS,
    **formats.READERS,
    **text_parts.READERS,
}

NAMED: dict[str, Reader] = {
    "prefix": _named_pair("starts_with"),
    "suffix": _named_pair("ends_with"),
    **times.NAMED,
    **formats.NAMED,
    **text_parts.NAMED,
}
"""Functions that sqlglot does not know, by their names in lower case."""
