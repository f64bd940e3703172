"""Answers inferred from earlier releases: weighted least squares on their public variances.

A count of cells is a sum of released ones with factors: one that has the same cells as the question, each exactly once
in sum. Among all such sums the one with the least variance is found in floats; its factors are then made exact, in
fractions, so that the estimate has no bias whatever the table holds. Factors depend on public facts alone.

The interval is that of one question that was chosen without looking at the answers that it is made from, and the answer
says so: factors that were chosen after a look would make it too short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat
from numpy.typing import NDArray
from scipy.linalg import lstsq, qr

from discreet.base.grid import Floats
from discreet.mechanisms import Laplace
from discreet.synthetic.online.book import MOST_GROUPS, CellCounts, Release
from discreet.synthetic.online.tails import CountNoise, bound_weighted_sum

MOST_ROWS = MOST_GROUPS
"""Released counts that are looked at: of the newest releases, so that a question never takes long."""

TINY = 1e-7
GRAIN = 1 << 20
"""Factors that may be chosen freely are whole numbers of this part."""

Flags = NDArray[np.bool_]

Term = tuple[int, int, Fraction]
"""A release by its place, one of its groups, and the factor of its count."""


@dataclass(frozen=True)
class Inference:
    """For each group of a question the released counts that it is the sum of, with their factors."""

    terms: tuple[tuple[Term, ...], ...]

    @property
    def used(self) -> tuple[int, ...]:
        """The places of all releases that are used."""
        return tuple(sorted({place for each in self.terms for place, _, _ in each}))

    def bound(self, noises: Sequence[CountNoise], group: int, miss: float) -> float:
        """Return a half-width: half a row is for rounding to a whole number."""
        factors = tuple((float(factor), noises[place]) for place, _, factor in self.terms[group])
        whole = all(factor.denominator == 1 for _, _, factor in self.terms[group])
        return bound_weighted_sum(factors, miss) + (0.0 if whole else 0.5)


def infer(counts: CellCounts, releases: Sequence[Release], width: float, miss: float) -> Inference | None:
    """Return how the counts are inferred with half-widths of at most `width`; None where they cannot be."""
    rows, chosen = _list_rows(releases)
    if not rows:
        return None
    stacked = np.stack([*(releases[place].counts.labels for place in chosen), counts.labels])
    kept = (stacked >= 0).any(axis=0)
    atoms = np.unique(stacked[:, kept], axis=1)  # cells that no release and no group tells apart are one
    order = {place: at for at, place in enumerate(chosen)}
    matrix = np.stack([atoms[order[place]] == group for place, group in rows])
    deviations = np.array([_deviate(releases[place].noise) for place, _ in rows])
    noises = [each.noise for each in releases]
    found = []
    for group in range(counts.groups):
        wanted = atoms[-1] == group
        factors = _solve(matrix, wanted, deviations)
        if factors is None:
            return None
        terms = tuple((*rows[at], factor) for at, factor in factors)
        inference = Inference((terms,))
        if inference.bound(noises, 0, miss) > width:
            return None
        found.append(terms)
    return Inference(tuple(found))


def _list_rows(releases: Sequence[Release]) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the released counts of the newest releases, as (place, group), and the places of these releases."""
    rows: list[tuple[int, int]] = []
    chosen: list[int] = []
    for place in range(len(releases) - 1, -1, -1):
        each = releases[place]
        if each.bought or not each.recorded:
            continue
        if len(rows) + each.counts.groups > MOST_ROWS:
            continue
        rows += [(place, group) for group in range(each.counts.groups) if each.counts.sizes[group]]
        chosen.append(place)
    return rows, chosen


def _deviate(noise: CountNoise) -> float:
    """Return the standard deviation of a noise, about."""
    return float(2**0.5 * noise.scale if isinstance(noise, Laplace) else noise.sigma)


def _solve(matrix: Flags, wanted: Flags, deviations: Floats) -> list[tuple[int, Fraction]] | None:
    """Return the factors, by row, of the least variance with which the rows add up to what is wanted, exactly."""
    if not wanted.any():
        return []
    scaled = matrix.T / deviations
    solution = lstsq(scaled, wanted.astype(float), lapack_driver="gelsy", check_finite=False)[0]
    if np.abs(scaled @ solution - wanted).max() > TINY:
        return None
    factors = solution / deviations
    used = np.flatnonzero(np.abs(factors) > TINY)
    whole = np.rint(factors[used]).astype(np.int64)
    if np.array_equal(whole @ matrix[used].astype(np.int64), wanted.astype(np.int64)):
        return [(int(at), Fraction(int(factor))) for at, factor in zip(used, whole, strict=True) if factor]
    return _make_exact(matrix, wanted, factors, used)


def _make_exact(
    matrix: Flags, wanted: Flags, factors: Floats, used: NDArray[np.int64]
) -> list[tuple[int, Fraction]] | None:
    """Return fractions near these factors that add up exactly: those of dependent rows rounded, the others solved for.

    What comes out is checked in whole numbers, so floats decide nothing but which rows are solved for.
    """
    rows = matrix[used].astype(float).T  # a line for each atom, a column for each row that is used
    _, upper, order = qr(rows, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(upper))
    rank = int((diagonal > TINY * diagonal[0]).sum())
    base, free = order[:rank], order[rank:]
    atoms = qr(rows[:, base].T, mode="r", pivoting=True)[1][:rank]
    exact = {int(at): Fraction(round(float(factors[used[at]]) * GRAIN), GRAIN) for at in free}
    left = [
        Fraction(int(wanted[atom])) - sum((value for at, value in exact.items() if rows[atom, at]), Fraction(0))
        for atom in atoms
    ]
    square = fmpq_mat(rank, rank, [fmpq(int(rows[atom, at])) for atom in atoms for at in base])
    try:
        solved = square.solve(fmpq_mat(rank, 1, [fmpq(each.numerator, each.denominator) for each in left]))
    except ZeroDivisionError:
        return None
    for at, place in enumerate(base):
        exact[int(place)] = Fraction(int(solved[at, 0].p), int(solved[at, 0].q))
    for atom in range(len(wanted)):
        if sum((value for at, value in exact.items() if rows[atom, at]), Fraction(0)) != int(wanted[atom]):
            return None
    return [(int(used[at]), value) for at, value in sorted(exact.items()) if value]
