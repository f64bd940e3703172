"""The desk: where an operation's exact numbers stay. What it hands out is noisy, metered, and journaled first.

A desk lives inside one claim. Each call is counted by a meter before anything is drawn; its loss is computed from the
mechanism and the plan's own sensitivity, and no caller states either. Each result is written into the ledger's journal,
fenced by the claim's lease, before the caller sees it. A run that died is run again over the same journal: calls that
were answered get the same result and draw nothing, and a call that differs from the one before it is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from discreet.base.canonical import Json, hash_bytes, hash_json
from discreet.base.errors import OperationError
from discreet.curator.door.cells import GapScore, bound_counts, check_gaps, check_group, count_rows
from discreet.curator.door.clipping import Clip
from discreet.curator.door.compiled import CompiledDescent, check_descent
from discreet.curator.door.gradients import check_gradients
from discreet.curator.door.kept_parts import KeptPart
from discreet.curator.door.levels import AreaCounts, Parts, PlacedRows, check_areas, place_rows, release_areas
from discreet.curator.door.meter import Meter, make_loss_meter
from discreet.curator.door.minima import MinimumNoise, check_minimum, draw_minimum
from discreet.curator.door.moments import RowMoments, check_moments
from discreet.curator.door.recorder import Journal, Recorder
from discreet.curator.door.resampling import check_resamples, lose_resamples, sum_resamples
from discreet.curator.door.statistics import (
    RowStatistic,
    check_statistic,
    describe_statistic,
    release_statistic,
    renew,
)
from discreet.curator.door.sums import bound_rows, bound_sum, check_function, choose_norm, sum_units
from discreet.curator.door.tries import NoJournal, TryRun, check_tries, choose_best, refuse_telling
from discreet.curator.door.unit_functions import UnitFunction
from discreet.curator.door.watching import FORFEITED, GapWatch, WatchState, check_watch
from discreet.curator.release.choosing import Chosen
from discreet.curator.release.noise import release
from discreet.curator.release.released import Released
from discreet.engines.held import HeldRows
from discreet.engines.result import ExactResult
from discreet.families.domain import RowTable
from discreet.families.family import Family, Vector
from discreet.gradients.compiled.memory_sums import RowsOfUnits
from discreet.gradients.compiled.states import pack_state, unpack_state
from discreet.gradients.objective import LinearObjective
from discreet.gradients.sums import LinearGradients, Weights, sum_gradients
from discreet.mechanisms import Gaussian
from discreet.mechanisms.identity import describe_mechanism, renew_mechanism
from discreet.mechanisms.sparse_vector import SparseVector
from discreet.plan.bounded import BoundedPlan, Part
from discreet.plan.identity import hash_plan
from discreet.plan.rows_plan import DeclaredPlan, RowsPlan
from discreet.privacy import BestOfLoss, Loss
from discreet.privacy.charges import charge_of
from discreet.query.choices import Choice, PickNoise, Spreads
from discreet.query.cost import (
    cost_counts,
    cost_measures,
    cost_pick,
    cost_vector,
    cost_watch,
    lose_counts,
    lose_measures,
    lose_pick,
)
from discreet.query.draws import Draws, VectorNoise
from discreet.query.scores import Score


class Desk:
    """Releases measures of the plans that were declared, chooses among their keys, and sums over their units."""

    def __init__(
        self,
        plans: tuple[DeclaredPlan, ...],
        meter: Meter,
        journal: Journal,
        compute: Callable[[BoundedPlan], ExactResult],
        hold: Callable[[RowsPlan], HeldRows],
        check: Callable[[], None] = lambda: None,
        confirm: Callable[[], None] = lambda: None,
        parts: Parts | None = None,
    ) -> None:
        self.__plans, self.__parts = plans, parts
        self.__hashes = [hash_plan(plan) for plan in plans]
        self.__recorder = Recorder(meter, journal, check)
        self.__check, self.__confirm, self.__compute, self.__hold = check, confirm, compute, hold
        self.__exact: dict[str, ExactResult] = {}
        self.__rows: dict[str, HeldRows] = {}
        self.__tables: dict[str, RowTable] = {}
        self.__placed: tuple[tuple[str, str], PlacedRows] | None = None
        self.__truths: dict[tuple[str, str], list[Vector]] = {}
        self.__watches: list[WatchState] = []
        self.__arranged: tuple[tuple[str, str], RowsOfUnits] | None = None

    @property
    def draws(self) -> int:
        """How many draws are journaled: a public fact, which may be shown before the record.

        How many an operation makes may depend on what it has seen, so those that could be drawn anew do not count.
        """
        return self.__recorder.draws

    @property
    def failure(self) -> BaseException | None:
        """What failed while something was drawn: it may be a fact about the data, whatever an operation makes of it."""
        return self.__recorder.failure

    def measure(self, plan: BoundedPlan, draws: Draws) -> Released:
        """Release every measure of a plan, each with its noise; keys of the data are selected first."""
        name = self._find_hash(plan, BoundedPlan)
        if type(draws) is not Draws:
            raise OperationError("a plan is measured by Draws: a noise for each measure")
        draws = draws.renew()
        call: Json = {"measure": name, "draws": draws.describe()}
        _check_quantiles(plan, draws)
        cost, loss = cost_measures(plan, draws), lose_measures(plan, draws)
        return Released.from_bytes(
            self.__recorder.answer(call, cost, loss, lambda: release(plan, self._compute(name, plan), draws).to_bytes())
        )

    def choose(self, plan: BoundedPlan, score: Score, pick: PickNoise) -> int:
        """Return the place of a candidate, such as a key of the plan's one set: likelier the higher its score."""
        ((place,),) = self.choose_several(plan, Choice(score, pick))
        return place

    def choose_several(self, plan: BoundedPlan, choice: Choice) -> Chosen:
        """Return the places of candidates, best first, in each part of them; nothing is told of their scores."""
        (released,) = self.measure(plan, Draws((), choice=choice)).sets
        assert released.chosen is not None
        return released.chosen

    def sum(self, plan: RowsPlan, function: UnitFunction, clip: Clip, noise: VectorNoise) -> tuple[int, ...]:
        """Return the sum over units of a function of each unit's rows, clipped, with noise: in the clip's steps."""
        noise = renew_mechanism(noise)
        declared = self._find_hash(plan, RowsPlan)
        dimension, sensitivity = check_function(plan, function, clip), bound_sum(plan, clip)
        cost = cost_vector(sensitivity, noise)
        call: Json = {
            "sum": declared,
            "function": function.describe(),
            "clip": clip.describe(),
            "noise": describe_mechanism(noise),
        }

        def draw() -> bytes:
            rows = self._hold(declared, plan).read()
            exact = sum_units(plan, rows, function, clip, choose_norm(noise), dimension)
            return json.dumps(noise.release(exact)).encode()

        return tuple(json.loads(self.__recorder.answer(call, cost, noise.loss(sensitivity, dim=dimension), draw)))

    def resample(
        self, plan: RowsPlan, function: UnitFunction, clip: Clip, noise: Gaussian, resamples: int
    ) -> tuple[tuple[int, ...], ...]:
        """Return sums over units that count a random number of times, as often as is said, each with its own noise."""
        noise = renew_mechanism(noise)
        declared = self._find_hash(plan, RowsPlan)
        dimension = check_function(plan, function, clip)
        many = check_resamples(plan, noise, resamples, dimension)
        loss = lose_resamples(clip, noise, many)
        call: Json = {
            "resample": declared,
            "of": [function.describe(), clip.describe()],
            "noise": describe_mechanism(noise),
            "resamples": many,
        }

        def draw() -> bytes:
            sums = sum_resamples(plan, self._hold(declared, plan).read(), function, clip, many, dimension)
            return json.dumps([noise.release(each) for each in sums]).encode()

        return tuple(tuple(each) for each in json.loads(self.__recorder.answer(call, charge_of(loss), loss, draw)))

    def sum_gradients(
        self, plan: RowsPlan, gradients: LinearGradients, weights: Weights, noise: VectorNoise
    ) -> tuple[int, ...]:
        """Return the sum over units of a linear model's gradients at public weights, clipped, with noise, in steps."""
        noise = renew_mechanism(noise)
        declared = self._find_hash(plan, RowsPlan)
        weights = np.array(weights, copy=True)
        sensitivity = check_gradients(plan, gradients, weights, noise)
        call: Json = {
            "sum gradients": declared,
            "gradients": gradients.describe(),
            "weights": hash_bytes(weights.astype("<i8").tobytes()),
            "noise": describe_mechanism(noise),
        }

        def draw() -> bytes:
            function = partial(sum_gradients, gradients, weights=weights, single=plan.rows == 1)
            exact = self._hold(declared, plan).sum(gradients.encoding, function)
            return json.dumps(noise.release(exact)).encode()

        cost, loss = cost_vector(sensitivity, noise), noise.loss(sensitivity, dim=gradients.entries)
        return tuple(json.loads(self.__recorder.answer(call, cost, loss, draw)))

    def sum_moments(self, plan: RowsPlan, moments: RowMoments, noise: VectorNoise) -> tuple[int, ...]:
        """Return the sum over units of products of features, or of features in groups, with noise, in steps."""
        noise = renew_mechanism(noise)
        declared = self._find_hash(plan, RowsPlan)
        sensitivity = check_moments(plan, moments, noise)
        call: Json = {
            "sum moments": declared,
            "moments": moments.describe(),
            "noise": describe_mechanism(noise),
        }

        def draw() -> bytes:
            exact = self._hold(declared, plan).sum(moments.encoding, moments.sum)
            return json.dumps(noise.release(exact)).encode()

        cost, loss = cost_vector(sensitivity, noise), noise.loss(sensitivity, dim=moments.entries)
        return tuple(json.loads(self.__recorder.answer(call, cost, loss, draw)))

    def descend(self, plan: RowsPlan, descent: CompiledDescent, state: Any, steps: int) -> Any:
        """Return the state of a compiled model after so many more steps: what is journaled is that state alone.

        Of a run that dies on the way nobody has seen anything; its steps are made anew, with another sample and noise.
        """
        declared = self._find_hash(plan, RowsPlan)
        loss = check_descent(plan, descent, state, steps)
        call: Json = {"descend": declared, "descent": descent.describe(state), "steps": steps}

        def draw() -> bytes:
            return pack_state(descent.run(self._arrange(declared, plan, descent), state, steps, self.__check))

        return unpack_state(self.__recorder.answer(call, charge_of(loss), loss, draw), state)

    def count_rows(self, plan: RowsPlan, noise: VectorNoise) -> int:
        """Return how many rows all units keep, with noise."""
        noise = renew_mechanism(noise)
        declared = self._find_hash(plan, RowsPlan)
        sensitivity = bound_rows(plan)
        cost, loss = cost_vector(sensitivity, noise), noise.loss(sensitivity, dim=1)
        call: Json = {"count rows": declared, "noise": describe_mechanism(noise)}

        def draw() -> bytes:
            return str(noise.release(self._hold(declared, plan).count())).encode()

        return int(self.__recorder.answer(call, cost, loss, draw))

    def minimise(self, plan: RowsPlan, objective: LinearObjective, noise: MinimumNoise) -> tuple[int, ...]:
        """Return the weights that minimise a linear model's loss over units, with noise, in the objective's steps."""
        declared = self._find_hash(plan, RowsPlan)
        cost, loss = check_minimum(plan, objective, noise)
        call: Json = {"minimise": declared, "objective": objective.describe(), "noise": noise.describe()}

        def draw() -> bytes:
            exact = self._hold(declared, plan).read()
            rows = objective.gradients.encoding.encode(exact.points)
            return json.dumps(draw_minimum(objective, noise, rows, exact.offsets)).encode()

        return tuple(json.loads(self.__recorder.answer(call, cost, loss, draw)))

    def release_statistic(self, plan: RowsPlan, statistic: RowStatistic) -> tuple[int, ...] | None:
        """Return a statistic of a plan's rows by a mechanism that bounds what a unit changes; None is a refusal."""
        declared = self._find_hash(plan, RowsPlan)
        own = renew(statistic)
        loss = check_statistic(plan, own)
        call: Json = {"statistic": declared, "of": describe_statistic(own)}

        def draw() -> bytes:
            return release_statistic(plan, own, self._hold(declared, plan).read())

        told: list[int] | None = json.loads(self.__recorder.answer(call, charge_of(loss), loss, draw))
        return None if told is None else tuple(told)

    def count(self, plan: RowsPlan, family: Family, group: int, noise: VectorNoise) -> tuple[int, ...]:
        """Return the answers of one group of a linear family over a plan's rows, with noise."""
        noise = renew_mechanism(noise)
        declared = self._find_hash(plan, RowsPlan)
        known = check_group(plan, family, group)
        l1, l2_squared = bound_counts(plan, known, group)
        call: Json = {
            "count": declared,
            "family": known.describe(),
            "group": group,
            "noise": describe_mechanism(noise),
        }

        def draw() -> bytes:
            table = self._count(declared, plan).project(known.find_columns(group))
            return json.dumps(noise.release(known.answer(group, table).tolist())).encode()

        cost, loss = cost_counts(l1, l2_squared, noise), lose_counts(l1, l2_squared, noise)
        return tuple(json.loads(self.__recorder.answer(call, cost, loss, draw)))

    def count_areas(self, plan: RowsPlan, areas: AreaCounts, noise: Gaussian) -> tuple[KeptPart, ...]:
        """Count a query in all areas of a level, with noise, for one price; say where the ledger keeps the answers."""
        noise = renew_mechanism(noise)
        declared = self._find_hash(plan, RowsPlan)
        check_areas(plan, areas, noise)
        if self.__parts is None:
            raise OperationError("a try keeps nothing in the ledger: count areas outside of it")
        forms = areas.describe()
        call: dict[str, Json] = {"count areas": declared, "areas": forms, "noise": describe_mechanism(noise)}
        read = partial(self._place, (declared, forms[0]), plan, areas)
        return release_areas(self.__recorder, call, plan, areas, noise, read, self.__parts)

    def choose_group(self, plan: RowsPlan, score: GapScore, pick: PickNoise) -> int:
        """Return a group of a family: likelier the farther its answers are from a model's estimates."""
        declared = self._find_hash(plan, RowsPlan)
        check_gaps(plan, score, pick)
        spread = score.bound_spread(plan)
        spreads = Spreads(spread, spread**2)
        call: Json = {"choose group": declared, "score": score.describe(), "pick": describe_mechanism(pick)}

        def draw() -> bytes:
            truth = self._answer_all(declared, plan, score.family)
            return str(score.groups[pick.release(score.rate(truth))]).encode()

        return int(self.__recorder.answer(call, cost_pick(spreads, pick), lose_pick(spreads, pick), draw))

    def start_watch(self, plan: RowsPlan, mechanism: SparseVector, reach: int) -> GapWatch:
        """Begin a watch, and pay for all of it: questions that a unit moves by up to `reach`, until its last yes."""
        declared = self._find_hash(plan, RowsPlan)
        check_watch(mechanism, reach)
        state, loss = WatchState(plan, mechanism, reach), mechanism.loss(reach)
        call: Json = {"start watch": declared, "watch": state.describe()}
        with self.__recorder.lock:
            self.__recorder.answer(call, cost_watch(reach, mechanism), loss, state.begin)
            self.__watches.append(state)
            return GapWatch(len(self.__watches) - 1)

    def exceeds(self, watch: GapWatch, family: Family, group: int, estimate: int, threshold: int) -> bool:
        """Say whether the noisy gap between a group's one answer and an estimate is at least the noisy threshold."""
        if type(watch) is not GapWatch or not 0 <= watch.place < len(self.__watches):
            raise OperationError("this is no watch of this desk: begin one with start_watch")
        with self.__recorder.lock:
            state = self.__watches[watch.place]
            known = check_group(state.plan, family, group)
            state.check_question(known, group, estimate, threshold)
            declared = self._find_hash(state.plan, RowsPlan)
            call: Json = {
                "exceeds": declared,
                "watch": watch.place,
                "family": known.describe(),
                "group": group,
                "threshold": threshold,
            }
            if state.run is None and not self.__recorder.replays:
                raise OperationError(FORFEITED)

            def draw() -> bytes:
                assert state.run is not None
                table = self._count(declared, state.plan).project(known.find_columns(group))
                (truth,) = known.answer(group, table).tolist()
                return b"yes" if state.run.decide(abs(int(truth) - estimate), threshold) else b"no"

            said = self.__recorder.draw(hash_json(call), draw) == b"yes"
            state.said += said
            return said

    def best_of(self, runs: Sequence[TryRun[Desk]], loss: BestOfLoss) -> bytes:
        """Return what the best of several tries returned: nobody sees the others, nor how many of them counted.

        Each run is tried equally often, in their order, at a desk of its own that admits what `loss.base` covers.
        """
        check_tries(runs, loss)
        call: Json = {"best of": loss.to_json(), "runs": len(runs)}
        return self.__recorder.answer(
            call, charge_of(loss), loss, lambda: choose_best(runs, loss, lambda check: self._open_try(loss.base, check))
        )

    def check(self) -> None:
        """Raise where the run is to end: for operations that wait for something else than their draws."""
        self.__check()

    def confirm(self) -> None:
        """Raise unless results may be told before the record: all are journaled, and whoever asked may still ask.

        An operation that tells results while it runs calls this before each.
        """
        self.__recorder.confirm_written()
        self.__check()
        self.__confirm()

    def flush(self) -> None:
        """Write what a schedule's checkpoint has left unwritten; whoever ends a run calls this first."""
        self.__recorder.flush()

    def close(self) -> None:
        """Let go of all rows, at the end of the run."""
        for held in self.__rows.values():
            held.close()
        self.__rows.clear()
        self.__arranged = self.__placed = None

    def _open_try(self, base: Loss, check: Callable[[], None]) -> Desk:
        """Return a desk over the same plans and the same state of the tables, which journals nothing."""

        def check_both() -> None:
            self.__check()
            check()

        return Desk(
            self.__plans,
            make_loss_meter(base),
            NoJournal(),
            lambda plan: self._compute(self._find_hash(plan, BoundedPlan), plan),
            lambda plan: self._hold(self._find_hash(plan, RowsPlan), plan),
            check_both,
            refuse_telling,
        )

    def _find_hash(self, plan: DeclaredPlan, kind: type) -> str:
        if not isinstance(plan, kind):
            raise OperationError("measure and choose take plans of questions, and all else takes plans of rows")
        for declared, name in zip(self.__plans, self.__hashes, strict=True):
            if plan is declared:
                return name
        found = hash_plan(plan)
        if found not in self.__hashes:
            raise OperationError("this plan was not declared: list every plan that is read in plans()")
        return found

    def _compute(self, name: str, plan: BoundedPlan) -> ExactResult:
        """Return the exact numbers of a plan, which are computed once: all draws are of one state of the tables."""
        if name not in self.__exact:
            self.__exact[name] = self.__compute(plan)
        return self.__exact[name]

    def _hold(self, name: str, plan: RowsPlan) -> HeldRows:
        """Return the rows of a plan, which are held for this run and read once."""
        if name not in self.__rows:
            self.__rows[name] = self.__hold(plan)
        return self.__rows[name]

    def _arrange(self, name: str, plan: RowsPlan, descent: CompiledDescent) -> RowsOfUnits:
        """Return the rows of a plan as a compiled model takes them; those of one model are held at a time."""
        key = name, hash_json(descent.gradients.describe())
        if self.__arranged is None or self.__arranged[0] != key:
            rows, gradients = self._hold(name, plan).read(), descent.gradients
            encoded = gradients.encoding.encode(rows.points)
            self.__arranged = key, gradients.arrange(encoded, rows.offsets)
        return self.__arranged[1]

    def _count(self, name: str, plan: RowsPlan) -> RowTable:
        """Return the rows of a plan by cell."""
        if name not in self.__tables:
            self.__tables[name] = count_rows(plan, self._hold(name, plan).read())
        return self.__tables[name]

    def _place(self, key: tuple[str, str], plan: RowsPlan, areas: AreaCounts) -> PlacedRows:
        """Return the rows of a plan by area and cell; those of one list of codes are held at a time."""
        if self.__placed is None or self.__placed[0] != key:
            self.__placed = key, place_rows(self._hold(key[0], plan).tally(), areas.codes)
        return self.__placed[1]

    def _answer_all(self, name: str, plan: RowsPlan, family: Family) -> list[Vector]:
        """Return the exact answers of a family, which are computed once."""
        key = (name, hash_json(family.describe()))
        if key not in self.__truths:
            self.__truths[key] = family.answer_all(self._count(name, plan))
        return self.__truths[key]


def _check_quantiles(plan: BoundedPlan, draws: Draws) -> None:
    if draws.choice is not None:
        return
    explored = {measure for measure, shares in draws.quantiles if shares}
    if explored != {place for place, measure in enumerate(plan.measures) if measure.part is Part.RANKS}:
        raise OperationError("name the quantiles that are looked for in each tree of ranks, and in nothing else")
