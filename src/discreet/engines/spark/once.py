"""Arguments that a form of Spark's needs several times, computed once where they are long."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from discreet.engines.once import bind_arguments


def compute_once(body: Callable[..., str], *arguments: str) -> str:
    """Return the SQL of `body` on arguments; what it returns may hold these and constants, and no column.

    >>> compute_once(lambda x: f"({x} * {x})", "a")
    '(a * a)'
    >>> long = "a + " * 50 + "a"
    >>> compute_once(lambda x: f"({x} * {x})", long) == f"transform(array({long}), v -> (v * v))[0]"
    True
    """
    return bind_arguments(body, arguments, _bind, _pack)


def _bind(value: str, expression: str) -> str:
    return f"transform(array({value}), v -> {expression})[0]"


def _pack(values: Sequence[str]) -> str:
    fields = ", ".join(f"'x{place}', {value}" for place, value in enumerate(values))
    return f"named_struct({fields})"


def held(value: str, low: str, high: str) -> str:
    """Return the value, or NULL where it is not from `low` to `high`; NaN lies above all numbers."""
    return compute_once(lambda x: f"(CASE WHEN {x} BETWEEN {low} AND {high} THEN {x} END)", value)
