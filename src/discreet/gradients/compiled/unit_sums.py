"""The exact step: gradients of units, as integers inside a ball, added up.

For one physical batch, always of the same public shape:

1. a unit's gradient is that of the sum of the losses of its kept rows, computed in 32-bit floats;
2. it is scaled to norm at most C (1 - 2^-18) and truncated toward zero on the grid of K steps for C, which never raises
   its norm; a number that is not finite, or beyond K steps, makes the whole unit count as zero;
3. the sum of squares of these integers is computed exactly, and a unit with more than K^2 counts as zero;
4. the integers are added up.

A dense layer's gradient is an outer product (`outer`). Its two factors are scaled to equal norms and truncated, so that
its integers are products a_i b_j. Their sum of squares is the product of two sums of squares, and their sum over a
batch is a matrix product of integers, which float64 computes exactly, in any order, while it stays below 2^53.

Whatever the floats do, a unit adds an integer vector of norm at most K. What is checked is what is added: the first
program writes integer factors, gradients and scales to memory. The second, which checks and adds, reads them there. It
makes an integer of a gradient by one multiplication and a truncation, which IEEE 754 defines to the bit, however often
a compiler evaluates it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from discreet.gradients.compiled.outer import OuterProduct, trace_batch
from discreet.gradients.compiled.whole_steps import COARSEST, MARGIN, WholeSteps, choose_whole_steps
from discreet.noise.device.frame import jax_modules, narrow, wide

RowLoss = Callable[[Any, Any], Any]
"""loss(parameters, example) -> a number, in JAX."""

Move = Callable[[Any, Any], Any]
"""move(state, noisy sums) -> state, in JAX."""


@dataclass(frozen=True, slots=True)
class PhysicalBatch:
    """Slots for units, each with slots for rows: `rows` has leading dimensions (units, rows a unit), `kept` too."""

    rows: Any
    kept: Any


class UnitSums:
    """The compiled sum of a physical batch: integers of units, checked one by one, added up.

    The first batch fixes the shape; another shape is refused, since floats would round differently in it.
    """

    def __init__(self, loss: RowLoss, grid: WholeSteps) -> None:
        jax, _ = jax_modules()
        self._loss, self._grid = loss, grid
        self._gradients: Any = None
        self._tally = jax.jit(self._check_and_add)
        self._moves: dict[Move, Any] = {}

    def add(self, parameters: Any, batch: PhysicalBatch, onto: Any = None, start: int = 0) -> Any:
        """Return the sums as a line of int64 on the device, leaf after leaf, added to `onto` from `start` on."""
        with wide():
            before = np.zeros(self._grid.coordinates, dtype=np.int64) if onto is None else onto
            return self._tally(*self._differentiate(parameters, batch), before, start)

    def add_and_move(self, move: Move, state: Any, batch: PhysicalBatch, onto: Any, start: int) -> Any:
        """Return move(state, sums), with the parameters first in the state: one program less to start for each step.

        A move is post-processing, and a barrier keeps it so: it is computed from the finished sums alone.
        """
        jax, _ = jax_modules()
        if move not in self._moves:

            def add(leaves: Any, scales: Any, alive: Any, onto: Any, start: Any, state: Any) -> Any:
                sums = self._check_and_add(leaves, scales, alive, onto, start)
                return move(state, jax.lax.optimization_barrier(sums))

            self._moves[move] = jax.jit(add)
        with wide():
            return self._moves[move](*self._differentiate(state[0], batch), onto, start, state)

    def _differentiate(self, parameters: Any, batch: PhysicalBatch) -> Any:
        """Return what `_find_gradients` says, by a program for this shape alone."""
        if self._gradients is None:
            with jax_modules()[0].default_matmul_precision("highest"):
                self._gradients = compile_for(self._find_gradients, parameters, batch.rows, batch.kept)
        return self._gradients(parameters, batch.rows, batch.kept)

    def _find_gradients(self, parameters: Any, rows: Any, kept: Any) -> tuple[list[Any], Any, Any]:
        """Return every leaf as an array or a pair of integer factors, the scale of each unit, and who is there."""
        jax, jnp = jax_modules()
        grid = self._grid
        with narrow():
            found = trace_batch(jax.vmap(partial(find_unit_gradient, self._loss), (None, 0, 0)), parameters, rows, kept)
        leaves = [leaf.write() if isinstance(leaf, OuterProduct) and not splits(leaf, grid) else leaf for leaf in found]
        norm = jnp.sqrt(sum(_square_norm(leaf) for leaf in leaves))
        scales = grid.steps / grid.clip * jnp.minimum(1.0, grid.clip * (1 - MARGIN) / norm)
        alive = jnp.any(kept, axis=1) & jnp.isfinite(norm)
        factored = [self._factor(leaf, scales) if isinstance(leaf, OuterProduct) else leaf for leaf in leaves]
        return factored, scales.astype(np.float32), alive

    def _factor(self, leaf: OuterProduct, scales: Any) -> tuple[Any, Any]:
        """Return both factors as integers, scaled to one norm: the root of what the product's is in steps."""
        _, jnp = jax_modules()
        left, right = (jnp.sqrt(_square_norm(each)) for each in (leaf.left, leaf.right))
        there = left * right != 0
        balance = jnp.where(there, left / right, 0.0)
        root = self._grid.root
        return tuple(
            truncate(each.astype(np.float64) * jnp.sqrt(jnp.where(there, factor, 0.0))[:, None], root)[0]
            for each, factor in ((leaf.left, scales / balance), (leaf.right, scales * balance))
        )

    def _check_and_add(self, leaves: list[Any], scales: Any, alive: Any, onto: Any, start: Any) -> Any:
        jax, jnp = jax_modules()
        passed = self._check(leaves, scales, alive)
        apart = jax.lax.optimization_barrier((leaves, scales, passed))  # else integers would be written out between
        sums = jnp.concatenate([leaf.ravel() for leaf in self._add_passed(*apart)])
        return jax.lax.dynamic_slice_in_dim(onto, start, self._grid.coordinates) + sums

    def _check(self, leaves: list[Any], scales: Any, alive: Any) -> Any:
        """Say which units' integers lie in the ball: a number that is not allowed counts K^2 + 1."""
        _, jnp = jax_modules()
        total, passed = jnp.zeros(alive.shape, np.int64), alive
        for leaf in leaves:
            if isinstance(leaf, tuple):
                left, right = (_sum_squares(each) for each in leaf)
                passed = passed & (left <= self._grid.steps) & (right <= self._grid.steps)
                total = total + jnp.where(passed, left * right, 0)
            else:
                whole, allowed = truncate(leaf.astype(np.float32) * _spread(scales, leaf), self._grid.steps)
                counted = jnp.where(allowed, _square(whole), self._grid.square + 1)
                total = total + jnp.sum(counted, axis=tuple(range(1, whole.ndim)))
        return passed & (total <= self._grid.square)

    def _add_passed(self, leaves: list[Any], scales: Any, passed: Any) -> list[Any]:
        """Return the sums of the units that passed; the others count as zero."""
        _, jnp = jax_modules()
        sums = []
        for leaf in leaves:
            if isinstance(leaf, tuple):
                left, right = jnp.where(passed[:, None], leaf[0], 0), leaf[1]
                total = jnp.matmul(left.astype(np.float64).T, right.astype(np.float64))
            else:
                whole, _ = truncate(leaf.astype(np.float32) * _spread(scales, leaf), self._grid.steps)
                total = jnp.sum(jnp.where(_spread(passed, whole), whole, 0), axis=0, dtype=np.int64)
            sums.append(total.astype(np.int64))
        return sums


