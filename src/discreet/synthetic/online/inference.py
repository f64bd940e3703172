"""Answers inferred from earlier releases: weighted least squares on their public variances.

A count of cells is a sum of released ones with factors: one that has the same cells as the question, each exactly once
in sum. Among all such sums the one with the least variance is found in floats; its factors are then made exact, in
fractions, so that the estimate has no bias whatever the table holds. Factors depend on public facts alone.

The interval is that of one question that was chosen without looking at the answers that it is made from, and the answer
says so: factors that were chosen after a look would make it too short.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np
from flint import fmpq_mat, fmpz_mat
from numpy.typing import NDArray
from scipy.linalg import pinvh, qr
from scipy.special import ndtri

from discreet.base.grid import Floats
from discreet.mechanisms import Laplace
from discreet.synthetic.online.counts import CellCounts, Release
from discreet.synthetic.online.tails import CountNoise, bound_weighted_sum

MOST_ROWS = 600
"""Released counts that are looked at: of the newest releases, so that a question never takes long."""

TINY = 1e-7
SMALL = 1e-11
"""Eigenvalues below this part of the largest count as none. Whatever floats find is checked exactly."""

GRAIN = 1 << 20
"""Factors that may be chosen freely are whole numbers of this part."""

LARGE = float(1 << 30)
"""Factors beyond this are not made exact: sums of 600 of them in grains are whole numbers of 64 bits."""

Flags = NDArray[np.bool_]

CountTerm = tuple[int, int, Fraction]
"""A release by its place, one of its groups, and the factor of its count."""


@dataclass(frozen=True)
class Inference:
    """For each group of a question the released counts that it is the sum of, with their factors."""

    terms: tuple[tuple[CountTerm, ...], ...]

    @property
    def used(self) -> tuple[int, ...]:
        """The places of all releases that are used."""
        return tuple(sorted({place for each in self.terms for place, _, _ in each}))

    def bound(self, noises: Mapping[int, CountNoise], group: int, miss: float) -> float:
        """Return a half-width: half a row is for rounding to a whole number."""
        factors = tuple((float(factor), noises[place]) for place, _, factor in self.terms[group])
        whole = all(factor.denominator == 1 for _, _, factor in self.terms[group])
        return bound_weighted_sum(factors, miss) + (0.0 if whole else 0.5)


class LeastSquares:
    """What can be inferred from some releases, as (place, release): solved once for all questions until there are more.

    Cells that no release tells apart are one atom; a question that tells them apart follows from none of these.
    """

    def __init__(self, releases: tuple[tuple[int, Release], ...]) -> None:
        self.releases = releases
        self._rows, chosen = _list_rows(releases)
        if not self._rows:
            return
        cells = np.stack([release.counts.labels for release in chosen.values()], axis=1)
        whole = cells.view(np.dtype((np.void, cells.itemsize * cells.shape[1]))).ravel()  # a cell's labels as one value
        _, self._first, self._atom_of = np.unique(whole, return_index=True, return_inverse=True)
        labels = dict(zip(chosen, cells[self._first].T, strict=True))
        self._matrix: Flags = np.stack([labels[place] == group for place, group in self._rows])
        self._noises = {place: release.noise for place, release in chosen.items()}
        self._deviations = np.array([_deviate(self._noises[place]) for place, _ in self._rows])
        self._inverse: Floats | None = None

    def infer(self, counts: CellCounts, width: float, miss: float) -> Inference | None:
        """Return how the counts are inferred with half-widths of at most `width`; None where they cannot be."""
        if not self._rows or counts.groups > MOST_ROWS:
            return None
        asked = counts.labels[self._first]
        if not np.array_equal(asked[self._atom_of], counts.labels):
            return None
        found: list[tuple[CountTerm, ...]] = []
        for group in range(counts.groups):
            wanted = asked == group
            factors = self._solve(wanted, width / max(_quantile(miss), 0.1))
            if factors is None:
                return None
            found.append(tuple((*self._rows[at], factor) for at, factor in factors))
            if Inference((found[-1],)).bound(self._noises, 0, miss) > width:
                return None
        return Inference(tuple(found))

    def _solve(self, wanted: Flags, most: float) -> list[tuple[int, Fraction]] | None:
        """Return the factors, by row, of the least variance with which the rows add up to what is wanted, exactly.

        A sum whose standard deviation is beyond `most` would be too wide, and is not made exact.
        """
        if not wanted.any():
            return []
        if self._inverse is None:
            self._inverse = _invert(self._matrix / self._deviations[:, None])
        scaled = self._inverse @ wanted
        scaled += self._inverse @ (wanted - (scaled / self._deviations) @ self._matrix)
        factors = scaled / self._deviations
        if float(np.linalg.norm(factors * self._deviations)) > most:
            return None
        used = np.flatnonzero(np.abs(factors) > TINY)
        whole = np.rint(factors[used]).astype(np.int64)
        near = np.abs(factors[used] - whole).max(initial=0.0) < TINY
        if near and np.array_equal(whole @ self._matrix[used].astype(np.int64), wanted.astype(np.int64)):
            return [(int(at), Fraction(int(factor))) for at, factor in zip(used, whole, strict=True) if factor]
        if len(used) == 0 or np.abs(factors @ self._matrix - wanted).max() > TINY:
            return None
        return _make_exact(self._matrix, wanted, factors, used)


def _list_rows(releases: tuple[tuple[int, Release], ...]) -> tuple[list[tuple[int, int]], dict[int, Release]]:
    """Return the released counts of the newest releases, as (place, group), and these releases by their places."""
    rows: list[tuple[int, int]] = []
    chosen: dict[int, Release] = {}
    for place, each in reversed(releases):
        if len(rows) + each.counts.groups <= MOST_ROWS:
            rows += [(place, group) for group in range(each.counts.groups) if each.counts.sizes[group]]
            chosen[place] = each
    return rows, chosen


def _invert(rows: Floats) -> Floats:
    """Return the pseudoinverse of the transposed rows, by whichever of their two squares is smaller."""
    found: Floats
    if len(rows) < rows.shape[1]:
        found = pinvh(rows @ rows.T, rtol=SMALL) @ rows
    else:
        found = rows @ pinvh(rows.T @ rows, rtol=SMALL)
    return found


def _quantile(miss: float) -> float:
    """Return how many standard deviations a sum of Laplace or Gaussian noises reaches at least, about."""
    return 0.9 * float(ndtri(1 - miss / 2))


def _deviate(noise: CountNoise) -> float:
    """Return the standard deviation of a noise, about."""
    return float(2**0.5 * noise.scale if isinstance(noise, Laplace) else noise.sigma)


def _make_exact(
    matrix: Flags, wanted: Flags, factors: Floats, used: NDArray[np.int64]
) -> list[tuple[int, Fraction]] | None:
    """Return fractions near these factors that add up exactly: those of dependent rows rounded, the others solved for.

    What comes out is checked in whole numbers, so floats decide nothing but which rows are solved for.
    """
    if np.abs(factors).max() > LARGE:
        return None
    rows = matrix[used].T  # a line for each atom, a column for each row that is used
    _, upper, order = qr(rows.astype(float), mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(upper))
    rank = int((diagonal > TINY * diagonal[0]).sum())
    base, free = order[:rank], order[rank:]
    atoms = qr(rows[:, base].T.astype(float), mode="r", pivoting=True)[1][:rank]
    grains = np.rint(factors[used[free]] * GRAIN).astype(np.int64)
    left = wanted * GRAIN - rows[:, free].astype(np.int64) @ grains
    square = _write_matrix(rows[np.ix_(atoms, base)])
    try:
        solved, shared = cast(fmpq_mat, square.solve(_write_matrix(left[atoms, None]))).numer_denom()
    except ZeroDivisionError:
        return None
    if _write_matrix(rows[:, base]) * solved != _write_matrix(left[:, None]) * shared:
        return None
    exact = {int(at): Fraction(int(grain), GRAIN) for at, grain in zip(used[free], grains, strict=True)}
    whole = GRAIN * int(shared)
    exact |= {int(at): Fraction(int(part), whole) for at, part in zip(used[base], solved.entries(), strict=True)}
    return [(at, factor) for at, factor in sorted(exact.items()) if factor]


def _write_matrix(numbers: NDArray[Any]) -> fmpz_mat:
    lines, columns = numbers.shape
    written: fmpz_mat = fmpz_mat(lines, columns, numbers.astype(np.int64).ravel().tolist())
    return written
