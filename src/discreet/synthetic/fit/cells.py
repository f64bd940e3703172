"""Where every cell was measured: those answers are solved for in closed form, and need no theta each.

Let every cell x have a measured share b(x) with slack s. Given the exponents e of all other questions (with the prior's
logarithm in them), the best distribution has for some number m, which makes it add up to 1,

    p + s log p = b + s (e - m)      or      p = s omega(b / s + e - m - log s)

where omega is Wright's function: omega(z) + log omega(z) = z. Its slope is dp/de = p s / (p + s): between that of an
exponential (small p) and none (large p: the cell stays where it was measured). The dual of the whole becomes

    F(theta) = theta.b - Phi(Q^T theta) - sum s theta^2 / 2,   Phi(e) = max over p of e.p - p.log p - |p - b|^2 / (2 s)

whose gradient and Hessian are as before, with these p, and covariances under the slopes; so is the gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import wrightomega

from discreet.families.domain import CellTable, Domain
from discreet.synthetic.fit.objective import Measured, write_objective


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredCells:
    """The measured share of every cell, and their slack."""

    shares: CellTable
    slack: float

    def tilt(self, exponents: CellTable) -> tuple[CellTable, CellTable, float]:
        """Return the best shares at these exponents, their slopes, and Phi.

        The sum of shares falls convexly in m: Newton's method, started where the sum is at least 1, comes down to 1.
        """
        places = exponents + self.shares / self.slack
        places -= np.log(self.slack)
        low = float(places.max()) - 1 / self.slack - np.log(1 / self.slack)
        for _ in range(200):
            found = wrightomega(places - low)
            found *= self.slack
            slopes = found * self.slack / (found + self.slack)
            excess = float(found.sum()) - 1
            change = excess / float(slopes.sum())
            if abs(excess) <= 1e-14 * found.size**0.5 or low + change == low:
                break
            low += change
        found /= found.sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            entropy = np.where(found > 0, found * (exponents - np.log(found)), 0.0)
        phi = float(entropy.sum()) - float(((found - self.shares) ** 2).sum()) / (2 * self.slack)
        return found, slopes, phi

    def count_determined(self, shares: CellTable) -> float:
        """Return how many cells the answers determine better than the prior does."""
        return float((shares / (shares + self.slack)).sum())


def take_cells(
    domain: Domain, measured: Sequence[Measured], total: float, kappa: float
) -> tuple[MeasuredCells | None, list[int]]:
    """Return what measurements say about every single cell, all in one, and the places of all other measurements."""
    every = tuple(range(len(domain.sizes)))
    others, answers, precision = [], np.zeros(domain.sizes), 0.0
    for position, each in enumerate(measured):
        if each.columns == every and len(each.answers) == domain.cells and each.is_marginal():
            answers += np.asarray(each.answers, dtype=np.float64).reshape(domain.sizes) / each.variance
            precision += 1 / each.variance
        else:
            others.append(position)
    if not precision:
        return None, others
    objective = write_objective([answers.ravel() / precision], [1 / precision], total, kappa)
    return MeasuredCells(objective.shares.reshape(domain.sizes), float(objective.slack[0])), others
