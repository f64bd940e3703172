"""MST: a tree of column pairs (McKenna, Miklau, Sheldon 2021), for domains with very many columns.

Every column is measured; then pairs are chosen that a model of independent columns gets most wrong, one after the other
among those that join two parts, until all columns hang together; then the chosen pairs are measured. A third of the
allowance goes to each of the three.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from discreet.families.domain import ColumnSet, Domain
from discreet.families.family import Vector
from discreet.families.marginals import Marginals
from discreet.privacy.charges import Charge
from discreet.query.cost import add_charges, cost_pure
from discreet.synthetic.allowance import Allowance
from discreet.synthetic.counter import CellCounter
from discreet.synthetic.fitting import MOST_TREE, fit_readings
from discreet.synthetic.reading import Reading, find_total
from discreet.synthetic.strategies.strategy import Strategy, add_up, cost_choice

PART = Fraction(1, 3)


@dataclass(frozen=True, slots=True)
class Mst(Strategy):
    """Measures every column, and a spanning tree of pairs."""

    domain: Domain

    def spend(self, counter: CellCounter, allowance: Allowance, readings: list[Reading]) -> None:
        """Measure columns, choose pairs, measure pairs."""
        domain, part = counter.domain, allowance.take(PART)
        ones = Marginals.of_order(domain, 1)
        each = part.take(Fraction(1, ones.groups))
        readings.extend(counter.count(ones, group, each) for group in range(ones.groups))
        if not list_small_pairs(domain):
            rest = allowance.take((1 - PART) / ones.groups)
            readings.extend(counter.count(ones, group, rest) for group in range(ones.groups))
            return
        chosen = self._choose(counter, part, readings)
        pairs = Marginals(domain, tuple(sorted(chosen)))
        share = part.take(Fraction(1, pairs.groups))
        readings.extend(counter.count(pairs, group, share) for group in range(pairs.groups))

    def _choose(self, counter: CellCounter, allowance: Allowance, readings: list[Reading]) -> list[ColumnSet]:
        """Return pairs that join all columns: each chosen among those that join two parts."""
        domain = counter.domain
        model = fit_readings(domain, readings, find_total(readings, counter.total), prior=self.prior)
        pairs = Marginals(domain, list_small_pairs(domain))
        estimates: list[Vector] = [model.project(columns).ravel() for columns in pairs.sets]
        parts = {column: column for column in domain.columns}
        chosen: list[ColumnSet] = []
        each = allowance.take(Fraction(1, len(domain.columns) - 1))
        while able := [place for place, (one, other) in enumerate(pairs.sets) if parts[one] != parts[other]]:
            group = counter.choose(
                pairs, able, [estimates[place] for place in able], [1] * len(able), [0.0] * len(able), each
            )
            one, other = pairs.sets[group]
            chosen.append((one, other))
            left, right = parts[one], parts[other]
            parts = {column: left if part == right else part for column, part in parts.items()}
        return chosen

    def list_batches(self, readings: int) -> tuple[int, ...]:
        """Return one step for all columns, and one for all that follows: pairs, or the columns again."""
        columns = len(self.domain.sizes)
        return (columns, readings - columns)

    def bound_charge(self, allowance: Allowance) -> Charge:
        """Return the sum of what all draws cost."""
        columns, part = len(self.domain.sizes), allowance.amount * PART
        if allowance.currency == "rho":
            return allowance.charge
        total = add_up([part / columns] * columns, cost_pure)
        if not list_small_pairs(self.domain):
            return add_charges(total, add_up([2 * part / columns] * columns, cost_pure))
        chosen = count_joins(self.domain)
        picks = add_up([part / (columns - 1)] * chosen, cost_choice)
        return add_charges(total, add_charges(picks, add_up([part / chosen] * chosen, cost_pure)))


def count_joins(domain: Domain) -> int:
    """Return how many pairs are chosen: as many as join columns until no small pair joins two parts."""
    parts, joins = {column: column for column in domain.columns}, 0
    for one, other in list_small_pairs(domain):
        left, right = parts[one], parts[other]
        if left != right:
            joins += 1
            parts = {column: left if part == right else part for column, part in parts.items()}
    return joins


def list_small_pairs(domain: Domain) -> tuple[ColumnSet, ...]:
    """Return the pairs of columns whose tables, one for each column, stay small together."""
    most = MOST_TREE // len(domain.sizes)
    return tuple(pair for pair in combinations(domain.columns, 2) if math.prod(domain.find_shape(pair)) <= most)
