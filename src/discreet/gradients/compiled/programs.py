"""What a function that somebody wrote in JAX computes: its program as text, and whether it tells anybody on the way.

JAX runs such a function on placeholders, once, and compiles what it did. So the function itself never sees a number,
private or noisy, unless its program calls back into Python: those are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from discreet.base.canonical import hash_bytes
from discreet.base.errors import ParameterError
from discreet.noise.device.frame import jax_modules

TELLING = ("callback", "print", "infeed", "outfeed")
"""Parts of the names of primitives that hand numbers to somebody while a program runs."""


def identify_program(name: str, function: Callable[..., Any], *given: Any) -> str:
    """Return a hash of the program of a function of arguments like these, or refuse one that would tell anybody.

    Two functions with one hash compute the same. The same function may get another hash from another version of JAX.
    """
    jax, _ = jax_modules()

    def program(*arguments: Any) -> Any:
        return function(*arguments)

    closed = jax.make_jaxpr(program)(*given)
    for primitive in list_primitives(closed.jaxpr):
        if any(word in primitive for word in TELLING):
            raise ParameterError(name, primitive, "a function without callbacks and prints: they would tell its data")
    if closed.effects:
        raise ParameterError(name, sorted(map(str, closed.effects)), "a function without effects")
    return hash_bytes(jax.jit(program).lower(*given).as_text().encode())


def list_primitives(jaxpr: Any) -> Iterator[str]:
    """Yield the names of all primitives of a program, those of programs inside it too."""
    for equation in jaxpr.eqns:
        yield equation.primitive.name
        for inner in _find_programs(list(equation.params.values())):
            yield from list_primitives(inner)


def _find_programs(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, tuple | list):
            yield from _find_programs(value)
        elif hasattr(value, "eqns"):
            yield value
        elif hasattr(value, "jaxpr"):
            yield value.jaxpr
