"""Decimals as they are meant: what every call on decimals gives, computed with fractions, beside worst values of them.

Nothing here knows how engines hold a decimal but `places`: tables have whole numbers of last places, as sources read.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Call, Column, Expression, Literal, find_columns
from discreet.plan.functions import call
from discreet.plan.scales import find_scale

SHORT = Column("t", "e", Type.DECIMAL, digits=(15, 2))
LONG = Column("t", "w", Type.DECIMAL, digits=(37, 9))
WHOLE = Column("t", "i", Type.INTEGER)
FLOAT = Column("t", "f", Type.FLOAT)
COLUMNS = (SHORT, LONG, WHOLE, FLOAT)

VALUES: dict[str, list[Any]] = {
    "e": [None, 0, 1, -1, 7, -7, 50, -50, 149, 150, -150, 250, -250, 10**15 - 1, -(10**15) + 1],
    "w": [None, 0, 70_000_000, -70_000_000, 500_000_000, 10**9, -(15 * 10**8), 10**37 - 1, -(10**37) + 1, 3],
    "i": [None, 0, 1, -1, 7, -50, 2**53 + 1, 2**63 - 1, -(2**63)],
    "f": [None, 0.0, -0.5, 0.07, 0.285, 1.005, 2.5, -2.5, 1e9, 1e300, -1e300, math.inf, -math.inf, math.nan],
}
"""Of decimals, how many last places they are."""

KINDS = {"e": pa.int64(), "w": pa.decimal128(38, 0), "i": pa.int64(), "f": pa.float64()}

CONSTANTS: list[Expression] = [
    Literal(Fraction(each), Type.DECIMAL) for each in ("0", "0.07", "-0.5", "1.5", "0.000000001", "123456789.125")
]
HUGE = Literal(Fraction(-(10**30)), Type.DECIMAL)
"""Of more digits than engines have, beside a column with nine behind the point."""

NUMBERS: list[Expression] = [*COLUMNS, *CONSTANTS, HUGE, Literal(3, Type.INTEGER), Literal(None, Type.DECIMAL)]
PAIRED = ("eq", "ne", "lt", "le", "gt", "ge", "distinct", "in", "nullif", "add", "sub", "mul", "mod", "div")
SINGLE = ("neg", "abs", "sign", "floor", "ceil", "trunc", "round", "as_integer", "as_boolean", "as_float", "is_null")
LISTED = ("coalesce", "least", "greatest")


def make_rows() -> list[dict[str, Any]]:
    """Return rows in which all values of every two columns meet."""
    listed = []
    for first, second in itertools.combinations(VALUES, 2):
        for one, two in itertools.product(VALUES[first], VALUES[second]):
            listed.append({**dict.fromkeys(VALUES), first: one, second: two})
    return listed


def make_table() -> pa.Table:
    """Return the rows as a table, each with its place."""
    rows = make_rows()
    columns = {name: pa.array([row[name] for row in rows], kind) for name, kind in KINDS.items()}
    return pa.table({**columns, "row": pa.array(range(len(rows)), pa.int64())})


def list_calls() -> list[Call]:
    """Return every call on decimals: alone, in pairs, and with digits."""
    return [made for made in _list_all() if Type.DECIMAL in (made.type, *(each.type for each in made.arguments))]


def _list_all() -> Iterator[Call]:
    for name in SINGLE:
        yield from _made(name, [(each,) for each in NUMBERS[:5]])
    for name in (*PAIRED, *LISTED):
        yield from _made(name, [(a, b) for a, b in itertools.product(NUMBERS, NUMBERS) if isinstance(a, Column)])
    digits = [Literal(each, Type.INTEGER) for each in (-38, -30, -9, -1, 0, 1, 2, 8, 9, 38)]
    yield from _made("round", itertools.product((SHORT, LONG), digits))
    sizes = [
        (Literal(a, Type.INTEGER), Literal(b, Type.INTEGER)) for a, b in ((18, 3), (4, 2), (2, 0), (18, 18), (5, 1))
    ]
    yield from _made("as_decimal", [(each, *size) for each in COLUMNS for size in sizes])
    condition = call("gt", SHORT, CONSTANTS[1])
    yield from _made("case", [(condition, a, b) for a, b in itertools.product(NUMBERS[:5], NUMBERS[:5])])


def _made(name: str, given: Any) -> Iterator[Call]:
    for arguments in given:
        try:
            yield call(name, *arguments)
        except QueryError:
            continue


MOST = 8 * 10**37
"""Last places of what engines hold; beyond, there is no value."""


def evaluate(expression: Expression, row: dict[str, Any]) -> Any:
    """Return the value of an expression: a fraction, a float, a truth or None."""
    if isinstance(expression, Column):
        value = row[expression.name]
        exact = expression.type is not Type.FLOAT and value is not None
        return Fraction(value, 10 ** find_scale(expression)) if exact else value
    if isinstance(expression, Literal):
        value = expression.value
        return value if value is None or expression.type is not Type.FLOAT else float(value)  # type: ignore[arg-type]
    values = [evaluate(each, row) for each in expression.arguments]
    name, types = expression.function, [each.type for each in expression.arguments]
    if name == "case":
        return values[1] if values[0] else values[2]
    if name == "is_null":
        return values[0] is None
    if Type.FLOAT in (*types, expression.type) and name not in ("as_decimal", "as_integer"):
        values = [None if each is None else float(each) for each in values]
    elif name in (*COMPARED, *LISTED, "nullif", "add", "sub", "mod"):
        values = _align(values, expression)
    found = _compute(name, values)
    if expression.type is Type.DECIMAL and found is not None:
        return None if abs(found) * 10 ** find_scale(expression) >= MOST else found
    return found


def _align(values: list[Any], made: Call) -> list[Any]:
    """What is beyond all digits at the last place of its partners is no value; but any constant can be compared."""
    scale = max(find_scale(each) for each in made.arguments)
    any_constant = made.function in (*COMPARED, "distinct")
    return [
        value
        if value is None or abs(value) * 10**scale < MOST or (any_constant and isinstance(each, Literal))
        else None
        for value, each in zip(values, made.arguments, strict=True)
    ]


COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "in": operator.eq,
}


def _compute(name: str, values: list[Any]) -> Any:
    if name in LISTED:
        present = [each for each in values if each is not None]
        chosen: dict[str, Callable[[list[Any]], Any]] = {
            "coalesce": lambda all: all[0],
            "least": _least,
            "greatest": _most,
        }
        return chosen[name](present) if present else None
    if name == "distinct":
        return (None in values and values[0] is not values[1]) or (None not in values and not _equal(*values))
    if values[0] is None or (None in values and name != "nullif"):
        return None
    if name in COMPARED:
        return COMPARED[name](*(_sort_key(each) for each in values))
    if name == "nullif":
        return None if values[1] is not None and _equal(*values) else values[0]
    if name == "div":
        return None if values[1] == 0 else _divide(*values)
    return COMPUTED[name](*values)


def _sort_key(value: Any) -> tuple[bool, Any]:
    """NaN equals itself and lies above all numbers."""
    return (True, 0) if value != value else (False, value)


def _equal(a: Any, b: Any) -> bool:
    return _sort_key(a) == _sort_key(b)


def _first(values: list[Any]) -> Any:
    return values[0]


def _least(values: list[Any]) -> Any:
    return min(values, key=_sort_key)


def _most(values: list[Any]) -> Any:
    return max(values, key=_sort_key)


def _divide(a: float, b: float) -> float:
    try:
        return a / b
    except OverflowError:
        return math.inf


def _remainder(a: Any, b: Any) -> Any:
    if b == 0 or isinstance(a, float):
        held = b != 0 and not math.isinf(a) and a == a and b == b
        return math.fmod(a, b) if held else None
    return a - b * math.trunc(a / b)


def _round(value: Any, digits: int = 0) -> Any:
    unit = Fraction(10) ** -digits
    size = math.floor(abs(value) / unit + Fraction(1, 2)) * unit
    return size if value >= 0 else -size


def _cast(value: Any, digits: int, scale: int) -> Any:
    if isinstance(value, float):
        if not math.isfinite(value * 10.0**scale):
            return None
        value = Fraction(value * 10.0**scale) / 10**scale
    found = _round(Fraction(value), scale)
    return found if abs(found) * 10**scale < 10**digits else None


def _to_integer(value: Any) -> Any:
    found = int(_round(value))
    return found if -(2**63) <= found < 2**63 else None


COMPUTED: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "mod": _remainder,
    "neg": operator.neg,
    "abs": abs,
    "sign": lambda value: (value > 0) - (value < 0),
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "round": _round,
    "as_decimal": _cast,
    "as_integer": _to_integer,
    "as_boolean": bool,
    "as_float": float,
}


def list_differences(
    calls: list[Call], write: Callable[[Expression], str], run: Callable[[str], list[Any]]
) -> list[Any]:
    """Return calls whose values on an engine are not what they are meant to be, with a row each."""
    rows, wrong = make_rows(), []
    known: dict[tuple[Any, ...], Any] = {}
    for at in range(0, len(calls), 30):
        some = calls[at : at + 30]
        listed = ", ".join(f"{write(made)} AS x{place}" for place, made in enumerate(some))
        for place, *values in run(f"SELECT t.row, {listed} FROM t"):
            for made, found in zip(some, values, strict=True):
                row = rows[int(place)]
                key = (id(made), *(row[column.name] for column in find_columns(made)))
                if key not in known:
                    known[key] = evaluate(made, row)
                expected = known[key]
                if not _is_same(made, found, expected):
                    wrong.append((made, rows[int(place)], found, expected))
    return wrong


def _is_same(made: Call, found: Any, expected: Any) -> bool:
    if found is None or expected is None:
        return found is expected
    if made.type is Type.FLOAT:
        return (
            found == expected
            or (found != found and expected != expected)
            or math.isclose(found, expected, rel_tol=1e-15)
        )
    return bool(found == expected * 10 ** find_scale(made)) if made.type is not Type.BOOLEAN else found is expected


def list_wrong_ends(
    write: Callable[[str, int, int], str], run: Callable[[str], tuple[Any, ...]], digits: int
) -> list[tuple[int, int]]:
    """Return the kinds of decimals of so many digits whose ends are not read as the whole number of last places."""
    most, wrong = 10**digits - 1, []
    for scale in range(digits + 1):
        whole = str(most).zfill(scale + 1)
        text = f"{whole[:-scale]}.{whole[-scale:]}" if scale else whole
        ends = (f"CAST('{sign}{text}' AS DECIMAL({digits},{scale}))" for sign in ("", "-"))
        found = run(f"SELECT {', '.join(write(end, digits, scale) for end in ends)}")
        if [int(each) for each in found] != [most, -most]:
            wrong.append((digits, scale))
    return wrong
