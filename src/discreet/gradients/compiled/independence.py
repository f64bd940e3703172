"""Before training: does an example's gradient depend on its slot or on its company?

The exact check bounds what one unit adds. That removing it changes nothing else needs more: everybody else's integers
must stay the same, bit for bit, when a unit leaves its slot empty or the others move. Float kernels do not promise
that. At one fixed shape they usually keep it, and this checks it for the very programs that training runs, on examples
made up from public shapes. Since integers are added exactly, sums tell: a batch must give the same sum in any order,
and the sum of any two parts of it, each with empty or hostile slots in place of the other, must be that of the whole.

It is a check and no proof: what it cannot see remains an assumption (`docs/learning-compiled.md`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.base.errors import DiscreetError
from discreet.gradients.compiled.unit_sums import PhysicalBatch, UnitSums
from discreet.noise.device.frame import jax_modules

ROUNDS = 4
"""Random orders, and random parts, that are tried beside fixed ones."""

HOSTILE = (np.nan, np.inf, -1e30, 3e38)
"""Values that slots of the others are filled with."""


class DependenceError(DiscreetError):
    """The compiled model mixes examples: what one adds depends on its slot or on others, so nothing is trained."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"the compiled model is not exact: {what}. A unit's integers must depend on its own rows alone. Leave out "
            "batch statistics (use group or layer normalisation) and anything random; on a GPU set "
            "XLA_FLAGS=--xla_gpu_deterministic_ops=true; try another physical batch, a multiple of 64."
        )


def make_up_batch(example: Any, units: int, rows: int, seed: int = 20) -> PhysicalBatch:
    """Return examples of these shapes from a public seed: normal floats, and whole numbers that are 0 or 1."""
    jax, _ = jax_modules()
    generator = np.random.default_rng(seed)

    def fill(shape_of: Any) -> Any:
        shape, kind = (units, rows, *shape_of.shape), np.dtype(shape_of.dtype)
        if kind.kind == "f":
            return generator.normal(size=shape).astype(kind)
        return generator.integers(0, 2, shape).astype(kind)

    return PhysicalBatch(jax.tree.map(fill, example), np.ones((units, rows), dtype=bool))


def check_independence(sums: UnitSums, parameters: Any, batch: PhysicalBatch) -> None:
    """Raise a DependenceError unless sums are the same in any order, and those of parts add up to the whole's."""
    units = batch.kept.shape[0]
    whole = _fetch(sums, parameters, batch)
    if not np.array_equal(whole, _fetch(sums, parameters, batch)):
        raise DependenceError("the same batch gave two different sums")
    if not np.any(whole):
        raise DependenceError("made-up examples have no gradient at all, so nothing can be checked")
    generator = np.random.default_rng(units)
    orders = [np.roll(np.arange(units), 1), np.arange(units)[::-1], np.roll(np.arange(units), units // 2)]
    orders += [generator.permutation(units) for _ in range(ROUNDS)]
    for order in orders:
        if not np.array_equal(whole, _fetch(sums, parameters, _reorder(batch, order))):
            raise DependenceError("the order of a batch changed its sum")
    if units == 1:
        return
    parts = [np.arange(units) < 1, np.arange(units) < units - 1]
    parts += [generator.random(units) < share for share in (0.5, 0.5, 0.9, 0.1)]
    for place, part in enumerate(parts):
        hostile = HOSTILE[place % len(HOSTILE)]
        for empty in (0.0, hostile):
            first, second = (_fetch(sums, parameters, _keep(batch, chosen, empty)) for chosen in (part, ~part))
            if not np.array_equal(whole, first + second):
                raise DependenceError("the sums of two parts of a batch are not the sum of the whole")


def _fetch(sums: UnitSums, parameters: Any, batch: PhysicalBatch) -> Any:
    return np.asarray(sums.add(parameters, batch))


def _reorder(batch: PhysicalBatch, order: Any) -> PhysicalBatch:
    jax, _ = jax_modules()
    return PhysicalBatch(jax.tree.map(lambda each: each[order], batch.rows), batch.kept[order])


def _keep(batch: PhysicalBatch, chosen: Any, rest: float) -> PhysicalBatch:
    """Return the batch with only the chosen units kept, and the floats of the others' slots filled."""
    jax, _ = jax_modules()

    def fill(each: Any) -> Any:
        if each.dtype.kind != "f":
            return each
        filled = each.copy()
        filled[~chosen] = rest
        return filled

    return PhysicalBatch(jax.tree.map(fill, batch.rows), batch.kept & chosen[:, None])
