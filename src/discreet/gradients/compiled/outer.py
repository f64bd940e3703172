"""Gradients of a batch, those of dense layers kept as two factors.

The gradient of one example in a dense layer is an outer product. For a batch, JAX writes it as a product over the batch
dimension that contracts nothing. Read as factors, it takes (inputs + outputs) numbers an example and not their product;
its norm is the product of two norms, and one multiplication makes each of its numbers. What is not such a product is
evaluated as it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.noise.device.frame import jax_modules


@dataclass(frozen=True, slots=True)
class OuterProduct:
    """left[b, i] * right[b, j] for every example b; `written` makes the array that stood there."""

    left: Any
    right: Any
    written: Callable[[Any, Any], Any]

    def write(self) -> Any:
        """Return the whole array."""
        return self.written(self.left, self.right)


def trace_batch(function: Callable[..., Any], *given: Any) -> Any:
    """Return what a function of a batch returns, as leaves in JAX's order: arrays, or outer products."""
    jax, _ = jax_modules()
    closed = jax.make_jaxpr(function)(*given)
    return _evaluate(closed.jaxpr, closed.consts, jax.tree.leaves(given))


def _evaluate(jaxpr: Any, constants: Any, given: Any) -> list[Any]:
    known: dict[Any, Any] = {}

    def read(variable: Any) -> Any:
        return variable.val if hasattr(variable, "val") else known[variable]

    known.update(zip(jaxpr.constvars, constants, strict=True))
    known.update(zip(jaxpr.invars, given, strict=True))
    for equation in jaxpr.eqns:
        values = [read(variable) for variable in equation.invars]
        found = _evaluate_equation(equation, values)
        known.update(zip(equation.outvars, found, strict=True))
    return [read(variable) for variable in jaxpr.outvars]


def _evaluate_equation(equation: Any, values: list[Any]) -> list[Any]:
    name, details = equation.primitive.name, equation.params
    if name in ("jit", "pjit"):
        inner = details["jaxpr"]
        return _evaluate(inner.jaxpr, inner.consts, values)
    if name == "dot_general" and _contracts_nothing(details, values):
        left, right = values

        def multiply(left: Any, right: Any) -> Any:
            return equation.primitive.bind(left, right, **details)

        return [OuterProduct(left, right, multiply)]
    if name == "transpose" and isinstance(values[0], OuterProduct) and details["permutation"] == (0, 2, 1):
        product = values[0]
        return [OuterProduct(product.right, product.left, lambda left, right: left[:, :, None] * right[:, None, :])]
    plain = [value.write() if isinstance(value, OuterProduct) else value for value in values]
    bound = equation.primitive.get_bind_params(details)
    functions, parameters = bound if isinstance(bound, tuple) else ((), bound)  # a pair in versions before 0.10
    answer = equation.primitive.bind(*functions, *plain, **parameters)
    return list(answer) if equation.primitive.multiple_results else [answer]


def _contracts_nothing(details: dict[str, Any], values: list[Any]) -> bool:
    contracted, batched = details["dimension_numbers"]
    return (
        not any(isinstance(value, OuterProduct) or np.ndim(value) != 2 for value in values)
        and contracted == ((), ())
        and batched == ((0,), (0,))
        and all(value.dtype == np.float32 for value in values)
    )
