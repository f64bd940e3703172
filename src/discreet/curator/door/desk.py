"""The desk: where an operation's exact numbers stay. What it hands out is noisy, metered, and journaled first.

A desk lives inside one claim. Each call is counted by a meter before anything is drawn; its loss is computed from the
mechanism and the plan's own sensitivity, and no caller states either. Each result is written into the ledger's journal,
fenced by the claim's lease, before the caller sees it. A run that died is run again over the same journal: calls that
were answered get the same result and draw nothing, and a call that differs from the one before it is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Protocol

from discreet.base.canonical import Json, hash_json
from discreet.base.errors import OperationError
from discreet.curator.door.clipping import Clip
from discreet.curator.door.meter import Meter
from discreet.curator.door.scores import Score, check_score
from discreet.curator.door.sums import bound_sum, check_function, choose_norm, sum_units
from discreet.curator.door.unit_functions import UnitFunction
from discreet.curator.release.noise import release
from discreet.curator.release.released import Released
from discreet.engines.result import ExactResult, ExactRows
from discreet.ledger import JournalRow
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.identity import describe_mechanism
from discreet.mechanisms.noisy_max import NoisyMax
from discreet.mechanisms.permute_and_flip import PermuteAndFlip
from discreet.plan.bounded import BoundedPlan, Part
from discreet.plan.identity import describe_plan
from discreet.plan.rows_plan import DeclaredPlan, RowsPlan
from discreet.privacy.charges import Charge
from discreet.privacy.neighbours import Neighbours
from discreet.query.cost import cost_measures, cost_vector, lose_measures
from discreet.query.draws import Draws, VectorNoise

Pick = Exponential | NoisyMax | PermuteAndFlip
"""How one of the keys is chosen by its score."""


class Journal(Protocol):
    """Where results are written before they are seen."""

    def read(self) -> tuple[JournalRow, ...]:
        """Return what earlier runs of the same charge released."""

    def write(self, position: int, rows: tuple[JournalRow, ...]) -> None:
        """Make results durable, the first of them at this position."""


class Desk:
    """Releases measures of the plans that were declared, chooses among their keys, and sums over their units."""

    def __init__(
        self,
        plans: tuple[DeclaredPlan, ...],
        meter: Meter,
        journal: Journal,
        compute: Callable[[BoundedPlan], ExactResult],
        read: Callable[[RowsPlan], ExactRows],
    ) -> None:
        self.__hashes = {plan: hash_json(describe_plan(plan)) for plan in plans}
        self.__meter, self.__journal, self.__compute, self.__read = meter, journal, compute, read
        self.__exact: dict[BoundedPlan, ExactResult] = {}
        self.__rows: dict[RowsPlan, ExactRows] = {}
        self.__failure: BaseException | None = None
        self.__known = journal.read()
        self.__position = 0
        self.__unwritten: list[JournalRow] = []

    @property
    def draws(self) -> int:
        """How many draws the run has made: a public fact, which may be shown before the record."""
        return self.__position

    @property
    def failure(self) -> BaseException | None:
        """What failed while something was drawn: it may be a fact about the data, whatever an operation makes of it."""
        return self.__failure

    def measure(self, plan: BoundedPlan, draws: Draws) -> Released:
        """Release every measure of a plan, each with its noise; keys of the data are selected first."""
        call: Json = {"measure": self._find_hash(plan, BoundedPlan), "draws": draws.describe()}
        _check_quantiles(plan, draws)
        self.__meter.admit(cost_measures(plan, draws), lose_measures(plan, draws))
        result = self._answer(call, lambda: release(plan, self._compute(plan), draws).to_bytes())
        return Released.from_bytes(result)

    def choose(self, plan: BoundedPlan, score: Score, pick: Pick) -> int:
        """Return the place of a key, among all keys of the plan's one set: likelier the higher its score."""
        check_score(score)
        call: Json = {
            "choose": self._find_hash(plan, BoundedPlan),
            "score": score.describe(),
            "pick": describe_mechanism(pick),
        }
        if pick.grid is not None or (pick.monotone and not score.is_monotone(plan)):
            raise OperationError("scores are whole numbers, and the monotone price is for scores that only grow")
        sensitivity = score.bound_sensitivity(plan)
        neighbours = Neighbours.ADD_REMOVE if plan.factor == 1 else Neighbours.REPLACE
        loss = pick.loss(sensitivity, neighbours)
        epsilon = Fraction(sensitivity * (1 if pick.monotone else 2)) / Fraction(pick.scale)
        self.__meter.admit(Charge(epsilon, loss.zcdp(), Fraction(0)), loss)

        def draw() -> bytes:
            (found,) = self._compute(plan).sets
            return str(pick.release(score.rate(found.sums[score.measure]))).encode()

        return int(self._answer(call, draw))

    def sum(self, plan: RowsPlan, function: UnitFunction, clip: Clip, noise: VectorNoise) -> tuple[int, ...]:
        """Return the sum over units of a function of each unit's rows, clipped, with noise: in the clip's steps."""
        declared = self._find_hash(plan, RowsPlan)
        dimension, sensitivity = check_function(plan, function, clip), bound_sum(plan, clip)
        cost = cost_vector(sensitivity, noise)
        call: Json = {
            "sum": declared,
            "function": function.describe(),
            "clip": clip.describe(),
            "noise": describe_mechanism(noise),
        }
        self.__meter.admit(cost, noise.loss(sensitivity, dim=dimension))

        def draw() -> bytes:
            exact = sum_units(plan, self._read(plan), function, clip, choose_norm(noise))
            return json.dumps(noise.release(exact)).encode()

        return tuple(json.loads(self._answer(call, draw)))

    def flush(self) -> None:
        """Write what a schedule's checkpoint has left unwritten; whoever ends a run calls this first."""
        if self.__unwritten:
            rows = tuple(self.__unwritten)
            self.__journal.write(self.__position - len(rows), rows)
            self.__unwritten.clear()

    def _find_hash(self, plan: DeclaredPlan, kind: type) -> str:
        if not isinstance(plan, kind):
            raise OperationError("measure and choose take plans of questions, and sum takes plans of rows")
        found = self.__hashes.get(plan)
        if found is None:
            raise OperationError("this plan was not declared: list every plan that is read in plans()")
        return found

    def _compute(self, plan: BoundedPlan) -> ExactResult:
        """Return the exact numbers of a plan, which are computed once: all draws are of one state of the tables."""
        if plan not in self.__exact:
            self.__exact[plan] = self.__compute(plan)
        return self.__exact[plan]

    def _read(self, plan: RowsPlan) -> ExactRows:
        """Return the rows of a plan, which are read once."""
        if plan not in self.__rows:
            self.__rows[plan] = self.__read(plan)
        return self.__rows[plan]

    def _answer(self, call: Json, draw: Callable[[], bytes]) -> bytes:
        """Return the journaled result of a call, or draw it and journal it before it is seen."""
        name, position = hash_json(call), self.__position
        if position < len(self.__known):
            row = self.__known[position]
            if row.call != name:
                raise OperationError(
                    f"call {position} of this run differs from the same call in an earlier run of its charge: an "
                    "operation may depend on nothing but its parameters and what its desk returned"
                )
            self.__position += 1
            return row.result
        if self.__failure is not None:
            raise self.__failure
        try:
            result = draw()
        except BaseException as trouble:
            self.__failure = trouble
            raise
        self.__unwritten.append(JournalRow(name, result))
        self.__position += 1
        if len(self.__unwritten) >= self.__meter.checkpoint:
            self.flush()
        return result


def _check_quantiles(plan: BoundedPlan, draws: Draws) -> None:
    explored = {measure for measure, shares in draws.quantiles if shares}
    if explored != {place for place, measure in enumerate(plan.measures) if measure.part is Part.RANKS}:
        raise OperationError("name the quantiles that are looked for in each tree of ranks, and in nothing else")
