"""The exact step: gradients of units, as integers inside a ball, added up.

For one physical batch, always of the same public shape:

1. a unit's gradient is that of the sum of the losses of its kept rows, computed in 32-bit floats;
2. it is scaled to norm at most C (1 - 2^-18) and truncated toward zero on the grid of K steps for C, which never raises
   its norm; a number that is not finite, or beyond K steps, makes the whole unit count as zero;
3. the sum of squares of these integers is computed exactly, and a unit with more than K^2 counts as zero;
4. the integers are added up.

Whatever the floats do, a unit adds an integer vector of norm at most K. What is checked is what is added: the first
program writes gradients and scales to memory, and the two that check and add make every integer by one multiplication of
two such numbers and a truncation, which IEEE 754 defines to the bit, however often a compiler evaluates it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.learn.compiled.outer import OuterProduct, trace_batch
from discreet.learn.compiled.whole_steps import MARGIN, WholeSteps
from discreet.noise.device.frame import jax_modules, narrow, wide

RowLoss = Callable[[Any, Any], Any]
"""loss(parameters, example) -> a number, in JAX."""


@dataclass(frozen=True, slots=True)
class PhysicalBatch:
    """Slots for units, each with slots for rows: `rows` has leading dimensions (units, rows a unit), `kept` too."""

    rows: Any
    kept: Any


class UnitSums:
    """The compiled sum of a physical batch: integers of units, checked one by one, added up."""

    def __init__(self, loss: RowLoss, grid: WholeSteps) -> None:
        jax, _ = jax_modules()
        self._loss, self._grid = loss, grid
        self._gradients = jax.jit(self._find_gradients)
        self._passing, self._adding = jax.jit(self._check), jax.jit(self._add_passed)

    def add(self, parameters: Any, batch: PhysicalBatch) -> list[Any]:
        """Return the sums as int64 arrays on the device, in the order and shapes of the parameters' leaves."""
        jax, _ = jax_modules()
        with wide(), jax.default_matmul_precision("highest"):
            leaves, scales, alive = self._gradients(parameters, batch.rows, batch.kept)
            passed = self._passing(leaves, scales, alive)
            sums: list[Any] = self._adding(leaves, scales, passed)
        return sums

    def _unit_gradient(self, parameters: Any, rows: Any, kept: Any) -> Any:
        jax, jnp = jax_modules()
        if kept.shape[0] == 1:
            return jax.grad(self._loss)(parameters, jax.tree.map(lambda each: each[0], rows))

        def total(given: Any) -> Any:
            losses = jax.vmap(self._loss, (None, 0))(given, rows)
            return jnp.sum(jnp.where(kept, losses, 0))

        return jax.grad(total)(parameters)

    def _find_gradients(self, parameters: Any, rows: Any, kept: Any) -> tuple[list[Any], Any, Any]:
        """Return every leaf as an array or a pair of factors, and the scale that takes a unit inside the ball."""
        jax, jnp = jax_modules()
        with narrow():
            leaves = trace_batch(jax.vmap(self._unit_gradient, (None, 0, 0)), parameters, rows, kept)
        norm = jnp.sqrt(sum(_square_norm(leaf) for leaf in leaves))
        inside = jnp.minimum(1.0, self._grid.clip * (1 - MARGIN) / norm)
        scales = (self._grid.steps / self._grid.clip * inside).astype(np.float32)
        found = [
            (leaf.left, leaf.right * scales[:, None]) if isinstance(leaf, OuterProduct) else leaf for leaf in leaves
        ]
        return found, scales, jnp.any(kept, axis=1)

    def _check(self, leaves: list[Any], scales: Any, alive: Any) -> Any:
        """Say which units' integers lie in the ball: a number that is not allowed counts K^2 + 1."""
        _, jnp = jax_modules()
        squares = 0
        for leaf in leaves:
            whole, allowed = self._truncate(leaf, scales)
            counted = jnp.where(allowed, _square(whole), self._grid.square + 1)
            squares = squares + jnp.sum(counted, axis=tuple(range(1, whole.ndim)))
        return (squares <= self._grid.square) & alive

    def _add_passed(self, leaves: list[Any], scales: Any, passed: Any) -> list[Any]:
        """Return the sums of the units that passed; the others count as zero."""
        _, jnp = jax_modules()
        wholes = [self._truncate(leaf, scales)[0] for leaf in leaves]
        return [
            jnp.sum(jnp.where(_spread(passed, whole), whole, 0), axis=0, dtype=np.int32).astype(np.int64)
            for whole in wholes
        ]

    def _truncate(self, leaf: Any, scales: Any) -> tuple[Any, Any]:
        """Return the leaf in whole steps, truncated toward zero, and where it is allowed: finite and at most K."""
        _, jnp = jax_modules()
        moved = self._scale(leaf, scales)
        allowed = jnp.abs(moved) <= self._grid.steps
        return jnp.where(allowed, moved, 0).astype(np.int32), allowed

    def _scale(self, leaf: Any, scales: Any) -> Any:
        """Return the leaf in steps and truncated, still as floats: one multiplication a number."""
        _, jnp = jax_modules()
        if isinstance(leaf, tuple):
            left, right = leaf
            return jnp.trunc(left[:, :, None] * right[:, None, :])
        return jnp.trunc(leaf.astype(np.float32) * _spread(scales, leaf))


def _square(whole: Any) -> Any:
    return whole.astype(np.int64) * whole.astype(np.int64)


def _spread(values: Any, over: Any) -> Any:
    return values.reshape(values.shape + (1,) * (over.ndim - 1))


def _square_norm(leaf: Any) -> Any:
    """Return the squared norm for each unit, in 64 bits, where no square of a 32-bit float is too large or small."""
    if isinstance(leaf, OuterProduct):
        return _square_norm(leaf.left) * _square_norm(leaf.right)
    _, jnp = jax_modules()
    return jnp.sum(jnp.square(leaf.astype(np.float64)), axis=tuple(range(1, leaf.ndim)))
