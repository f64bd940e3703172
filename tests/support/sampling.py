"""What many tests share: recorded bits, chosen bits, forks, and goodness-of-fit tests that rarely err."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable, Iterable

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray
from scipy import special

from discreet.noise.bits import Words

ALARM = 1e-9
"""A sound test of a sound sampler fails this often."""

Cdf = Callable[[NDArray[np.float64]], NDArray[np.float64]]


class GeneratorBits:
    """Uniform words from a seeded generator: a replayable stand-in for the operating system."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)
        self.taken = 0

    def words(self, count: int) -> Words:
        self.taken += count
        return self._generator.integers(0, 2**64, count, dtype=np.uint64)


class ScriptedBits:
    """Exactly the words given, in order; asking for more fails the test."""

    def __init__(self, words: Iterable[int]) -> None:
        self._words = [int(word) for word in words]
        self.taken = 0

    def words(self, count: int) -> Words:
        if self.taken + count > len(self._words):
            raise AssertionError(f"asked for {count} words with {len(self._words) - self.taken} left in the script")
        taken = self._words[self.taken : self.taken + count]
        self.taken += count
        return np.array(taken, dtype=np.uint64)


def binary_digits(number: Callable[[], arb], count: int) -> int:
    """Return floor(number * 2^count), from balls of some hundreds of bits more."""
    with ctx.workprec(count + 400):
        whole = (number() * arb(2) ** count).floor().unique_fmpz()
    assert whole is not None, "the number is too close to a multiple of 2^-count"
    return int(whole)


def as_words(whole: int, extensions: int, first: int = 64, negative: bool = False) -> list[int]:
    """Return the words from which a sampler reads the uniform real whole / 2^(first + 64 * extensions).

    The first word gives `first` bits; where that is 63, its top bit is the sign.
    """
    assert 0 <= whole < 1 << (first + 64 * extensions)
    words = [whole >> (64 * place) & (2**64 - 1) for place in reversed(range(extensions + 1))]
    return [words[0] | (1 << 63 if negative else 0), *words[1:]]


def in_child(task: Callable[[], bytes], seconds: int = 60) -> bytes:
    """Run the task in a forked child and return its bytes; a child that hangs or fails fails the test."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads and forks: what some of these tests are about
        child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(seconds)
            os.close(reader)
            with os.fdopen(writer, "wb") as pipe:
                pipe.write(task())
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, "the child did not end well"
    return told


def chi_square_p(observed: NDArray[np.int64], probabilities: NDArray[np.float64]) -> float:
    """Return the p-value of counts against cell probabilities; cells expecting under 100 are joined to a neighbour.

    With fewer, the chi-square law's tail at one in a billion is no longer that of the counts.
    """
    if np.any(observed[probabilities == 0]):
        return 0.0
    expected = probabilities * observed.sum()
    seen_cells: list[float] = []
    expected_cells: list[float] = []
    seen = wanted = 0.0
    for count, mean in zip(observed, expected, strict=True):
        seen, wanted = seen + count, wanted + mean
        if wanted >= 100:
            seen_cells.append(seen)
            expected_cells.append(wanted)
            seen = wanted = 0.0
    assert len(seen_cells) > 1, "too few draws or cells to test anything"
    seen_cells[-1] += seen
    expected_cells[-1] += wanted
    means = np.array(expected_cells)
    statistic = float(np.sum((np.array(seen_cells) - means) ** 2 / means))
    return float(special.chdtrc(len(means) - 1, statistic))


def integer_fit_p(draws: NDArray[np.int64], cdf: Cdf) -> float:
    """Return the chi-square p-value of integer draws against an exact CDF, over some 200 cells of integers.

    The cells are a function of the law alone.
    """
    low, high = _quantile(cdf, 0.0005), _quantile(cdf, 0.9995)
    edges = np.unique(np.floor(np.linspace(low, high, 200)))  # cell i: edges[i-1] < x <= edges[i]
    cells = np.searchsorted(edges, draws, side="left")
    observed = np.bincount(cells, minlength=len(edges) + 1)
    below = np.concatenate([[0.0], cdf(edges), [1.0]])
    return chi_square_p(observed, np.diff(below))


def kolmogorov_p(draws: NDArray[np.int64], cdf: Cdf) -> float:
    """Return the Kolmogorov-Smirnov p-value of integer draws (conservative: the law is discrete)."""
    points, counts = np.unique(draws, return_counts=True)
    reached = np.cumsum(counts)
    at = np.abs(reached / len(draws) - cdf(points.astype(np.float64)))
    before = np.abs((reached - counts) / len(draws) - cdf(points.astype(np.float64) - 1))
    distance = float(max(at.max(), before.max()))
    return float(special.kolmogorov(distance * np.sqrt(len(draws))))


def _quantile(cdf: Cdf, share: float) -> float:
    """Return the least whole number at which the CDF reaches the share."""
    low, high = -1.0, 1.0
    while cdf(np.array([low]))[0] >= share:
        low *= 2
    while cdf(np.array([high]))[0] < share:
        high *= 2
    while high - low > 1:
        middle = np.floor((low + high) / 2)
        low, high = (low, middle) if cdf(np.array([middle]))[0] >= share else (middle, high)
    return high
