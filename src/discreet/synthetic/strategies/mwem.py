"""MWEM: multiplicative weights by the exponential mechanism (Hardt, Ligett, McSherry 2012), with whole groups.

In each of a public number of rounds, the group whose answers the model gets most wrong is chosen and measured, and the
model is fitted to all that was measured. Each round spends the same part. The reference measures one question a round;
here a group is measured whole (a marginal: every cell), which costs the same, as its cells share no row.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.base import check
from discreet.families.family import Family
from discreet.families.parities import Parities
from discreet.privacy.charges import Charge
from discreet.query.cost import add_charges, cost_pure
from discreet.synthetic.allowance import Allowance
from discreet.synthetic.counter import CellCounter
from discreet.synthetic.estimates import estimate_groups
from discreet.synthetic.fitting import fit_readings, fits_tree
from discreet.synthetic.reading import Reading, find_total
from discreet.synthetic.strategies.strategy import Strategy, add_up, cost_choice

USUAL_ROUNDS = 10
"""Rounds where nobody says how many."""

PICK_SHARE = Fraction(1, 2)
"""The part of a round that pays for the choice: half, as Hardt, Ligett and McSherry have it."""


@dataclass(frozen=True, slots=True)
class Mwem(Strategy):
    """Chooses and measures a group of any family in each of so many rounds."""

    workload: Family
    rounds: int = USUAL_ROUNDS

    def __post_init__(self) -> None:
        check.integer("rounds", self.rounds, least=1)

    def spend(self, counter: CellCounter, allowance: Allowance, readings: list[Reading]) -> None:
        """Choose, measure and fit, round by round."""
        domain, each = counter.domain, allowance.take(Fraction(1, self.rounds))
        model = fit_readings(domain, readings, find_total(readings, counter.total))
        for _ in range(self.rounds):
            able = self._list_able(readings)
            estimates = estimate_groups(model, self.workload)
            group = counter.choose(
                self.workload,
                able,
                [estimates[group] for group in able],
                [1] * len(able),
                [0.0] * len(able),
                each.take(PICK_SHARE),
            )
            readings.append(counter.count(self.workload, group, each.take(1 - PICK_SHARE)))
            model = fit_readings(domain, readings, find_total(readings, counter.total), model)

    def _list_able(self, readings: list[Reading]) -> list[int]:
        """Return the groups with which a model stays small; there is always one, as single groups are."""
        if isinstance(self.workload, Parities):
            return list(range(self.workload.groups))
        told = list(dict.fromkeys(each.columns for each in readings))
        sets = [self.workload.find_columns(group) for group in range(self.workload.groups)]
        able = {columns: fits_tree(self.workload.domain, [*told, columns], 1.0) for columns in dict.fromkeys(sets)}
        found = [group for group, columns in enumerate(sets) if able[columns]]
        return found or [group for group, columns in enumerate(sets) if columns in told]

    def bound_charge(self, allowance: Allowance) -> Charge:
        """Return the sum of what all rounds cost: of rho less than if all were one release."""
        if allowance.currency == "rho":
            return allowance.charge
        each = allowance.amount / self.rounds
        picks = add_up([each * PICK_SHARE] * self.rounds, cost_choice)
        return add_charges(picks, add_up([each * (1 - PICK_SHARE)] * self.rounds, cost_pure))
