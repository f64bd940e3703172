"""Arguments that a form needs several times, computed once where they are long: for engines with lambda functions.

A form that wrote a long argument out several times would make statements, and the work of a row, grow exponentially
with nesting. The parameter of a lambda function over a list of one element is what other languages call LET.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

SHORT = 160
"""Letters up to which an argument is repeated: columns and constants, which engines compute faster without a lambda."""


def bind_arguments(
    body: Callable[..., str],
    arguments: Sequence[str],
    bind: Callable[[str, str], str],
    pack: Callable[[Sequence[str]], str],
) -> str:
    """Return the SQL of `body` on arguments; what it returns may hold these and constants, and no column.

    `bind(value, expression)` gives the expression over a parameter `v` that is the value, and `pack` a structure with
    fields x0, x1, ...
    """
    if max(len(argument) for argument in arguments) <= SHORT:
        return body(*arguments)
    if len(arguments) == 1:
        return bind(arguments[0], body("v"))
    return bind(pack(arguments), body(*(f"v.x{place}" for place in range(len(arguments)))))
