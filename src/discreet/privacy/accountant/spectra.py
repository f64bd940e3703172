"""Powers of characteristic functions, exact enough for a great many releases.

A transform's round-off is relative to the largest frequency, so the k-th power of it is off by k times as much. But
where k is large, only the few frequencies count at which the characteristic function is within 80 / k of 1; there its
difference from 1 is a sum of small terms, and has nearly all its digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.base.grid import Floats
from discreet.privacy.accountant.pairs import UNIT

Complexes = NDArray[np.complex128]

SMALLEST = 80.0
"""Frequencies that fall below e^-80 in a power are left out of it."""

MOST_WORK = 1 << 26
"""The most terms of all direct sums together."""

CHUNK = 1 << 21
"""The most terms held at a time."""


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Some frequencies of a law on a ring of `size` points, and a bound on the 2-norm of their errors."""

    frequencies: NDArray[np.int64]
    values: Complexes
    error: float


def find_large(logs: Floats) -> NDArray[np.int64]:
    """Return the frequencies that are not left out, given the log magnitude of each."""
    found: NDArray[np.int64] = np.flatnonzero(logs > -SMALLEST)
    return found


def raise_directly(powers: list[tuple[int, Floats, int]], size: int, frequencies: NDArray[np.int64]) -> Spectrum | None:
    """Return the product of powers at these frequencies from direct sums, or nothing where that is too much work.

    Each law is given by its first point, its masses and its count. With x the points counted from near the mean and
    w = 2 pi f / size, the characteristic function is a phase times 1 + z, z the sum of masses (e^(-i w x) - 1).
    """
    if len(frequencies) * sum(len(masses) for _, masses, _ in powers) > MOST_WORK:
        return None
    logs, turns = np.zeros(len(frequencies), dtype=np.complex128), np.zeros(len(frequencies), dtype=np.int64)
    doubt = np.full(len(frequencies), 64 * UNIT)
    for first, masses, count in powers:
        places = np.arange(len(masses), dtype=np.float64)
        middle = round(float(masses @ places))
        z, spread = _sum_differences(masses, places - middle, 2 * math.pi * frequencies / size)
        logs += count * (0.5 * np.log1p(2 * z.real + np.abs(z) ** 2) + 1j * np.arctan2(z.imag, 1 + z.real))
        turns = (turns + frequencies * (count * (first + middle) % size)) % size
        doubt += count * UNIT * (32 * np.abs(z) + 64 * spread + 16)
    with np.errstate(under="ignore"):
        values = np.exp(logs - 2j * math.pi * turns / size)
    error = math.sqrt(2 * float(np.sum((np.abs(values) * doubt) ** 2)) / size)
    return Spectrum(frequencies, values, error)


def _sum_differences(masses: Floats, places: Floats, angles: Floats) -> tuple[Complexes, Floats]:
    """Return the sum of masses (e^(-i angle x) - 1) for each angle, and a bound on that of masses |sin(angle x)|."""
    rows = max(1, CHUNK // len(masses))
    sums = np.empty(len(angles), dtype=np.complex128)
    for begin in range(0, len(angles), rows):
        phase = angles[begin : begin + rows, None] * places
        sums[begin : begin + rows] = -2 * np.sin(phase / 2) ** 2 @ masses - 1j * (np.sin(phase) @ masses)
    spread: Floats = np.minimum(angles * float(masses @ np.abs(places)), 1.0)
    return sums, spread
