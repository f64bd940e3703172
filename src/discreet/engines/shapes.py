"""What a form is, the SQL of a call from the SQL of its arguments, and the guard that makes one total."""

from __future__ import annotations

from collections.abc import Callable

from discreet.plan.expressions import Call

Form = Callable[[list[str], Call], str]


def write_infix(word: str) -> Form:
    """Return the form that writes a word between two arguments."""
    return lambda arguments, made: f"({arguments[0]} {word} {arguments[1]})"


def write_call(word: str) -> Form:
    """Return the form that calls a function that is total by itself."""
    return lambda arguments, made: f"{word}({', '.join(arguments)})"


def write_within(value: str, low: str, high: str) -> str:
    """Return the value, or NULL where it is not from `low` to `high`; NaN lies above all numbers.

    Put around an argument, it keeps a function from what it cannot take, in whatever order the engine works.
    """
    return f"(CASE WHEN {value} BETWEEN {low} AND {high} THEN {value} END)"
