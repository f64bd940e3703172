"""The linear model of rates, and its least-squares fit with standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.base.wide import Ints
from discreet.local.rappor.candidates import Candidates
from discreet.local.rappor.rates import BitRates
from discreet.local.rappor.regression import drop_dependent
from discreet.noise.coin import Bools

linalg = Later("scipy.linalg")


@dataclass(frozen=True, eq=False)
class Design:
    """The linear model of rates: each row in units of its standard error.

    A text that is not listed sets every row with the chance of the background, and all texts' frequencies add up to
    1. So the rates less the background are the candidates' columns less the background, times their frequencies: the
    mass of unlisted texts needs no column, and biases nothing on average over hashes.
    """

    candidates: Candidates
    reports: Ints
    scales: Floats
    background: Floats
    target: Floats

    @classmethod
    def build(cls, candidates: Candidates, rates: BitRates) -> Design:
        """Return the model of rates."""
        scales = np.sqrt(rates.weights.reshape(-1))
        background = candidates.background
        return cls(candidates, rates.reports, scales, background, scales * (rates.shares.reshape(-1) - background))

    @property
    def apart(self) -> Floats:
        """The column of the mass of unlisted texts whose rows are left out: no background comes of it elsewhere."""
        return -self.scales * self.background

    def sum_powers(self, power: int, weights: Floats) -> Floats:
        """Return for every candidate the sum of its column's entries, to a power and times weights of rows."""
        own, other = ((self.scales * each) ** power * weights for each in (1 - self.background, -self.background))
        return np.asarray(self.candidates.sum_rows(own - other) + other.sum())

    def correlate(self, residual: Floats) -> Floats:
        """Return the product of every candidate's column with a vector of rows."""
        return self.sum_powers(1, residual)

    def sum_squares(self, weights: Floats) -> Floats:
        """Return for every candidate's column the sum of its squares, times weights of rows."""
        return self.sum_powers(2, weights)

    def write_columns(self, chosen: Ints) -> Floats:
        """Return columns of candidates."""
        columns = self.candidates.write_columns(chosen)
        columns -= self.background[:, None]
        columns *= self.scales[:, None]
        return columns


@dataclass(frozen=True, eq=False)
class Fit:
    """The least-squares fit of chosen candidates to the rows that are kept.

    Where rows are left out, the last column is the mass that is apart from the background; `estimates` has it too.
    """

    design: Design
    chosen: Ints
    kept: Bools
    columns: Floats
    gram: Floats
    inverse: Floats
    influence: Floats
    """What each row adds to each estimate."""
    estimates: Floats

    @classmethod
    def solve(cls, design: Design, chosen: Ints, kept: Bools) -> Fit:
        """Return the fit; a candidate whose column is a combination of the others' is dropped."""
        columns = design.write_columns(chosen)
        if not kept.all():
            columns = np.concatenate([columns, design.apart[:, None]], axis=1)
        used = columns * kept[:, None]
        independent = drop_dependent(used.T @ used)
        columns, used = columns[:, independent], used[:, independent]
        gram = used.T @ used
        inverse = linalg.inv(gram) if len(gram) else gram
        influence = inverse @ used.T
        return cls(
            design,
            chosen[independent[independent < len(chosen)]],
            kept,
            columns,
            gram,
            inverse,
            influence,
            influence @ design.target,
        )

    @cached_property
    def residual(self) -> Floats:
        """What the fit leaves of every row, also of those that were left out."""
        return self.design.target - self.columns @ self.estimates

    @cached_property
    def misfit(self) -> float:
        """The mean square of what is left, in units of what noise leaves."""
        free = int(np.count_nonzero(self.design.scales * self.kept)) - len(self.estimates)
        return float(((self.residual * self.kept) ** 2).sum()) / max(1, free)

    @cached_property
    def leverage(self) -> Floats:
        """What of each row's own noise would be fitted, in parts of it."""
        return np.asarray(((self.columns @ self.inverse) * self.columns).sum(axis=1))

    @cached_property
    def variances(self) -> Floats:
        """The variance of each estimate: of noise and sampling, times the misfit, or as seen in its own rows.

        The last is what residuals show of the rows that an estimate is made of (MacKinnon, White 1985, "HC2"). The
        larger counts: then a frequent text that is not listed lends no significance to candidates that share bits.
        """
        expected = (np.diag(self.inverse) + np.diag(self.sampling)) * max(1.0, self.misfit)
        seen = self.influence**2 @ ((self.residual * self.kept) ** 2 / np.maximum(1 - self.leverage, 0.05))
        return np.maximum(expected, seen)

    @cached_property
    def total_variance(self) -> float:
        """The variance of the sum of the chosen candidates' frequencies.

        What sampling adds is estimated: where that comes out below 0, as few reports can make it, nothing is taken off.
        """
        count = len(self.chosen)
        noise, sampling = (float(part[:count, :count].sum()) for part in (self.inverse, self.sampling))
        return (noise + max(0.0, sampling)) * max(1.0, self.misfit)

    @cached_property
    def sampling(self) -> Floats:
        """What people's falling into cohorts at random adds to the covariance of estimates.

        Bits i and j of one report's Bloom filter have the covariance P(i and j) - P(i) P(j): the same people set both
        bits of a text. A row's own variance has this part already; here are the covariances of different rows.
        """
        bits, count = self.design.candidates.rappor.bits, len(self.chosen)
        rows, held = self.design.candidates.write_columns(self.chosen), np.clip(self.estimates[:count], 0.0, 1.0)
        found = np.zeros_like(self.inverse)
        for cohort in np.flatnonzero(self.design.reports):
            part = slice(cohort * bits, (cohort + 1) * bits)
            own = rows[part]
            joint = (own * held) @ own.T - np.outer(own @ held, own @ held)
            np.fill_diagonal(joint, 0.0)
            weighed = self.influence[:, part] * self.design.scales[part]
            found += weighed @ joint @ weighed.T / self.design.reports[cohort]
        np.fill_diagonal(found, np.maximum(np.diag(found), 0.0))
        return found
