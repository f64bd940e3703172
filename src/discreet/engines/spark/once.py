"""Arguments that a form needs many times, computed once where they are long.

A form that wrote a long argument out several times would make statements that grow exponentially with nesting. Spark
has no LET; the parameter of a lambda function over an array of one element is one.
"""

from __future__ import annotations

from collections.abc import Callable

SHORT = 160
"""Letters up to which an argument is repeated: columns and constants, which Spark compiles better without a lambda."""


def compute_once(body: Callable[..., str], *arguments: str) -> str:
    """Return the SQL of `body` on arguments; what it returns may hold these and constants, and no column.

    >>> compute_once(lambda x: f"({x} * {x})", "a")
    '(a * a)'
    >>> long = "a + " * 50 + "a"
    >>> compute_once(lambda x: f"({x} * {x})", long) == f"transform(array({long}), v -> (v * v))[0]"
    True
    """
    if max(len(argument) for argument in arguments) <= SHORT:
        return body(*arguments)
    if len(arguments) == 1:
        return f"transform(array({arguments[0]}), v -> {body('v')})[0]"
    fields = ", ".join(f"'x{place}', {argument}" for place, argument in enumerate(arguments))
    return (
        f"transform(array(named_struct({fields})), v -> {body(*(f'v.x{place}' for place in range(len(arguments))))})[0]"
    )


def held(value: str, low: str, high: str) -> str:
    """Return the value, or NULL where it is not from `low` to `high`; NaN lies above all numbers."""
    return compute_once(lambda x: f"(CASE WHEN {x} BETWEEN {low} AND {high} THEN {x} END)", value)
