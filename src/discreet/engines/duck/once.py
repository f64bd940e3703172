"""Arguments that a form of DuckDB's needs several times, computed once where they are long.

DuckDB itself writes the values of BETWEEN, of IN with up to four constants and of macros such as `nullif` out several
times: eight sines in one another took minutes so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from discreet.engines.once import bind_arguments


def compute_once(body: Callable[..., str], *arguments: str) -> str:
    """Return the SQL of `body` on arguments; what it returns may hold these and constants, and no column.

    >>> compute_once(lambda x: f"({x} * {x})", "a")
    '(a * a)'
    >>> long = "a + " * 50 + "a"
    >>> compute_once(lambda x: f"({x} * {x})", long) == f"list_transform([{long}], lambda v: (v * v))[1]"
    True
    """
    return bind_arguments(body, arguments, _bind, _pack)


def _bind(value: str, expression: str) -> str:
    return f"list_transform([{value}], lambda v: {expression})[1]"


def _pack(values: Sequence[str]) -> str:
    return "{" + ", ".join(f"'x{place}': {value}" for place, value in enumerate(values)) + "}"


def hold_within(value: str, low: str, high: str) -> str:
    """Return the value, or NULL where it is not from `low` to `high`; NaN lies above all numbers.

    Put around an argument, it keeps a function from what it cannot take, in whatever order DuckDB works.
    """
    return compute_once(lambda x: f"(CASE WHEN {x} >= {low} AND {x} <= {high} THEN {x} END)", value)
