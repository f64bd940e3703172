"""Descents of compiled models over a plan's rows: what a desk may compute, and what it costs. For the desk alone.

One unit adds an integer vector of norm at most K to a step's sum, whatever its rows hold (`gradients/compiled/`). Where
each unit is taken by its own coin, a step has the loss SampledLoss(GaussianLoss(K / sigma), rate), which is a theorem
about add-remove neighbours; where all are taken it is that of the Gaussian mechanism.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from discreet.base import check
from discreet.base.canonical import Json, hash_bytes
from discreet.base.errors import OperationError
from discreet.curator.door.clipping import MOST_ENTRIES
from discreet.curator.door.unit_time import check_unit_time
from discreet.gradients.compiled.compiled_gradients import CompiledGradients
from discreet.gradients.compiled.memory_sums import MemorySums, RowsOfUnits
from discreet.gradients.compiled.programs import identify_program
from discreet.gradients.compiled.states import pack_state
from discreet.gradients.compiled.unit_sums import Move
from discreet.mechanisms import Gaussian
from discreet.mechanisms.identity import describe_mechanism
from discreet.noise.device.frame import jax_modules, wide
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy import Loss, SampledLoss

ROW_TIME, FEATURE_TIME = 400, 4
"""Nanoseconds that a row takes in a step, and more for each feature: to be copied, since batches are padded."""


@dataclass(frozen=True, eq=False)
class CompiledDescent:
    """Steps along noisy sums of gradients: each unit enters a step with probability `rate`, by a coin of its own.

    `move(state, noisy sums)` is post-processing in JAX; the state has the parameters first. A step makes `batches`
    physical batches, or more where a sample needs them: that number is public.
    """

    gradients: CompiledGradients
    move: Move
    rate: float
    noise: Gaussian
    batches: int = 1

    def find_loss(self, plan: RowsPlan) -> Loss:
        """Return the loss of one step over a plan's rows."""
        grid = self.gradients.grid
        base = self.noise.loss(plan.factor * grid.steps, dim=grid.coordinates)
        return base if self.rate == 1 else SampledLoss(base, self.rate)

    @cached_property
    def _known(self) -> dict[Any, str]:
        return {}

    def identify_move(self, state: Any) -> str:
        """Return what a move computes of such a state, as a hash; one that returns another kind of state is refused."""
        jax, _ = jax_modules()
        with wide():
            shapes = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(np.shape(leaf), np.asarray(leaf).dtype), state)
            key = _list_shapes(shapes)
            if key not in self._known:
                sums = jax.ShapeDtypeStruct((self.gradients.grid.coordinates,), np.dtype(np.int64))
                if _list_shapes(jax.eval_shape(self.move, shapes, sums)) != key:
                    raise OperationError("a move returns a state of the same structure, shapes and types as it gets")
                self._known[key] = identify_program("optimiser", self.move, shapes, sums)
            return self._known[key]

    def describe(self, state: Any) -> Json:
        """Return the form of a descent from a state: different for those that compute something else."""
        return {
            "gradients": self.gradients.describe(),
            "move": self.identify_move(state),
            "state": hash_bytes(pack_state(state)),
            "rate": repr(float(self.rate)),
            "noise": describe_mechanism(self.noise),
        }

    def run(self, rows: RowsOfUnits, state: Any, steps: int, proceed: Callable[[], None]) -> Any:
        """Return the state after so many steps, each with a fresh sample and fresh noise."""
        gradients = self.gradients
        device = jax_modules()[0].default_backend() != "cpu"
        multiplier = self.noise.sigma / gradients.grid.steps  # exact: the divisor is a power of two
        source = MemorySums(
            gradients.sums, gradients.grid, rows, self.rate, multiplier, gradients.slots, device, self.batches
        )
        for _ in range(steps):
            proceed()
            state = source.advance(self.move, state)
        return state


def _list_shapes(state: Any) -> tuple[Any, ...]:
    """Return the structure of a state, and the shapes and types of its leaves."""
    leaves, structure = jax_modules()[0].tree.flatten(state)
    return structure, *((leaf.shape, np.dtype(leaf.dtype)) for leaf in leaves)


def check_descent(plan: RowsPlan, descent: CompiledDescent, state: Any, steps: int) -> Loss:
    """Return the loss of so many steps, or refuse what does not fit the plan, or is not of the closed list."""
    if type(descent) is not CompiledDescent or type(descent.gradients) is not CompiledGradients:
        raise OperationError("a descent is a CompiledDescent of CompiledGradients, none of a caller's own")
    gradients, steps = descent.gradients, check.integer("steps", steps, least=1)
    check.real("rate", descent.rate, above=0, most=1)
    if gradients.encoding.columns > len(plan.columns):
        raise OperationError(
            f"the features are of {gradients.encoding.columns} columns, and the plan has {len(plan.columns)}"
        )
    if gradients.entries > MOST_ENTRIES:
        raise OperationError(f"a gradient has at most {MOST_ENTRIES:,} entries, not {gradients.entries:,}")
    if gradients.rows != plan.rows:
        raise OperationError(f"the gradients are of {gradients.rows} rows a unit, and the plan keeps {plan.rows}")
    if type(descent.noise) is not Gaussian or descent.noise.grid is not None:
        raise OperationError("a gradient's length is bounded in L2: give Gaussian noise without a grid")
    if descent.rate < 1 and plan.factor != 1:
        raise OperationError("sampled units are for add-remove neighbours: take all of them under replace neighbours")
    check_unit_time(plan, steps * (ROW_TIME + FEATURE_TIME * gradients.width))
    gradients.prepare()
    descent.identify_move(state)
    return descent.find_loss(plan) * steps
