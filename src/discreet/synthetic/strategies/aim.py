"""AIM: the adaptive choice of marginals by McKenna, Mullins, Sheldon and Miklau (2022), on noise that is exact.

Every column is measured first. Then, round by round, a marginal is chosen whose answers the model gets most wrong,
beyond what noise would explain, weighed by how much of the workload it touches; it is measured, and the model is
fitted again. Where a round taught no more than its noise, the next ones get larger parts: so the number of rounds need
not be known. The last round takes all that is left, so the allowance is spent whole.

What a round may spend, and when the parts grow, follows from earlier readings only. The sum of all parts is the
allowance, whatever happens: that is all the guarantee needs, as costs are charged draw by draw against it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from discreet.families.family import project_sets
from discreet.families.marginals import Marginals
from discreet.mechanisms import Laplace
from discreet.privacy.charges import Charge
from discreet.query.draws import VectorNoise
from discreet.synthetic.allowance import Allowance
from discreet.synthetic.counter import CellCounter, make_cell_noise
from discreet.synthetic.estimates import list_cells
from discreet.synthetic.fitting import fit_readings, fits_tree
from discreet.synthetic.reading import Reading, find_total
from discreet.synthetic.strategies.strategy import Strategy

PICK_SHARE = Fraction(1, 10)
"""The part of a round that pays for the choice."""

ROUNDS = 4
"""Rounds for each column that the first parts are made for. The paper has 16, with which Adult's errors were larger at
every epsilon, and at 10 most of the time went into fits that taught little."""

GROWTH = {"rho": 4, "epsilon": 2}
"""How much a part grows where the last one was too small: half the noise."""

LARGEST_PART = {"rho": Fraction(1), "epsilon": Fraction(1, 10)}
"""The largest part of a round, but for the last, which may be twice that. Of pure releases this bounds the rho: with
epsilons e_i of which none is above m, the sum of e_i^2 / 2 is at most m times the sum of e_i, by 2."""

LOOSE = 0.05
"""Residuals, in standard deviations of the noise, at which fits between rounds end."""

ROUGH = 0.1
"""Their root mean square, at which fits of trees between rounds end: a hundredth of the noise's own variance."""


@dataclass(frozen=True, slots=True)
class Aim(Strategy):
    """Chooses marginals one by one, for a workload of marginals."""

    workload: Marginals
    rounds: int | None = None

    def spend(self, counter: CellCounter, allowance: Allowance, readings: list[Reading]) -> None:
        """Measure every column, then what the model gets most wrong."""
        domain = counter.domain
        candidates = close_downwards(self.workload)
        weights = weigh(candidates, self.workload)
        purse = Purse(allowance)
        first = allowance.amount / (self.rounds or ROUNDS * len(domain.sizes))
        ones = Marginals.of_order(domain, 1)
        each = min(first * (1 - PICK_SHARE), allowance.amount / (2 * ones.groups))
        readings.extend(counter.count(ones, group, purse.take(each)) for group in range(ones.groups))
        model = fit_readings(domain, readings, find_total(readings, counter.total), prior=self.prior)
        part = first
        largest = allowance.amount * LARGEST_PART[allowance.currency]
        while purse.left:
            part = min(part, largest)
            part = purse.left if purse.left < 2 * part else part
            share = 1 - float((purse.left - part) / allowance.amount)
            pick, count = purse.take(part * PICK_SHARE), purse.take(part * (1 - PICK_SHARE))
            noise = expect_error(make_cell_noise(counter, count))
            able = self._list_able(candidates, readings, share)
            estimates = project_sets(list_cells(model), [candidates.sets[group] for group in able])
            group = counter.choose(
                candidates,
                able,
                [estimates[candidates.sets[group]].ravel() for group in able],
                [weights[group] for group in able],
                [noise * candidates.count_answers(group) for group in able],
                pick,
            )
            before = estimates[candidates.sets[group]].ravel()
            readings.append(counter.count(candidates, group, count))
            model = fit_readings(domain, readings, find_total(readings, counter.total), model, LOOSE, ROUGH, self.prior)
            after = model.project(candidates.sets[group]).ravel()
            if float(np.abs(after - before).sum()) <= noise * len(after):
                part *= GROWTH[allowance.currency]

    def _list_able(self, candidates: Marginals, readings: list[Reading], share: float) -> list[int]:
        """Return the candidates with which a model stays small; single columns always are."""
        told = list(dict.fromkeys(each.columns for each in readings))
        domain = candidates.domain
        return [
            group
            for group, columns in enumerate(candidates.sets)
            if len(columns) == 1 or columns in told or fits_tree(domain, [*told, columns], share)
        ]

    def list_batches(self, readings: int) -> tuple[int, ...]:
        """Return one step for all columns, then one for each round."""
        columns = len(self.workload.domain.sizes)
        return (columns, *(1,) * (readings - columns))

    def bound_charge(self, allowance: Allowance) -> Charge:
        """Return what all draws cost at most: a pure draw is of the largest part at most, or of a column's."""
        if allowance.currency == "rho":
            return allowance.charge
        most = max(2 * LARGEST_PART["epsilon"], Fraction(1, 2 * len(self.workload.domain.sizes)))
        return Charge(allowance.amount, allowance.amount**2 * min(most, Fraction(1)) / 2, Fraction(0))


def close_downwards(workload: Marginals) -> Marginals:
    """Return all marginals that are part of one of the workload's."""
    sets = {
        part for columns in workload.sets for size in range(1, len(columns) + 1) for part in combinations(columns, size)
    }
    return Marginals(workload.domain, tuple(sorted(sets, key=lambda columns: (len(columns), columns))))


def weigh(candidates: Marginals, workload: Marginals) -> list[int]:
    """Return how much of the workload each candidate touches: columns in common, over all of its marginals."""
    return [sum(len(set(columns) & set(asked)) for asked in workload.sets) for columns in candidates.sets]


class Purse:
    """What is left of an allowance, in parts that add up to it exactly."""

    def __init__(self, allowance: Allowance) -> None:
        self._currency = allowance.currency
        self.left = allowance.amount

    def take(self, amount: Fraction) -> Allowance:
        """Return a part of what is left."""
        self.left -= amount
        return Allowance(self._currency, amount)


def expect_error(noise: VectorNoise) -> float:
    """Return the mean distance of noise from zero."""
    if isinstance(noise, Laplace):
        q = math.exp(-1 / noise.scale)
        return 2 * q / (1 - q * q)
    return float(noise.sigma) * math.sqrt(2 / math.pi)
