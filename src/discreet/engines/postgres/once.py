"""Arguments that a form needs several times: columns are written again, and everything else is computed once.

Written out again and again, expressions would grow exponentially with their nesting. A SELECT with OFFSET is never
merged into the one around it, so its columns are computed once. They are no constants to the planner either: it
evaluates nothing early in a branch that no row takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from discreet.plan.expressions import Column, Expression


def compute_once(written: Sequence[str], arguments: Sequence[Expression], body: Callable[..., str]) -> str:
    """Return the body over arguments, each a column or computed once; `written` is their SQL."""
    names, inner = [], []
    for place, (each, argument) in enumerate(zip(written, arguments, strict=True)):
        if isinstance(argument, Column):
            names.append(each)
        else:
            names.append(f"v.a{place}")
            inner.append(f"{each} AS a{place}")
    if not inner:
        return body(*names)
    return computed(", ".join(inner), body(*names))


def computed(columns: str, value: str) -> str:
    """Return a value over columns `v.name` that are computed first."""
    return f"(SELECT {value} FROM (SELECT {columns} OFFSET 0) AS v)"
