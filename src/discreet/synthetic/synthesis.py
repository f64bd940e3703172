"""The operation behind a synthetic table: one charge before, one record of all that was measured, the rest is free.

The run counts rows with a twentieth of its allowance, chooses a strategy from that number and public sizes, and
lets it spend the rest. Whatever it chooses, every draw is admitted against the declared charge by the desk's meter; the
strategies' parts add up to the allowance. The fit is a pure function of the record, and so is everything after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from discreet.base.canonical import Json, hash_bytes, write_json
from discreet.curator.door.desk import Desk
from discreet.families.domain import CellTable
from discreet.families.family import Family
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge
from discreet.query.cost import add_charges, cost_pure
from discreet.query.placed_columns import PlacedColumn
from discreet.synthetic.allowance import Allowance
from discreet.synthetic.counter import CellCounter, DeskCounter
from discreet.synthetic.reading import Reading, find_total
from discreet.synthetic.strategies.choose import (
    ChosenStrategy,
    bound_charge,
    choose_strategy,
    make_strategy,
)
from discreet.synthetic.strategies.strategy import TOTAL_SHARE, count_total
from discreet.synthetic.transcript import Transcript
from discreet.synthetic.workload import Workload

MOST_TEXT = 300
"""Letters of the line that says what is made."""


@dataclass(frozen=True)
class Synthesis:
    """Measures a table for a workload, within an allowance."""

    kind: ClassVar[str] = "synthesis"
    version: ClassVar[int] = 1

    plan: RowsPlan
    table: str
    columns: tuple[PlacedColumn, ...]
    workload: Workload
    allowance: Allowance
    strategy: str | None = None
    """Which strategy, where it is known before the run; else the noisy total decides."""
    reason: str = "it was asked for"
    rounds: int = 0
    prior: CellTable | None = None
    """Public weights of all cells, where there are any."""

    @property
    def charge(self) -> Charge:
        """What all draws cost at most, in every currency: less rho where the strategy is known beforehand."""
        return bound_spending(self.workload.build(self.columns), self.allowance, self.strategy, self.rounds)

    def parameters(self) -> Json:
        """Return all that shapes the result beside the plan."""
        form: dict[str, Json] = {
            "columns": [column.describe() for column in self.columns],
            "workload": self.workload.describe(),
            "allowance": self.allowance.describe(),
            "strategy": [self.strategy, self.reason],
            "rounds": self.rounds,
        }
        if self.prior is not None:
            form["prior"] = hash_bytes(self.prior.astype("<f8").tobytes())
        return form

    def describe(self) -> str:
        """Say in a line what is made, for the ledger's readers."""
        asked, names = write_json(self.workload.describe()), ", ".join(column.name for column in self.columns)
        text = f"synthesis of {self.table}: {asked} of {names}"
        return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 3]}..."

    def plans(self) -> tuple[RowsPlan, ...]:
        """Return the plan of the table's rows."""
        return (self.plan,)

    def run(self, desk: Desk) -> bytes:
        """Measure, and return the transcript."""
        counter = DeskCounter(desk, self.plan)
        family = self.workload.build(self.columns)
        chosen = None if self.strategy is None else ChosenStrategy(self.strategy, self.reason)
        spent = spend_allowance(counter, family, self.allowance, chosen, self.rounds, self.prior)
        return Transcript(
            self.table,
            self.columns,
            tuple(spent.readings),
            spent.chosen.name,
            spent.chosen.reason,
            self.plan.rows,
            self.plan.factor == 2,
            spent.batches,
            self.prior,
        ).to_bytes()

    def finish(self, measured: bytes) -> Transcript:
        """Return the transcript."""
        return Transcript.from_bytes(measured)


@dataclass(frozen=True, slots=True)
class Spending:
    """What was measured, by which strategy, and how many readings belong to each step."""

    readings: list[Reading]
    chosen: ChosenStrategy
    batches: tuple[int, ...]


def spend_allowance(
    counter: CellCounter,
    workload: Family,
    allowance: Allowance,
    chosen: ChosenStrategy | None = None,
    rounds: int = 0,
    prior: CellTable | None = None,
) -> Spending:
    """Return what a strategy measures for an allowance; a public total is not measured."""
    readings: list[Reading] = []
    if counter.total is None:
        readings.append(count_total(counter, allowance.take(TOTAL_SHARE)))
        allowance = allowance.take(1 - TOTAL_SHARE)
    rows = find_total(readings, counter.total).rows
    found = chosen or choose_strategy(workload, counter, rows, allowance)
    strategy = make_strategy(found.name, workload, counter, rows, allowance, rounds, prior)
    before = len(readings)
    strategy.spend(counter, allowance, readings)
    return Spending(readings, found, (1,) * before + strategy.list_batches(len(readings) - before))


def bound_spending(workload: Family, allowance: Allowance, strategy: str | None, rounds: int) -> Charge:
    """Return what `spend_allowance` costs at most."""
    if strategy is None or allowance.currency == "rho":
        return allowance.charge
    total = cost_pure(allowance.amount * TOTAL_SHARE)
    return add_charges(total, bound_charge(strategy, workload, allowance.take(1 - TOTAL_SHARE), rounds))
