"""The table of allowed functions: one row each, with its types, and how large its results can be.

Types come from this table alone. Every function is total: an engine's form of it returns a value or NULL on whatever
the data holds, and never raises. Whole numbers are computed exactly, in 126 bits: a sum or a product that could need
more (`may_overflow`) is NULL in the rows in which it does. `call` proves that no other function makes a larger one,
that no text grows without limit, and that no expression is too large once it is written out for an engine. Decimals are
exact too: engines compute them as whole numbers (`plan.lowering`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan import signatures as takes
from discreet.plan.expressions import COLUMN_BITS, Call, Column, Expression, Literal
from discreet.plan.growths import (
    NO_GROWTH,
    Growth,
    bound_any,
    bound_by,
    bound_joined,
    replace_constant,
    replace_often,
    replace_once,
)
from discreet.plan.scales import MOST_SCALE, find_scale

MOST_BITS = 126
"""Whole numbers are held in 128 bits with a sign; one bit is kept spare."""

MOST_SIZE = 5_000
"""Nodes of one expression, each as often as an engine may write it."""

MOST_COPIED = 32
"""An argument of more nodes is computed once by every form that needs it several times."""

MOST_DEPTH = 200
"""Levels of one expression once it is written out: fewer than any step or engine can go down."""

MOST_GROWTH, MOST_LETTERS = 64, 100_000
"""How many times as long as a column's text a result may be, and how many letters of constants it may hold."""

HELD = frozenset({"add", "sub", "mul"})
"""Functions whose forms hold whole numbers to 126 bits: a larger one is NULL."""

HELD_NODES, HELD_COPIES = 6, 4
"""How many nodes more an engine writes for each argument of a call that is held, or on decimals, and how often a short
one."""


@dataclass(frozen=True, slots=True)
class Function:
    """A row of the table: the word that SQL has for it, and the result's type for given types, None where refused.

    `copies` bounds how often an engine's form writes an argument that is no column, where it is short: forms that need
    a longer one several times compute it first.
    """

    name: str
    word: str
    result: takes.Signature
    bits: Callable[[list[int]], int] = max
    growth: Callable[[list[Growth]], Growth] = bound_any
    copies: int = 1

    @property
    def levels(self) -> int:
        """As how many levels it counts: forms that guard an argument nest more deeply than those that write it once."""
        return 1 if self.copies == 1 else 4


def _bits(count: int) -> Callable[[list[int]], int]:
    return lambda bits: count


