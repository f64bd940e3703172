"""Which candidates explain the rates, and which rows no candidate explains."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.base.wide import Ints
from discreet.local.oracles.oracle import Bools
from discreet.local.rappor.model import Design, Fit
from discreet.local.rappor.regression import SLACK, fit_nonnegative

special = Later("scipy.special")

ROOM = 0.5
"""Of the rows, the share that frequencies may be fitted to at once: more candidates are first selected from."""
AT_ONCE = 64
"""Columns that the lasso lets in together."""
FALSE_ROWS = 0.01
"""How many rows are expected to be left out where nothing but noise speaks for it."""
MOST_TURNS = 40
MEDIAN = 0.6745
"""The median of how far a normal variable is off, in standard deviations."""


def choose_model(design: Design) -> Fit:
    """Return the fit of the candidates that explain the rates, without rows that frequent unlisted texts set.

    All candidates are fitted where rows are plenty. Else those are that the lasso lets in and that stand out of the
    noise, fitted without its penalty (Belloni, Chernozhukov 2013): so many standard errors above 0 as one of all
    candidates is expected to be by chance. The weaker half of the others leaves at a time. A row is left out where it
    lies so far above the fit as hardly any would by chance (She, Owen 2011), and is taken back when it no longer does.
    """
    count, rows = len(design.candidates), len(design.scales)
    weak = float(-special.ndtri(1 / count)) if count > 1 else 0.0
    far = float(-special.ndtri(FALSE_ROWS / rows))
    most = int(ROOM * np.count_nonzero(design.scales))
    chosen, kept = run_lasso(design, weak, far, most)
    chosen = np.arange(count) if count <= most else chosen
    for _ in range(MOST_TURNS):
        fit = Fit.solve(design, chosen, kept)
        still = _find_near(fit, far)
        strengths = fit.estimates[: len(fit.chosen)] / np.sqrt(fit.variances[: len(fit.chosen)])
        leaving = np.flatnonzero(strengths < weak) if count > most else np.zeros(0, dtype=np.int64)
        if not len(leaving) and (still == kept).all():
            break
        leaving = leaving[np.argsort(strengths[leaving], kind="stable")[: -(-len(leaving) // 2)]]
        chosen, kept = np.delete(fit.chosen, leaving), still
    return fit


def run_lasso(design: Design, weak: float, far: float, most: int) -> tuple[Ints, Bools]:
    """Return which candidates the non-negative lasso lets in, at most so many, and which rows need no column alone.

    Beside the candidates every row has a column of its own, for texts that are not listed (Nguyen, Tran 2013): a
    listed text explains all its rows for the price of a few such columns. A column's penalty is so many standard
    deviations of what noise alone makes its product with the residual. Those whose product exceeds it are let in, the
    furthest first; the others are never written down.
    """
    wide = _Wide(design)
    penalties = np.concatenate([weak * np.sqrt(wide.squares[: wide.count]), np.full(wide.rows, far)])
    penalties = np.maximum(np.append(penalties, 0.0), 1e-3 * np.sqrt(wide.squares))
    chosen, columns, found = np.zeros(0, dtype=np.int64), np.zeros((wide.rows, 0)), np.zeros(0)
    while np.count_nonzero(chosen < wide.count) < most:
        excess = wide.correlate(design.target - columns @ found) / np.maximum(penalties, 1e-300) - 1
        excess[chosen] = 0.0
        worst = np.argsort(-excess, kind="stable")[:AT_ONCE]
        fresh = worst[excess[worst] > SLACK * 1e3]
        if not len(fresh):
            break
        chosen = np.concatenate([chosen, fresh])
        columns = np.concatenate([columns, wide.write_columns(fresh)], axis=1)
        start = np.concatenate([found > 0, np.ones(len(fresh), dtype=bool)])
        found = fit_nonnegative(columns.T @ columns, columns.T @ design.target - penalties[chosen], start)
        left = found > 0
        chosen, columns, found = chosen[left], columns[:, left], found[left]
        if not left[-len(fresh) :].any():
            break
    kept = np.ones(wide.rows, dtype=bool)
    kept[chosen[(chosen >= wide.count) & (chosen < wide.count + wide.rows)] - wide.count] = False
    return np.sort(chosen[chosen < wide.count])[:most], kept


@dataclass(frozen=True, eq=False)
class _Wide:
    """All columns of the lasso: the candidates', one for each row, and the mass apart from the background."""

    design: Design

    @property
    def count(self) -> int:
        return len(self.design.candidates)

    @property
    def rows(self) -> int:
        return len(self.design.scales)

    @cached_property
    def squares(self) -> Floats:
        ones = np.ones(self.rows)
        return np.concatenate([self.design.sum_squares(ones), ones, [self.design.apart @ self.design.apart]])

    def correlate(self, residual: Floats) -> Floats:
        return np.concatenate([self.design.correlate(residual), residual, [self.design.apart @ residual]])

    def write_columns(self, chosen: Ints) -> Floats:
        listed, single = chosen < self.count, (chosen >= self.count) & (chosen < self.count + self.rows)
        found = np.zeros((self.rows, len(chosen)))
        found[:, listed] = self.design.write_columns(chosen[listed])
        found[chosen[single] - self.count, np.flatnonzero(single)] = 1.0
        found[:, chosen == self.count + self.rows] = self.design.apart[:, None]
        return found


def _find_near(fit: Fit, far: float) -> Bools:
    """Say which rows are not too far above the fit, in standard deviations of what is left of the others.

    Their median says what these are, where it is more than noise leaves: a few far rows do not move it, and many
    unlisted texts that are not so frequent hide in it.
    """
    spread = np.where(fit.kept, np.maximum(1 - fit.leverage, 0.05), 1 + fit.leverage)
    apart = fit.residual / np.sqrt(spread)
    usual = float(np.median(np.abs(apart[fit.kept & (fit.design.scales > 0)]))) / MEDIAN
    return np.asarray(apart <= far * max(1.0, usual))
