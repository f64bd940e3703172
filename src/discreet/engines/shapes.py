"""What a form is, the SQL of a call from the SQL of its arguments, and the guard that makes one total."""

from __future__ import annotations

from collections.abc import Callable

from discreet.plan.expressions import Call, Expression, Literal
from discreet.plan.patterns import Pattern, parse_pattern

MOST_WHOLE = 8 * 10**37
"""What whole numbers are held below where they could be larger: less than 2^126, by more than floats are wrong."""

Form = Callable[[list[str], Call], str]


def write_infix(word: str) -> Form:
    """Return the form that writes a word between two arguments."""
    return lambda arguments, made: f"({arguments[0]} {word} {arguments[1]})"


def write_call(word: str) -> Form:
    """Return the form that calls a function that is total by itself."""
    return lambda arguments, made: f"{word}({', '.join(arguments)})"


def write_fitting(word: str, first: str, second: str, double: Callable[[str], str], most: str) -> str:
    """Return a sum or a product of whole numbers, NULL where it is not below `most`; floats tell before it is made."""
    size = f"abs({double(first)} {word} {double(second)})"
    return f"({first} {word} (CASE WHEN {size} < {most} THEN {second} END))"


def read_pattern(made: Call) -> Pattern:
    """Return the constant pattern of a call."""
    pattern = made.arguments[1]
    assert isinstance(pattern, Literal)
    assert isinstance(pattern.value, str)
    return parse_pattern(pattern.value)


def write_multiple(word: str, value: str, unit: str) -> str:
    """Return the nearest multiple of a unit that is not above a whole number, or for `ceil` not below it."""
    if word == "floor":
        return f"({value} - ({value} % {unit} + {unit}) % {unit})"
    return f"({value} + ({unit} - {value} % {unit}) % {unit})"


def count_zeros(expression: Expression) -> int:
    """Return the exponent of a constant power of ten."""
    assert isinstance(expression, Literal)
    return len(str(expression.value)) - 1


def read_count(expression: Expression) -> int | None:
    """Return a constant whole number; None for what is none."""
    value = expression.value if isinstance(expression, Literal) else None
    return value if isinstance(value, int) else None


def write_within(value: str, low: str, high: str) -> str:
    """Return the value, or NULL where it is not from `low` to `high`; NaN lies above all numbers.

    Put around an argument, it keeps a function from what it cannot take, in whatever order the engine works.
    """
    return f"(CASE WHEN {value} BETWEEN {low} AND {high} THEN {value} END)"
