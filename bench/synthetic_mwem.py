"""The public reference of multiplicative weights, written anew in numpy to measure its error and nothing else.

PrivateMultiplicativeWeights.jl (Hardt; algorithm of Hardt, Ligett and McSherry 2012) was read for facts; what is
followed, by default as there:

- 10 rounds from the uniform table, the exact total n public, neighbours differing in one replaced row, answers as
  shares of n, and the last table as the result (no average).
- With e charged a round, b = 2 / (e n). A question is chosen by the largest |truth - estimate| + Laplace(b / share) and
  measured with Laplace(b / (1 - share)), share = 1/2. The gap of a question that was measured counts as 0 in a later
  choice; it may be chosen again by its noise, and then the new measurement replaces the old.
- The new measurement updates the table once; then all measurements do, 10 times, in random order each time. An update
  multiplies every cell by exp(error * q(cell) / 2), where the error is measurement - estimate, unclipped.
- Questions: intervals of a line (`Ranges`, in one dimension), all prefixes (`list_prefixes`), parities of at most k of
  d bits, the empty one included (`Parities`), and any lines of numbers by cell (`Lines`).

**What it costs.** Let one replaced row move each answer by s / n (s is 1 where questions count rows, 2 for a parity).
The choice costs 2 s * share * e / 2, since one row may raise one gap and lower another; the measurement costs
s * (1 - share) * e / 2. Together that is 0.75 e for ranges and 1.5 e for parities, where e is charged. With `honest`,
`run` gives it the noise with which all rounds together really cost the epsilon asked for; without, it charges epsilon /
rounds a round, as it says.

What is not imitated: the start from a noisy histogram and its evaluation of lines cannot run there (lines are evaluated
as meant here; so rectangles, which it lacks, can be asked); parities across its factored clusters, wrong for biased
bits, are left out, since all tables here are held whole; weights are kept as logarithms and a share is at least the
smallest normal float, so that its KL stays finite, where weights become 0 there and its own KL skips such cells. None
of this makes the reference worse. Its noise is floating point, and so it is here: this file measures errors and
protects nobody.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np

from synthetic_data import Numbers

ROUNDS = 10
REPETITIONS = 10
SHARE = 0.5


class Questions(ABC):
    """Linear questions about a table of shares; one replaced row moves each by at most `moved` / n."""

    moved: float = 1.0

    @abstractmethod
    def answer(self, shares: Numbers) -> Numbers:
        """Return all answers from a table, whose axes are the columns."""

    @abstractmethod
    def weigh(self, question: int) -> Numbers:
        """Return what a question counts in each cell, in the table's shape."""


@dataclass(frozen=True)
class Ranges(Questions):
    """Intervals in one dimension, boxes in more: on axis i the cells from low[:, i] up to and without high[:, i]."""

    shape: tuple[int, ...]
    low: Numbers
    high: Numbers

    def answer(self, shares: Numbers) -> Numbers:
        """Return all answers from running sums: corners with alternating signs."""
        sums = np.zeros(tuple(size + 1 for size in self.shape))
        sums[(slice(1, None),) * len(self.shape)] = shares
        for axis in range(len(self.shape)):
            np.cumsum(sums, axis=axis, out=sums)
        answers = np.zeros(len(self.low))
        for corner in np.ndindex((2,) * len(self.shape)):
            places = np.where(corner, self.high, self.low)
            answers += (-1) ** (len(self.shape) - sum(corner)) * sums[tuple(places.T)]
        return answers

    def weigh(self, question: int) -> Numbers:
        """Return 1 inside and 0 outside."""
        inside = np.zeros(self.shape)
        inside[tuple(slice(*ends) for ends in zip(self.low[question], self.high[question], strict=True))] = 1.0
        return inside


@dataclass(frozen=True)
class Parities(Questions):
    """The mean of (-1) to the sum of some bits, for at most `order` of them at once and none."""

    bits: int
    order: int
    moved: float = 2.0

    @cached_property
    def masks(self) -> Numbers:
        """Where the parities lie in the transformed table, flat: bit i of a table is axis i."""
        sets = (chosen for size in range(self.order + 1) for chosen in combinations(range(self.bits), size))
        masks = np.array([sum(1 << (self.bits - 1 - bit) for bit in chosen) for chosen in sets])
        assert len(masks) == sum(comb(self.bits, size) for size in range(self.order + 1))
        return masks

    def answer(self, shares: Numbers) -> Numbers:
        """Return all answers by one fast transform."""
        answers: Numbers = transform(shares).ravel()[self.masks]
        return answers

    def weigh(self, question: int) -> Numbers:
        """Return the signs."""
        cells = np.arange(1 << self.bits) & self.masks[question]
        signs: Numbers = 1.0 - 2.0 * (np.bitwise_count(cells) % 2)
        return signs.reshape((2,) * self.bits)


