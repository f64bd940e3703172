"""Private gradient descent for any differentiable model, in memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.gradients.compiled.independence import check_independence, make_up_batch
from discreet.gradients.compiled.memory_sums import MemorySums, NoisySums, group_rows
from discreet.gradients.compiled.unit_sums import RowLoss, UnitSums, plan_grid
from discreet.learn.compiled.optimisers import Momentum, Optimiser, make_move, start_state
from discreet.learn.compiled.schedule import SampledSchedule, plan_schedule
from discreet.learn.compiled.training_state import TrainingState, hold_state, read_state, write_state
from discreet.noise.device.frame import jax_modules, narrow
from discreet.privacy import Loss


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """Public facts of a run: steps made of those declared, and the certified epsilon of what was made."""

    step: int
    steps: int
    epsilon: float


class Descent:
    """Gradient descent with exact noise: loss(parameters, example) -> a number, in JAX; parameters are any tree.

    Guarantee: the whole run is (epsilon, delta)-differentially private for adding or removing one unit with all its
    rows, certified before the first step (see `SampledLoss`). Every step takes each unit with probability exactly
    batch / size, puts its gradient as integers into a ball (`unit_sums`), and adds exactly rounded Gaussian noise. Only
    the noisy sums reach the parameters. The number of units is private: `size` is a public one, and means are taken
    over `batch`, which is rate * size.

    An example is (x, y), or x alone where `fit` gets no y. A unit with several rows needs `rows`, the public number of
    them that count. `physical` units at a time are on the device; it is public too, and changes no result but by float
    rounding.
    """

    def __init__(
        self,
        loss: RowLoss,
        parameters: Any,
        *,
        clip: float,
        epsilon: float,
        delta: float,
        steps: int,
        batch: int,
        size: int,
        rows: int = 1,
        physical: int | None = None,
        optimiser: Optimiser | None = None,
        noise: str = "auto",
        checkpoint: str | Path | None = None,
        every: int | None = None,
        progress: Callable[[TrainingProgress], None] | None = None,
    ) -> None:
        jax, _ = jax_modules()
        self.loss, self.optimiser = loss, Momentum(0.1) if optimiser is None else optimiser
        self.schedule: SampledSchedule = plan_schedule(epsilon, delta, steps, batch, size)
        self.rows = check.integer("rows", rows, least=1)
        fitting = min(batch, 512) if physical is None else physical
        self.physical = check.integer("physical", fitting, least=1, most=1 << 16)
        self.batch, self.size = batch, size
        self._start = start_state(self.optimiser, parameters)
        self.parameters = self._start[0]
        self.clip = float(check.real("clip", clip, least=1e-20, most=1e20))
        found = check.choice("noise", noise, ("auto", "device", "host"))
        self.on_device = found == "device" or (found == "auto" and jax.default_backend() != "cpu")
        self.checkpoint = None if checkpoint is None else Path(checkpoint)
        self.every = check.integer("every", max(1, steps // 20) if every is None else every, least=1)
        self.progress = progress

    @property
    def loss_(self) -> Loss:
        """The loss of the whole run as it is charged, whatever became of it."""
        return self.schedule.loss

    @property
    def noise_(self) -> str:
        """Where the noise is drawn, in words."""
        jax, _ = jax_modules()
        where = jax.default_backend()
        if self.on_device:
            return f"drawn on the device ({where}), exact"
        return "drawn on the CPU, exact" + ("; JAX sees no accelerator here" if where == "cpu" else "")

    def fit(self, X: Any, y: Any = None, units: Any = None) -> Descent:  # noqa: N803
        """Train on rows in memory, `units[i]` being whose row i is; without units, every row is a unit of its own.

        The trained parameters are in `parameters_`. With a checkpoint, a run that was stopped goes on where it was.
        """
        jax, _ = jax_modules()
        columns = jax.tree.map(_as_column, X if y is None else (X, y))
        counts = {len(column) for column in jax.tree.leaves(columns)}
        if len(counts) != 1:
            raise ParameterError("X", sorted(counts), "arrays of one length, and y of the same")
        if units is None and self.rows != 1:
            raise ParameterError("rows", self.rows, "1 without units: every row is a unit then")
        held = group_rows(columns, counts.pop(), units, self.rows)
        example = jax.tree.map(lambda column: jax.ShapeDtypeStruct(column.shape[1:], column.dtype), columns)
        tried = make_up_batch(example, self.physical, self.rows)
        grid = plan_grid(self.loss, self.parameters, tried, self.clip)
        sums = UnitSums(self.loss, grid)
        check_independence(sums, self.parameters, tried)
        rate, multiplier = self.schedule.rate, self.schedule.multiplier
        return self.train(MemorySums(sums, grid, held, rate, multiplier, self.physical, self.on_device))

    def train(self, source: NoisySums) -> Descent:
        """Train on noisy sums that somebody else makes: the releases of `schedule`, one for each step."""
        with ExitStack() as stack:
            if self.checkpoint is not None:
                stack.enter_context(hold_state(self.checkpoint))
            self._make_steps(source)
        return self

    def _make_steps(self, source: NoisySums) -> None:
        state, begun, updates = self._restore()
        steps, move = self.schedule.steps, make_move(self.optimiser, source.grid.length / self.batch)
        reserved = begun
        while begun < steps:
            if begun == reserved:
                reserved = min(steps, begun + self.every)
                self._keep(state, reserved, updates)
            try:
                state = source.advance(move, state)
            except BaseException:
                self._keep(state, begun + 1, updates)
                raise
            begun, updates = begun + 1, updates + 1
            if self.progress is not None and begun in (reserved, steps):
                self.progress(TrainingProgress(begun, steps, self.schedule.epsilon_after(begun)))
        self._keep(state, steps, updates)
        self.parameters_, self.updates_ = state[0], updates

    def _restore(self) -> tuple[Any, int, int]:
        """Return the state to go on from, how many steps are spent and how many updates were made."""
        jax, jnp = jax_modules()
        with narrow():
            fresh = self._start
            held = None if self.checkpoint is None else read_state(self.checkpoint, self._declare())
            if held is None:
                return fresh, 0, 0
            return (
                jax.tree.unflatten(jax.tree.structure(fresh), map(jnp.asarray, held.leaves)),
                held.begun,
                held.updates,
            )

    def _keep(self, state: Any, begun: int, updates: int) -> None:
        if self.checkpoint is not None:
            leaves = jax_modules()[0].tree.leaves(state)
            write_state(self.checkpoint, TrainingState(self._declare(), begun, updates, leaves))

    def _declare(self) -> dict[str, Any]:
        """Return what must not change between a run and its resumption."""
        schedule, jax = self.schedule, jax_modules()[0]
        return {
            "rate": schedule.rate,
            "steps": schedule.steps,
            "noise multiplier": schedule.multiplier,
            "delta": schedule.delta,
            "clip": self.clip,
            "rows": self.rows,
            "batch": self.batch,
            "shapes": [list(leaf.shape) for leaf in jax.tree.leaves(self.parameters)],
            "optimiser": type(self.optimiser).__name__,
        }


def _as_column(column: Any) -> Any:
    """Return a column in 32 bits: floats beyond them are infinite, whole numbers are cut off at the ends."""
    found = np.asarray(column)
    if found.ndim == 0 or found.dtype.kind not in "fiub":
        raise ParameterError("X", found.dtype, "arrays of numbers, the first dimension being rows")
    if found.dtype.kind == "f":
        with np.errstate(over="ignore"):
            return found.astype(np.float32)
    ends = np.iinfo(np.int32)
    return found if found.dtype.kind == "b" else np.clip(found, ends.min, ends.max).astype(np.int32)
