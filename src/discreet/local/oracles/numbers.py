"""Numbers, counted by output."""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.local.client import HybridMean, NumberMechanism, OneBitMean, PiecewiseMean
from discreet.local.oracles.oracle import Batch, Counted, Oracle, pack_numbers, toss, unpack_numbers
from discreet.noise import uniform_int

FINE = 1 << 40
"""Parts of the unit that numbers are rounded to before they are told in bulk."""

N = TypeVar("N", bound=NumberMechanism)


class NumberOracle(Oracle[N]):
    """Counts how often each output was told."""

    @property
    def shape(self) -> tuple[int, ...]:
        """A count for each output."""
        return (self.mechanism.outputs,)

    @property
    def values(self) -> Floats:
        """The number that each output stands for."""
        return list_values(self.mechanism)

    @abstractmethod
    def tell(self, placed: Ints) -> Ints:
        """Return an output for each number, in whole parts of 2^-40 from 0 at -1 to 2^41 at 1."""

    def encode(self, values: Any) -> Batch:
        """Return a report for each number from -1 to 1. These are rounded to 2^-40 first: it is a simulation."""
        numbers = np.asarray(values, dtype=np.float64)
        if not (np.abs(numbers) <= 1).all():
            raise ParameterError.of_data("values", numbers, "numbers from -1 to 1: where each lies between its bounds")
        told = self.tell(np.rint((numbers + 1) * FINE).astype(np.int64))
        return Batch(np.zeros(len(told), dtype=np.int64), pack_numbers(told, self.mechanism.payload_size))

    def count(self, batch: Batch) -> Counted:
        """Return how often each output was told."""
        told = unpack_numbers(batch.payloads)
        good = (told < self.mechanism.outputs) & (batch.seeds == 0)
        return Counted(np.bincount(told[good], minlength=self.mechanism.outputs), good)


class OneBitOracle(NumberOracle[OneBitMean]):
    """Counts bits."""

    def tell(self, placed: Ints) -> Ints:
        """Return a bit for each number."""
        return tell_bits(self.mechanism, placed)


class PiecewiseOracle(NumberOracle[PiecewiseMean]):
    """Counts cells."""

    def tell(self, placed: Ints) -> Ints:
        """Return a cell for each number."""
        return tell_cells(self.mechanism, placed)


class HybridOracle(NumberOracle[HybridMean]):
    """Counts cells, and bits after them."""

    def tell(self, placed: Ints) -> Ints:
        """Return a cell or a bit for each number."""
        wide, narrow = self.mechanism.wide, self.mechanism.narrow
        cells, bits = tell_cells(wide, placed), wide.outputs + tell_bits(narrow, placed)
        return np.where(toss(self.mechanism.share, len(placed)), cells, bits)


@lru_cache(maxsize=64)
def list_values(mechanism: NumberMechanism) -> Floats:
    """Return the number that each output stands for, to be read only."""
    values = np.array([float(mechanism.find_value(output)) for output in range(mechanism.outputs)])
    values.flags.writeable = False
    return values


def tell_bits(mechanism: OneBitMean, placed: Ints) -> Ints:
    """Return a bit for each number, as `OneBitMean.tell` does."""
    return round_by_coins(placed, 1) ^ ~toss(mechanism.truth, len(placed))


def tell_cells(mechanism: PiecewiseMean, placed: Ints) -> Ints:
    """Return a cell for each number, as `PiecewiseMean.tell` does."""
    starts = round_by_coins(placed, mechanism.starts)
    within, without = uniform_int(mechanism.width, len(placed)), uniform_int(mechanism.starts, len(placed))
    outside = without + np.where(without >= starts, mechanism.width, 0)
    told: Ints = np.where(toss(mechanism.truth, len(placed)), starts + within, outside)
    return told


def round_by_coins(placed: Ints, steps: int) -> Ints:
    """Return a whole number from 0 to `steps` for each, as `client.numbers.round_by_coin` does."""
    whole, rest = np.divmod(placed * steps, 2 * FINE)
    up: Ints = (uniform_int(2 * FINE, len(placed)) < rest).astype(np.int64)
    return whole + up