@dataclass(frozen=True)
class Lines(Questions):
    """Any questions, a line of numbers by cell each; `moved` is the widest span of a line."""

    shape: tuple[int, ...]
    lines: Numbers

    @property
    def moved(self) -> float:  # type: ignore[override]
        """How far one replaced row moves an answer: from the smallest number of a line to the largest."""
        return float(np.max(self.lines.max(axis=1) - self.lines.min(axis=1)))

    def answer(self, shares: Numbers) -> Numbers:
        """Return all answers."""
        answers: Numbers = self.lines @ shares.ravel()
        return answers

    def weigh(self, question: int) -> Numbers:
        """Return the line."""
        line: Numbers = self.lines[question].reshape(self.shape)
        return line


def draw_ranges(shape: tuple[int, ...], count: int = 2_000, seed: int = 15) -> Ranges:
    """Return random ranges from a public seed: on each axis two cells drawn uniformly, and all between them."""
    ends = np.sort(np.random.default_rng(seed).integers(0, np.array(shape), (2, count, len(shape))), axis=0)
    return Ranges(shape, ends[0], ends[1] + 1)


def list_prefixes(size: int) -> Ranges:
    """Return all intervals of a line that begin at its first cell."""
    return Ranges((size,), np.zeros((size, 1), dtype=np.int64), np.arange(1, size + 1).reshape(-1, 1))


def transform(table: Numbers) -> Numbers:
    """Return the Walsh-Hadamard transform of a table of bits, not divided by anything."""
    turned = table
    for axis in range(table.ndim):
        pairs = turned.reshape(1 << axis, 2, -1)
        turned = np.stack((pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]), axis=1)
    return turned.reshape(table.shape)


def find_cost(questions: Questions, share: float = SHARE) -> float:
    """Return what a round really costs, for an epsilon of 1 charged: see the top."""
    return questions.moved / 2 * (2 * share + (1 - share))


def run(
    questions: Questions,
    counts: Numbers,
    epsilon: float,
    random: np.random.Generator,
    *,
    rounds: int = ROUNDS,
    repetitions: int = REPETITIONS,
    share: float = SHARE,
    honest: bool = True,
) -> Numbers:
    """Return the table that the reference makes of these counts for epsilon in all, in rows."""
    total = counts.sum()
    truths = questions.answer(counts / total)
    charged = epsilon / rounds / (find_cost(questions, share) if honest else 1.0)
    scale = 2.0 / (charged * total)
    logs = np.zeros(counts.shape)
    shares = np.full(counts.shape, 1.0 / counts.size)
    measured: dict[int, float] = {}
    weights: dict[int, Numbers] = {}
    for _ in range(rounds):
        gaps = np.abs(truths - questions.answer(shares))
        gaps[list(measured)] = 0.0
        chosen = int(np.argmax(gaps + random.laplace(0.0, scale / share, len(gaps))))
        measured[chosen] = truths[chosen] + random.laplace(0.0, scale / (1.0 - share))
        weights[chosen] = questions.weigh(chosen)
        order = [chosen, *(each for _ in range(repetitions) for each in random.permutation(list(measured)))]
        for each in order:
            error = measured[each] - np.sum(weights[each] * shares)
            logs += error / 2.0 * weights[each]
            logs -= logs.max()
            np.exp(logs, out=shares)
            shares /= shares.sum()
    made: Numbers = np.maximum(shares, np.finfo(float).tiny) * total
    return made


def check() -> None:
    """Raise where fast answers are not the slow ones, or an almost noiseless run does not come near the truth."""
    random = np.random.default_rng(0)
    boxes, parities = draw_ranges((7, 5), 40), Parities(4, 2)
    for questions, counts in ((boxes, random.integers(0, 9, (7, 5))), (parities, random.integers(0, 9, (2,) * 4))):
        size = len(questions.answer(counts))
        lines = Lines(counts.shape, np.stack([questions.weigh(each).ravel() for each in range(size)]))
        np.testing.assert_allclose(questions.answer(counts), lines.answer(counts), atol=1e-9)
        found = run(lines, counts, 1e9, random, rounds=60)
        assert np.abs(lines.answer(found - counts)).max() < 0.05 * counts.sum()
    assert (find_cost(boxes), find_cost(parities)) == (0.75, 1.5)
