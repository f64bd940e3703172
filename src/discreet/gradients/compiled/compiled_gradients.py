"""Gradients of any differentiable loss over the encoded rows of units: what a desk adds up for a compiled model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.wide import Ints
from discreet.gradients.compiled.independence import check_independence, make_up_batch
from discreet.gradients.compiled.memory_sums import RowsOfUnits
from discreet.gradients.compiled.programs import identify_program
from discreet.gradients.compiled.unit_sums import PhysicalBatch, RowLoss, UnitSums, find_unit_gradient, plan_grid
from discreet.gradients.compiled.whole_steps import WholeSteps
from discreet.gradients.encoding import FEATURE_STEPS, EncodedRows, Encoding, NumberFeature, find_slices
from discreet.noise.device.frame import jax_modules, narrow

FORM = 1
"""The version of how the program of a gradient is identified."""


@dataclass(frozen=True, eq=False)
class CompiledGradients:
    """loss(parameters, (x, y)) of a row, in JAX: x its features in 32-bit floats, without an intercept, y its label.

    A label is one of `classes`, counted from 0, and rows of no class are left out; where `classes` is 0 it is a number
    in units of `unit`. `rows` of a unit count, `slots` units are on the device at a time, and `parameters` say the
    shapes. All of this is public. Nothing is compiled before `prepare`, which checks the very programs that add up.
    """

    loss: RowLoss
    parameters: Any
    encoding: Encoding
    classes: int
    unit: int
    rows: int
    slots: int
    clip: float

    def __post_init__(self) -> None:
        check.integer("classes", self.classes, least=0)
        check.integer("unit", self.unit, least=1)
        check.integer("rows", self.rows, least=1)
        check.integer("slots", self.slots, least=1, most=1 << 16)

    @property
    def width(self) -> int:
        """How many features x has."""
        return self.encoding.width - 1

    @property
    def entries(self) -> int:
        """How many numbers the parameters are."""
        return sum(leaf.size for leaf in jax_modules()[0].tree.leaves(self.parameters))

    @property
    def example(self) -> Any:
        """The shapes and types of a row."""
        jax, _ = jax_modules()
        label = np.dtype(np.int32 if self.classes else np.float32)
        return jax.ShapeDtypeStruct((self.width,), np.dtype(np.float32)), jax.ShapeDtypeStruct((), label)

    @cached_property
    def tried(self) -> PhysicalBatch:
        """Made-up rows in a physical batch."""
        return make_up_batch(self.example, self.slots, self.rows)

    @cached_property
    def grid(self) -> WholeSteps:
        """What a whole step is."""
        return plan_grid(self.loss, self.parameters, self.tried, self.clip)

    @cached_property
    def sums(self) -> UnitSums:
        """The compiled sums, which were checked: what a unit adds depends on its own rows alone, as far as seen."""
        sums = UnitSums(self.loss, self.grid)
        check_independence(sums, self.parameters, self.tried)
        return sums

    @cached_property
    def program(self) -> str:
        """What the gradient of a unit computes, as a hash; one that would tell anybody is refused."""
        batch = self.tried
        rows, kept = jax_modules()[0].tree.map(lambda each: each[0], (batch.rows, batch.kept))
        with narrow():
            return identify_program("loss", partial(find_unit_gradient, self.loss), self.parameters, rows, kept)

    def prepare(self) -> None:
        """Compile and check all that adds up, or say what is wrong: nothing private is needed for it."""
        check.real("clip", self.clip, least=1e-20, most=1e20)
        try:
            with narrow():
                found = jax_modules()[0].eval_shape(self.loss, self.parameters, self.example)
            if getattr(found, "shape", None) != () or not np.issubdtype(found.dtype, np.floating):
                raise ParameterError("loss", found, "a function that returns one number for a row")
            assert self.program
        except DiscreetError:
            raise
        except Exception as trouble:  # whatever somebody's function raises on placeholders
            raise ParameterError("loss", f"{type(trouble).__name__}: {trouble}", "a function of a row in JAX") from None
        assert self.sums

    def describe(self) -> Json:
        """Return the form of the gradients: different for those that compute something else."""
        return {
            "form": FORM,
            "program": self.program,
            "encoding": self.encoding.describe(),
            "classes": self.classes,
            "unit": self.unit,
            "rows": self.rows,
            "slots": self.slots,
            "clip": repr(self.clip),
            "steps": self.grid.steps,
        }

    def make_up_rows(self) -> RowsOfUnits:
        """Return the made-up rows as those of units in memory."""
        places = np.arange(self.slots * self.rows, dtype=np.int64).reshape(self.slots, self.rows)
        flat = jax_modules()[0].tree.map(lambda each: each.reshape(-1, *each.shape[2:]), self.tried.rows)
        return RowsOfUnits(flat, places)

    def arrange(self, encoded: EncodedRows, offsets: Ints) -> RowsOfUnits:
        """Return rows by unit as the loss takes them: those of unit u are `encoded[offsets[u]:offsets[u + 1]]`.

        A row of no declared class is left out, and so is a unit of such rows alone: each by its own rows.
        """
        labels = encoded.labels
        taught = (labels >= 0) & (labels < self.classes) if self.classes else np.ones(len(labels), dtype=bool)
        counts = np.diff(offsets)
        owners = np.repeat(np.arange(len(counts)), counts)[taught]
        own = np.bincount(owners, minlength=len(counts))
        ranks = np.arange(len(owners)) - np.repeat(np.cumsum(own) - own, own)
        places = np.full((len(counts), self.rows), -1, dtype=np.int64)
        first = ranks < self.rows
        places[owners[first], ranks[first]] = np.flatnonzero(taught)[first]
        y = labels.astype(np.int32) if self.classes else (labels / self.unit).astype(np.float32)
        return RowsOfUnits((write_features(encoded), y), places[places[:, 0] >= 0])


def write_features(encoded: EncodedRows) -> Any:
    """Return features as a matrix of 32-bit floats: numbers from -1 to 1, and 1 at a category's place."""
    features = encoded.encoding.features
    matrix = np.zeros((len(encoded), encoded.encoding.width - 1), dtype=np.float32)
    numbers, places = iter(encoded.numbers.T), iter(encoded.places)
    for feature, part in zip(features, find_slices(features), strict=True):
        if isinstance(feature, NumberFeature):
            matrix[:, part.start] = next(numbers) / FEATURE_STEPS
        else:
            matrix[np.arange(len(encoded)), part.start + next(places)] = 1
    return matrix


def count_batches(expected: int, slots: int, sampled: bool) -> int:
    """Return how many physical batches a step always makes, from public facts: enough for all samples but freak ones.

    A sample of so many units on average is larger by 8 of its standard deviations once in 10^15 steps.
    """
    most = expected + math.ceil(8 * math.sqrt(expected)) if sampled else expected
    return -(-most // slots)
