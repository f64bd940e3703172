"""How many people tests on counts in cells need: by ranks, by curves, and of independence, from public guesses.

A design says which shares of each group's people somebody expects in the bins between public cuts. Tables are simulated
as the curator would release them. What they are compared with is simulated once, by all groups' mean shares and at the
upper end of the number of people: the test estimates both anew for each table, which changes little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.mechanisms import Laplace
from discreet.robust.designs.planning import RUNS, check_design
from discreet.robust.intervals.laws import Booleans
from discreet.robust.testing.contingency import (
    COUNT_MISS,
    DRAWS,
    CellMeasure,
    bound_people,
    draw_noise,
    measure_independence,
    simulate_null,
)
from discreet.robust.testing.ranks import check_groups, measure_gap, measure_ranks

special = Later("scipy.special")

MEASURES: dict[str, CellMeasure] = {
    "kruskal_wallis": measure_ranks,
    "mann_whitney": measure_ranks,
    "kolmogorov_smirnov": measure_gap,
    "chi_square": measure_independence,
}
"""The statistics of tests on tables of cells."""

TWO = ("mann_whitney", "kolmogorov_smirnov")
"""Tests of two groups."""


@dataclass(frozen=True, slots=True)
class TableDesign:
    """A test on counts of people by group and bin: `shares` has a row for each group, the shares of its people by bin.

    `parts` are the shares of all people who are in each group, equal ones if not given.
    """

    shares: tuple[tuple[float, ...], ...]
    epsilon: float
    test: str = "kruskal_wallis"
    parts: tuple[float, ...] | None = None
    size: float = 0.05

    def __post_init__(self) -> None:
        check.choice("test", self.test, tuple(MEASURES))
        check_design(self.epsilon, 2, self.size)
        if len(self.shares) < 2 or (self.test in TWO and len(self.shares) > 2):
            raise ParameterError("shares", self.shares, "a row for each group: two, or for other tests more")
        if len({len(row) for row in self.shares}) != 1 or len(self.shares[0]) < 2:
            raise ParameterError("shares", self.shares, "rows of one length: a share for each of two bins or more")
        for row in (*self.shares, self.parts or (1.0,)):
            if any(not 0 <= float(check.real("shares", each)) <= 1 for each in row) or abs(sum(row) - 1) > 1e-6:
                raise ParameterError("shares", row, "shares from 0 to 1 that add up to 1")
        if self.parts is not None and len(self.parts) != len(self.shares):
            raise ParameterError("parts", self.parts, "one for each group")

    @classmethod
    def of_normal(
        cls,
        means: Sequence[float],
        deviation: float,
        cuts: Sequence[float],
        epsilon: float,
        test: str = "kruskal_wallis",
    ) -> Self:
        """Return the design for groups whose values are normal around these means, in the bins between public cuts."""
        check.real("deviation", deviation, above=0)
        held = [float(check.real("cuts", each)) for each in cuts]
        rows = []
        for mean in means:
            below = special.ndtr((np.asarray(held) - float(check.real("means", mean))) / deviation)
            rows.append(tuple(np.diff(np.concatenate([[0.0], below, [1.0]])).tolist()))
        return cls(tuple(rows), epsilon, test)

    @property
    def words(self) -> str:
        """What it is called in a picture."""
        of = f"{len(self.shares)} groups in {len(self.shares[0])} bins"
        return f"{self.test.replace('_', ' ')} of {of}, epsilon {float(self.epsilon):g}"

    @property
    def differs(self) -> bool:
        """Whether there is anything to find."""
        return any(row != self.shares[0] for row in self.shares)

    def reject(self, people: int, rng: np.random.Generator) -> Booleans:
        """Return which of the simulated samples of so many people in all are rejected."""
        noise, measure = Laplace(1 / float(self.epsilon)), MEASURES[self.test]
        tables = self.draw(people, RUNS, rng)
        parts, shares = self._list_parts(), np.asarray(self.shares)
        usual = np.array([[float(people)] + [0.0] * (shares.size - 1)])
        null, most = np.outer(parts, parts @ shares), bound_people(usual, noise).astype(np.int64)
        nulls = simulate_null(null[None] / null.sum(), most, noise, measure, DRAWS, rng)[0]
        far = DRAWS - np.searchsorted(np.sort(nulls), measure(tables, noise), side="left")
        small: Booleans = (1 + far) / (1 + DRAWS) + COUNT_MISS <= self.size
        return small if self.test == "chi_square" else small & check_groups(tables, noise)

    def draw(self, people: int, runs: int, rng: np.random.Generator) -> Floats:
        """Return noisy tables of so many people in all, in groups of fixed sizes."""
        counts = np.diff(np.round(np.concatenate([[0.0], self._list_parts().cumsum()]) * people)).astype(int)
        drawn = [rng.multinomial(count, row, runs) for count, row in zip(counts, self.shares, strict=True)]
        tables = np.stack(drawn, axis=-2)
        return tables + draw_noise(Laplace(1 / float(self.epsilon)), tables.shape, rng)

    def _list_parts(self) -> Floats:
        return np.asarray(self.parts or [1 / len(self.shares)] * len(self.shares))