_INFIX = (("eq", "="), ("ne", "<>"), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="))
_CURVES = ("sqrt", "exp", "ln", "log10", "log2", "sin", "cos", "tan", "asin", "acos", "atan", "radians", "degrees")
_STEPS = ("floor", "ceil", "trunc")
_TEXT_TO_TEXT = ("lower", "upper")
_SEARCHES = ("starts_with", "ends_with", "contains")

FUNCTIONS = {
    row.name: row
    for row in (
        *(Function(name, word, takes.comparison) for name, word in _INFIX),
        Function("distinct", "IS DISTINCT FROM", takes.comparison),
        Function("and", "AND", takes.logic),
        Function("or", "OR", takes.logic),
        Function("not", "NOT", takes.logic),
        Function("is_true", "IS TRUE", takes.logic),
        Function("is_false", "IS FALSE", takes.logic),
        Function("is_null", "IS NULL", lambda types: Type.BOOLEAN),
        Function("in", "IN", takes.membership, copies=4),
        Function("add", "+", takes.arithmetic, lambda bits: max(bits) + 1),
        Function("sub", "-", takes.arithmetic, lambda bits: max(bits) + 1),
        Function("mul", "*", takes.arithmetic, sum),
        Function("neg", "-", takes.arithmetic),
        Function("div", "/", takes.floating, copies=2),
        Function("int_div", "//", takes.whole, lambda bits: bits[0], copies=2),
        Function("mod", "%", takes.arithmetic, copies=6),
        Function("abs", "ABS", takes.arithmetic),
        Function("sign", "SIGN", lambda types: Type.INTEGER if takes.arithmetic(types) else None, _bits(1), copies=4),
        *(Function(name, name.upper(), takes.arithmetic, copies=9) for name in _STEPS),
        Function("round", "ROUND", takes.rounded, lambda bits: bits[0] + (len(bits) > 1), copies=10),
        *(Function(name, name.upper(), takes.floating, copies=8) for name in _CURVES),
        Function("pow", "POW", takes.floating, copies=3),
        Function("atan2", "ATAN2", takes.floating, copies=8),
        Function("width_bucket", "WIDTH_BUCKET", takes.bucket, lambda bits: bits[3] + 1, copies=5),
        Function("case", "CASE", takes.case),
        Function("coalesce", "COALESCE", takes.same),
        Function("nullif", "NULLIF", takes.first, lambda bits: bits[0], copies=2),
        Function("least", "LEAST", takes.same),
        Function("greatest", "GREATEST", takes.same),
        Function("as_boolean", "CAST AS BOOLEAN", takes.to_type(Type.BOOLEAN), copies=2),
        Function("as_integer", "CAST AS INTEGER", takes.to_type(Type.INTEGER), _bits(COLUMN_BITS), copies=2),
        Function("as_decimal", "CAST AS DECIMAL", takes.decimal, lambda bits: bits[1], copies=10),
        Function("as_float", "CAST AS DOUBLE", takes.to_type(Type.FLOAT), copies=6),
        Function("as_text", "CAST AS TEXT", takes.to_type(Type.TEXT), growth=bound_by(40), copies=3),
        Function("as_date", "CAST AS DATE", takes.to_type(Type.DATE)),
        Function("as_timestamp", "CAST AS TIMESTAMP", takes.to_type(Type.TIMESTAMP), copies=2),
        Function("like", "LIKE", takes.texts(Type.BOOLEAN, 2, 3)),
        *(Function(name, name.upper(), takes.texts(Type.TEXT, 1, 1)) for name in _TEXT_TO_TEXT),
        Function("reverse", "REVERSE", takes.texts(Type.TEXT, 1, 1), copies=2),
        *(Function(name, name.upper(), takes.texts(Type.BOOLEAN, 2, 2)) for name in _SEARCHES),
        Function("length", "LENGTH", takes.exactly(Type.INTEGER, Type.TEXT), _bits(COLUMN_BITS)),
        Function("strpos", "STRPOS", takes.texts(Type.INTEGER, 2, 2), _bits(COLUMN_BITS)),
        Function("substring", "SUBSTRING", takes.sliced, copies=3),
        Function("left", "LEFT", takes.sliced, copies=3),
        Function("right", "RIGHT", takes.sliced, copies=3),
        *(Function(name, name.upper(), takes.texts(Type.TEXT, 1, 2)) for name in ("trim", "ltrim", "rtrim")),
        Function("replace", "REPLACE", takes.texts(Type.TEXT, 3, 3), growth=replace_constant),
        Function("join", "||", takes.texts(Type.TEXT, 2, 2), growth=bound_joined),
        Function("concat", "CONCAT", takes.texts(Type.TEXT, 1), growth=bound_joined),
        Function("strlen", "STRLEN", takes.texts(Type.INTEGER, 1, 1), _bits(32)),
        Function("split_part", "SPLIT_PART", takes.exactly(Type.TEXT, Type.TEXT, Type.TEXT, Type.INTEGER), copies=2),
        Function("regexp_replace", "REGEXP_REPLACE", takes.texts(Type.TEXT, 3, 3), growth=replace_once),
        Function("regexp_replace_all", "REGEXP_REPLACE", takes.texts(Type.TEXT, 3, 3), growth=replace_often),
        Function("lpad", "LPAD", takes.exactly(Type.TEXT, Type.TEXT, Type.INTEGER, Type.TEXT), growth=bound_by(4000)),
        Function("rpad", "RPAD", takes.exactly(Type.TEXT, Type.TEXT, Type.INTEGER, Type.TEXT), growth=bound_by(4000)),
        Function("date_trunc", "DATE_TRUNC", takes.moments(None, first=1, shape=2), copies=3),
        Function("time_trunc", "DATE_TRUNC", takes.moments(Type.TIMESTAMP, first=1, shape=2), copies=3),
        Function("date_part", "EXTRACT", takes.moments(Type.INTEGER, first=1, shape=2), _bits(14), copies=3),
        Function("date_diff", "DATE_DIFF", takes.moments(Type.INTEGER, first=1, shape=3), _bits(COLUMN_BITS), copies=3),
        Function("last_day", "LAST_DAY", takes.moments(Type.DATE, first=0, shape=1), copies=3),
        Function("plus_months", "+ INTERVAL", takes.moved(None), copies=3),
        Function("plus_days", "+ INTERVAL", takes.moved(None), copies=6),
        Function("plus_microseconds", "+ INTERVAL", takes.moved(Type.TIMESTAMP), copies=3),
    )
}


FLOATING = frozenset({takes.floating, takes.bucket, FUNCTIONS["as_float"].result})
"""Rules of functions that are computed in floats, whatever numbers they are given."""


class UnfitError(QueryError):
    """A function of types that it cannot be applied to; who knows the text puts it in front."""


def call(name: str, *arguments: Expression) -> Call:
    """Return a typed call, or refuse the types it was given.

    >>> one = Literal(1, Type.INTEGER)
    >>> call("add", one, one).type
    <Type.INTEGER: 'integer'>
    """
    row = FUNCTIONS[name]
    arguments = _fit_constants(row, arguments)
    types = tuple(argument.type for argument in arguments)
    result = row.result(types)
    if result is None:
        given = " and ".join(dict.fromkeys(str(each) for each in types))
        raise UnfitError(f"{row.word} cannot be applied to {given}; {_remedy(name, types)}")
    made = Call(name, arguments, result)
    _check(made)
    return made


def _fit_constants(row: Function, arguments: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """Return arguments of which decimal constants are floats where they meet one, or a function of floats."""
    floats = row.result in FLOATING or any(argument.type is Type.FLOAT for argument in arguments)
    return tuple(
        Literal(each.value, Type.FLOAT) if floats and isinstance(each, Literal) and each.type is Type.DECIMAL else each
        for each in arguments
    )


def _remedy(name: str, types: takes.Types) -> str:
    if name == "as_text":
        dates = types[0] is Type.TIMESTAMP
        return (
            "cast to DATE first, or use EXTRACT" if dates else "cast to INTEGER first, as in CAST(ROUND(x) AS INTEGER)"
        )
    if name == "int_div":
        return "use FLOOR(x / y)"
    if name in ("join", "concat"):
        return "write CAST(x AS TEXT)"
    kinds = set(types)
    if name in ("div", "mul") and kinds & {Type.DATE, Type.TIMESTAMP}:
        return (
            "dates have parts and differences: write DATE_TRUNC('month', x), or DATE_DIFF('day', DATE '2026-01-01', x)"
        )
    if kinds == {Type.DATE, Type.INTEGER} or kinds == {Type.TIMESTAMP, Type.INTEGER}:
        return "write dates in single quotes, as in '2026-03-01'"
    if Type.BOOLEAN in kinds and len(kinds) == 2:
        return "compare a condition with TRUE or FALSE, or leave the comparison out"
    if Type.TEXT in kinds and len(kinds) == 2 and any(each.numeric for each in kinds):
        return "write numbers without quotes and texts in single ones, or CAST one of them"
    return "compare or combine values of one type, or CAST one of them"


def count_bits(expression: Expression, seen: dict[int, int] | None = None) -> int:
    """Return how many bits, without the sign, the whole numbers of an expression take at most, once they are held."""
    found = _count_bits(expression, {} if seen is None else seen)
    return min(found, MOST_BITS) if isinstance(expression, Call) and expression.function in HELD else found


def may_overflow(made: Call) -> bool:
    """Say whether a sum or a product of whole numbers could take more bits than are held, so that it is NULL there."""
    return made.function in HELD and _count_bits(made, {}) > MOST_BITS


def _count_bits(expression: Expression, seen: dict[int, int]) -> int:
    if expression.type is not Type.INTEGER:
        return 0
    if isinstance(expression, Column):
        digits = expression.digits
        return expression.bits if digits is None else min((10 ** digits[0] - 1).bit_length(), MOST_BITS)
    if isinstance(expression, Literal):
        return expression.value.bit_length() if isinstance(expression.value, int) else 0
    if id(expression) not in seen:
        row = FUNCTIONS[expression.function]
        seen[id(expression)] = row.bits([count_bits(each, seen) for each in expression.arguments] or [0])
    return seen[id(expression)]


def bound_growth(expression: Expression) -> Growth:
    """Return how long the texts of an expression are at most."""
    if expression.type is not Type.TEXT:
        return NO_GROWTH
    if isinstance(expression, Column):
        return Fraction(1), Fraction(0)
    if isinstance(expression, Literal):
        return Fraction(0), Fraction(len(expression.value.encode()) if isinstance(expression.value, str) else 0)
    row = FUNCTIONS[expression.function]
    return row.growth([bound_growth(argument) for argument in expression.arguments])


def count_nodes(expression: Expression, seen: dict[int, int] | None = None) -> int:
    """Return how many nodes an engine writes for an expression at most: arguments count as often as they are copied."""
    if isinstance(expression, Column):
        return 1
    if isinstance(expression, Literal):
        return 1 + (len(expression.value) // 100 if isinstance(expression.value, str) else 0)
    seen = {} if seen is None else seen
    if id(expression) not in seen:
        sizes = [count_nodes(argument, seen) for argument in expression.arguments]
        if expression.function == "in":
            sizes = [sizes[0], sum(sizes[1:]) // 20]
        copies = FUNCTIONS[expression.function].copies
        if _has_guard(expression):
            sizes, copies = [size + HELD_NODES for size in sizes], max(copies, HELD_COPIES)
        seen[id(expression)] = 1 + sum(size * (copies if size <= MOST_COPIED else 1) for size in sizes)
    return seen[id(expression)]


def count_levels(expression: Expression, seen: dict[int, int] | None = None) -> int:
    """Return how deeply an expression is nested once it is written out: 1 for a column."""
    if not isinstance(expression, Call):
        return 1
    seen = {} if seen is None else seen
    if id(expression) not in seen:
        own = FUNCTIONS[expression.function].levels + 4 * _has_guard(expression)
        seen[id(expression)] = own + max((count_levels(each, seen) for each in expression.arguments), default=0)
    return seen[id(expression)]


def _has_guard(made: Call) -> bool:
    """Say whether engines write more around its arguments than they do for small whole numbers."""
    return Type.DECIMAL in (made.type, *(argument.type for argument in made.arguments)) or may_overflow(made)


def check_expression(expression: Expression) -> Expression:
    """Return the expression, or refuse one that could be too large anywhere; for those not made by `call` alone.

    An expression that was put in the place of a column is larger than the column was.
    """
    if isinstance(expression, Call):
        _check(expression)
        for argument in expression.arguments:
            check_expression(argument)
    return expression


def _check(made: Call) -> None:
    word = FUNCTIONS[made.function].word
    if count_levels(made) > MOST_DEPTH:
        raise QueryError(
            f"{word} here makes an expression that is nested more than {MOST_DEPTH} deep once it is written out; "
            f"write it flatter, or ask for its parts by themselves"
        )
    if count_nodes(made) > MOST_SIZE:
        raise QueryError(
            f"{word} here makes an expression of more than {MOST_SIZE} parts once it is written out; "
            f"nest it less deeply, or ask for its parts by themselves"
        )
    if count_bits(made) > MOST_BITS:
        raise QueryError(
            f"{word} here could make a whole number of more than 38 digits; write CAST(... AS BIGINT) in it, "
            "which is NULL where 64 bits do not hold it"
        )
    if find_scale(made) > MOST_SCALE:
        raise QueryError(
            f"{word} here has more than {MOST_SCALE} digits behind the point; CAST its arguments to DECIMALs of fewer, "
            "or one of them AS DOUBLE"
        )
    factor, letters = bound_growth(made)
    if factor > MOST_GROWTH or letters > MOST_LETTERS:
        raise QueryError(
            f"{word} here could make a text more than {MOST_GROWTH} times as long as a column's, "
            f"or add more than {MOST_LETTERS} letters; join fewer texts"
        )