def find_unit_gradient(loss: RowLoss, parameters: Any, rows: Any, kept: Any) -> Any:
    """Return the gradient of the sum of the losses of a unit's kept rows."""
    jax, jnp = jax_modules()
    if kept.shape[0] == 1:
        return jax.grad(loss)(parameters, jax.tree.map(lambda each: each[0], rows))

    def total(given: Any) -> Any:
        losses = jax.vmap(loss, (None, 0))(given, rows)
        return jnp.sum(jnp.where(kept, losses, 0))

    return jax.grad(total)(parameters)


def plan_grid(loss: RowLoss, parameters: Any, batch: PhysicalBatch, clip: float) -> WholeSteps:
    """Return the finest grid for this model in batches of this shape, by what its gradients are made of."""
    jax, _ = jax_modules()
    found: list[Any] = []

    def look(*given: Any) -> None:
        found[:] = trace_batch(jax.vmap(partial(find_unit_gradient, loss), (None, 0, 0)), *given)

    with narrow():
        jax.eval_shape(look, parameters, batch.rows, batch.kept)
    sizes = [leaf.size for leaf in jax.tree.leaves(parameters)]
    whole = [isinstance(leaf, OuterProduct) for leaf in found]
    while True:
        terms = sum(1 if outer else size for outer, size in zip(whole, sizes, strict=True))
        grid = choose_whole_steps(clip, sum(sizes), batch.kept.shape[0], terms)
        kept = [outer and splits(leaf, grid) for outer, leaf in zip(whole, found, strict=True)]
        if kept == whole:
            return grid
        whole = kept


def splits(leaf: OuterProduct, grid: WholeSteps) -> bool:
    """Say whether truncating both factors shortens a gradient by at most a 64th of the clipping norm."""
    longest = np.sqrt(leaf.left.shape[1]) + np.sqrt(leaf.right.shape[1])
    return bool(COARSEST * longest <= np.sqrt(grid.steps))


def compile_for(function: Callable[..., Any], *given: Any) -> Any:
    """Compile a function for arguments of these shapes and no others; its results keep the layouts they are made in."""
    jax, _ = jax_modules()
    layout = importlib.import_module("jax.experimental.layout")
    compiled = jax.jit(function, out_shardings=layout.Format(layout.Layout.AUTO))
    return compiled.lower(*given).compile()


def truncate(moved: Any, most: int) -> tuple[Any, Any]:
    """Return floats truncated toward zero as integers, and which were allowed: finite, and then at most `most`."""
    _, jnp = jax_modules()
    floats = jnp.trunc(moved)
    allowed = jnp.abs(floats) <= most
    return jnp.where(allowed, floats, 0).astype(np.int32), allowed


def _square(whole: Any) -> Any:
    return whole.astype(np.int64) * whole.astype(np.int64)


def _sum_squares(whole: Any) -> Any:
    _, jnp = jax_modules()
    return jnp.sum(_square(whole), axis=tuple(range(1, whole.ndim)))


def _spread(values: Any, over: Any) -> Any:
    return values.reshape(values.shape + (1,) * (over.ndim - 1))


def _square_norm(leaf: Any) -> Any:
    """Return the squared norm for each unit, in 64 bits, where no square of a 32-bit float is too large or small."""
    if isinstance(leaf, OuterProduct):
        return _square_norm(leaf.left) * _square_norm(leaf.right)
    _, jnp = jax_modules()
    return jnp.sum(jnp.square(leaf.astype(np.float64)), axis=tuple(range(1, leaf.ndim)))
