"""What every oracle does: counts of reports, and from these how many support each item."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.base.wide import Ints
from discreet.local.client import ItemMechanism, Mechanism
from discreet.noise import bits
from discreet.noise.coin import Bools

Bytes = NDArray[np.uint8]


M = TypeVar("M", bound=Mechanism)
Item = TypeVar("Item", bound=ItemMechanism)


class Batch(NamedTuple):
    """Reports of one metric: a seed and a line of payload bytes for each."""

    seeds: Ints
    payloads: Bytes

    def __len__(self) -> int:
        return len(self.payloads)


class Counted(NamedTuple):
    """What a batch adds to the counts, and which of its reports are sound: others count as nothing."""

    counts: Ints
    good: Bools


class Oracle(ABC, Generic[M]):
    """The collector's side of a mechanism. Counts of batches add up: in any order, in any grouping."""

    def __init__(self, mechanism: M) -> None:
        self.mechanism = mechanism

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The shape of the counts."""

    @abstractmethod
    def encode(self, values: Any) -> Batch:
        """Return a report for each value, as clients would make them: for simulations."""

    @abstractmethod
    def count(self, batch: Batch) -> Counted:
        """Return what the sound reports of a batch add to the counts."""


class ItemOracle(Oracle[Item]):
    """An oracle over items."""

    @abstractmethod
    def find_supports(self, counts: Ints) -> Ints:
        """Return how many of the counted reports support each item."""

    def find_spread(self, counts: Ints, squares: float) -> float:
        """Return a variance of estimates beside that of the coins: `squares` is the sum of squared frequencies."""
        return 0.0


def toss(chance: int, count: int) -> Bools:
    """Toss coins with exactly this chance, in 2^64ths.

    The first byte of a word decides most of them; the other seven are drawn where it does not.
    """
    first = bits.words(-(-count // 8)).view(np.uint8)[:count]
    top = chance >> 56
    if top == 256:
        return np.ones(count, dtype=bool)
    heads: Bools = first < top
    undecided = np.flatnonzero(first == top)
    rest = bits.words(len(undecided)) >> np.uint64(8)
    heads[undecided] = rest < np.uint64(chance & ((1 << 56) - 1))
    return heads


def pack_numbers(numbers: Ints, width: int) -> Bytes:
    """Return whole numbers as lines of bytes, lowest first."""
    wide = numbers.astype("<u8").view(np.uint8).reshape(len(numbers), 8)
    return np.ascontiguousarray(wide[:, :width])


def unpack_numbers(lines: Bytes) -> Ints:
    """Return the whole numbers of lines of at most 7 bytes, lowest first."""
    wide = np.zeros((len(lines), 8), dtype=np.uint8)
    wide[:, : lines.shape[1]] = lines
    return wide.view("<i8").reshape(len(lines)).astype(np.int64)


def sum_bits(payloads: Bytes, size: int) -> Ints:
    """Return how many lines have each bit set, the first in the lowest place: 255 lines at a time, in bytes."""
    total = np.zeros(size, dtype=np.int64)
    for start in range(0, len(payloads), 255 * 64):
        part = np.unpackbits(payloads[start : start + 255 * 64], axis=1, count=size, bitorder="little")
        for first in range(0, len(part), 255):
            total += part[first : first + 255].sum(axis=0, dtype=np.uint8)
    return total


def find_padded(payloads: Bytes, size: int) -> Bools:
    """Say which lines have no bit set beyond the last item's."""
    spare = 8 * payloads.shape[1] - size
    if not spare:
        return np.ones(len(payloads), dtype=bool)
    return np.asarray(payloads[:, -1] < 1 << (8 - spare))
