"""Where a strategy's noisy counts come from: a desk within a run, or a table that is simulated on.

Strategies see this only. So what is measured in a benchmark is the code that runs on private rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.curator.door.cells import CountedUnit, GapScore, bound_counts, find_domain
from discreet.curator.door.desk import Desk
from discreet.families.domain import CellSource, Domain
from discreet.families.family import PARTITION, Family, Vector
from discreet.families.written_forms import take_group
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge
from discreet.query.choices import PickNoise, Spreads
from discreet.query.cost import NOTHING, add_charges, cost_counts, cost_pick
from discreet.query.draws import VectorNoise
from discreet.synthetic.allowance import Allowance
from discreet.synthetic.reading import Reading, hold_answers

GRAIN = 16
"""Parts of a row in which gaps are rated."""


def make_cell_noise(unit: CountedUnit, allowance: Allowance) -> VectorNoise:
    """Return the noise of a marginal's cells, if all of an allowance is spent on it."""
    return allowance.make_noise(
        PARTITION.bound_l1(unit.rows, unit.factor), PARTITION.bound_l2_squared(unit.rows, unit.factor)
    )


class CellCounter(ABC):
    """Counts with noise, and chooses groups, for a part of an allowance each."""

    domain: Domain
    rows: int
    """How many rows a unit has at most."""
    factor: int
    """2 under replace neighbours."""
    total: int | None = None
    """The number of rows, where it is public."""

    def count(self, family: Family, group: int, allowance: Allowance) -> Reading:
        """Return the noisy answers of a group."""
        noise = allowance.make_noise(*bound_counts(self, family, group))
        alone = take_group(family, group)
        return Reading(alone, noise, hold_answers(self.draw_counts(alone, noise)))

    def choose(
        self,
        family: Family,
        groups: Sequence[int],
        estimates: Sequence[Vector],
        weights: Sequence[int],
        constants: Sequence[float],
        allowance: Allowance,
    ) -> int:
        """Return a group whose answers are far from the estimates: by weight * (gap - constant), all in rows."""
        score = GapScore(
            family,
            tuple(groups),
            tuple(np.rint(each * GRAIN).astype(np.int64) for each in estimates),
            tuple(weights),
            tuple(round(weight * constant * GRAIN) for weight, constant in zip(weights, constants, strict=True)),
            GRAIN,
        )
        return self.draw_group(score, allowance.make_pick(score.bound_spread(self)))

    @abstractmethod
    def draw_counts(self, family: Family, noise: VectorNoise) -> Sequence[int]:
        """Return the noisy answers of a family of one group."""

    @abstractmethod
    def draw_group(self, score: GapScore, pick: PickNoise) -> int:
        """Return the chosen group."""


class DeskCounter(CellCounter):
    """Counts at a desk, over the rows of one plan."""

    def __init__(self, desk: Desk, plan: RowsPlan) -> None:
        self._desk, self._plan = desk, plan
        self.domain, self.rows, self.factor = find_domain(plan), plan.rows, plan.factor

    def draw_counts(self, family: Family, noise: VectorNoise) -> Sequence[int]:
        """Return the noisy answers of a family of one group."""
        return self._desk.count(self._plan, family, 0, noise)

    def draw_group(self, score: GapScore, pick: PickNoise) -> int:
        """Return the chosen group."""
        return self._desk.choose_group(self._plan, score, pick)


@dataclass
class TableCounter(CellCounter):
    """Counts a table that is public, or the owner's own: nobody is protected, `spent` says what it would have cost."""

    source: CellSource
    rows: int = 1
    factor: int = 1
    total: int | None = None
    spent: Charge = NOTHING
    _truths: dict[int, tuple[Family, list[Vector]]] = field(default_factory=dict)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        """The columns and their sizes."""
        return self.source.domain

    def draw_counts(self, family: Family, noise: VectorNoise) -> Sequence[int]:
        """Return the noisy answers of a family of one group."""
        self.spent = add_charges(self.spent, cost_counts(*bound_counts(self, family, 0), noise))
        noisy: list[int] = noise.release(family.answer(0, self.source.project(family.find_columns(0))).tolist())
        return noisy

    def draw_group(self, score: GapScore, pick: PickNoise) -> int:
        """Return the chosen group."""
        spread = score.bound_spread(self)
        self.spent = add_charges(self.spent, cost_pick(Spreads(spread, spread**2), pick))
        key = id(score.family)
        if key not in self._truths:
            self._truths[key] = (score.family, score.family.answer_all(self.source))
        return score.groups[pick.release(score.rate(self._truths[key][1]))]
