"""How far one unit may move what a desk measures of a plan: exact numbers, what goes into noise, and what both cost.

Each of the three is looked at by itself. Sums within the plan's sensitivity, noise that is asked about something else,
or twice, and a cost that covers half of both are three different faults, and only the last two reach an analyst.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from discreet.audit.graybox.comparing.distances import measure_alone
from discreet.audit.graybox.comparing.exact import (
    count_askings,
    find_spreads,
    list_gaps,
    list_sums,
    list_units,
)
from discreet.audit.graybox.comparing.gaps import is_round, list_input_gaps, list_points, measure_spread, measure_vector
from discreet.audit.graybox.comparing.report import FindingKind, Moved
from discreet.audit.graybox.comparing.verdicts import Verdicts
from discreet.audit.graybox.recording.tape import TapeEntry
from discreet.engines.result import ExactResult
from discreet.mechanisms import Exponential, KeySelection, Laplace, Quantile
from discreet.mechanisms.additive import Additive
from discreet.plan.bounded import BoundedPlan, Measure, Part
from discreet.plan.words import describe_expression
from discreet.privacy import PureLoss
from discreet.privacy.charges import Charge
from discreet.query.choices import Choice, bound_spreads
from discreet.query.cost import NOTHING, add_charges
from discreet.query.draws import Draws


@dataclass(frozen=True)
class MeasuredPair:
    """One plan, measured on a database and on a neighbour of it."""

    one: TapeEntry
    other: TapeEntry
    plan: BoundedPlan
    draws: Draws
    mine: ExactResult
    theirs: ExactResult

    @property
    def name(self) -> str:
        """What was asked."""
        return self.one.name

    @property
    def has_public_keys(self) -> bool:
        """Whether all keys are the same on both, so that what goes into noise can be held side by side."""
        return all(each.keys is None for each in (*self.mine.sets, *self.theirs.sets))

    def list_gaps(self, place: int) -> list[int]:
        """Return where a measure differs, and how far."""
        return list_gaps(list_sums(self.mine, place), list_sums(self.theirs, place))

    def list_unit_gaps(self) -> list[int]:
        """Return where the distinct units of keys of the data differ, and how far."""
        mine, theirs = (list_units(each) for each in (self.mine, self.theirs))
        return list_gaps(mine, theirs)


def judge_measures(verdicts: Verdicts, one: TapeEntry, other: TapeEntry) -> None:
    """Judge everything that a desk measured in one call. What follows from a finding is not said again."""
    for pair in _list_pairs(one, other):
        before = len(verdicts.findings)
        _judge_sums(verdicts, pair)
        _judge_keys(verdicts, pair)
        _judge_scores(verdicts, pair)
        _judge_askings(verdicts, pair)
        if len(verdicts.findings) == before:
            _judge_inputs(verdicts, pair)
            _judge_cost(verdicts, pair)


def _list_pairs(one: TapeEntry, other: TapeEntry) -> Iterator[MeasuredPair]:
    held = [[each[1:] for each in entry.exact if each[0] == "measures"] for entry in (one, other)]
    for (plan, mine, draws, _), (_, theirs, *_) in zip(*held, strict=True):
        yield MeasuredPair(one, other, plan, draws, mine, theirs)


def _judge_sums(verdicts: Verdicts, pair: MeasuredPair) -> None:
    """Judge sums over all keys, in both norms that noise is made for."""
    plan = pair.plan
    for place, measure in enumerate(plan.measures):
        call = f"{pair.name} {place + 1}, {_name_measure(measure)}"
        l1, l2_squared = _measure_gaps(pair, place)
        verdicts.move(Moved(call, "L1", Fraction(plan.l1(measure)), l1))
        verdicts.move(Moved(call, "L2", Fraction(plan.l2_squared(measure)), l2_squared, squared=True))


def _name_measure(measure: Measure) -> str:
    """Return what a measure adds up, of which columns, and in which steps."""
    told = [describe_expression(each) for each in (measure.argument, measure.other) if each is not None]
    if measure.grid is not None and measure.part in (Part.SUM, Part.DISTINCT_SUM) and measure.grid.step != 1:
        told.append(f"steps of {float(measure.grid.step):g}")
    return f"{measure.part.value} ({', '.join(told)})" if told else measure.part.value


def _judge_keys(verdicts: Verdicts, pair: MeasuredPair) -> None:
    """Judge the distinct units of keys that come from the data."""
    if pair.plan.selects_any:
        gaps = pair.list_unit_gaps()
        verdicts.move(Moved(pair.name, "keys of the data", Fraction(pair.plan.reached()), Fraction(len(gaps))))
        verdicts.move(Moved(pair.name, "units of one key", Fraction(1), Fraction(max(map(abs, gaps), default=0))))


def _judge_scores(verdicts: Verdicts, pair: MeasuredPair) -> None:
    """Judge the scores by which candidates are chosen."""
    choice = pair.draws.choice
    if choice is not None:
        paid = bound_spreads(pair.plan, choice.score, choice.parts)
        found = find_spreads(pair.plan, choice, pair.mine, pair.theirs)
        verdicts.move(Moved(pair.name, "spread of scores", Fraction(paid.total), Fraction(found.total)))
        squares = Fraction(paid.squares), Fraction(found.squares)
        verdicts.move(Moved(pair.name, "spread of scores, L2", *squares, squared=True))


def _judge_askings(verdicts: Verdicts, pair: MeasuredPair) -> None:
    """Judge which mechanisms were asked, how often, and about how many numbers.

    What is asked twice can be averaged, and is paid for once; what is asked about fewer numbers was told of the others
    as they are.
    """
    for entry, exact in ((pair.one, pair.mine), (pair.other, pair.theirs)):
        wanted = count_askings(pair.plan, exact, pair.draws, entry.inner)
        asked = Counter(repr(each.asked) for each in entry.inner)
        sizes = Counter[str]()
        for each in entry.inner:
            sizes[repr(each.asked)] += math.prod(each.shape or ())
            if repr(each.asked) not in wanted.times:
                verdicts.find(FindingKind.CALLS, f"{pair.name} asks {each}, which was not declared")
        for name, times in wanted.times.items():
            if times and not asked[name]:
                verdicts.find(FindingKind.CALLS, f"{pair.name} does not ask {name}, which was declared")
            elif times != asked[name]:
                words = f"{pair.name} asks {name} {asked[name]} times, and is paid for {times}"
                verdicts.find(FindingKind.CALLS, words)
            elif wanted.numbers[name] and wanted.numbers[name] != sizes[name]:
                words = f"{pair.name} asks {name} about {sizes[name]} numbers, and there are {wanted.numbers[name]}"
                verdicts.find(FindingKind.CALLS, words)


def _judge_inputs(verdicts: Verdicts, pair: MeasuredPair) -> None:
    """Judge what went into noise: no farther apart than what was measured may be.

    Of keys of the data nobody knows which is which on both: there it is what was measured, to the last digit.
    """
    if not pair.has_public_keys:
        _judge_keyed_inputs(verdicts, pair)
    elif verdicts.is_alike(pair.one, pair.other, None):
        moved: dict[str, Fraction] = defaultdict(Fraction)
        for mine, theirs in zip(pair.one.inner, pair.other.inner, strict=True):
            moved[repr(mine.asked)] += _measure_input(mine, theirs)
        for name, (norm, far) in _allow_inputs(pair).items():
            verdicts.check(Moved(f"{pair.name}, {name}", norm, far, moved[name], squared=norm == "L2"))


def _judge_keyed_inputs(verdicts: Verdicts, pair: MeasuredPair) -> None:
    measured = zip(pair.plan.measures, pair.draws.noises, strict=True)
    added = {repr(noise) for measure, noise in measured if not measure.in_cells}
    for entry, exact in ((pair.one, pair.mine), (pair.other, pair.theirs)):
        known = Counter(number for each in exact.sets for sums in each.sums for number in sums)
        for call in entry.inner:
            if repr(call.asked) in added and Counter(list_points(call.asked, call.value)) - known:
                verdicts.find(FindingKind.CALLS, f"{pair.name} adds noise to numbers that were not measured")


def _allow_inputs(pair: MeasuredPair) -> dict[str, tuple[str, Fraction]]:
    """Return how far apart all that goes into each mechanism may be, and in which norm."""
    choice = pair.draws.choice
    if choice is not None:
        spreads = bound_spreads(pair.plan, choice.score, choice.parts)
        return {repr(choice.pick): ("spread of scores", Fraction(spreads.total))}
    found: dict[str, tuple[str, Fraction]] = {}
    for measure, noise in zip(pair.plan.measures, pair.draws.noises, strict=True):
        norm, far = ("L2", pair.plan.l2_squared(measure)) if is_round(noise) else ("L1", pair.plan.l1(measure))
        found[repr(noise)] = norm, far + found.get(repr(noise), (norm, Fraction(0)))[1]
    return found


def _measure_input(mine: TapeEntry, theirs: TapeEntry) -> Fraction:
    """Return how far apart two inputs of one mechanism are, in the norm that its price is stated in."""
    if isinstance(mine.asked, Additive):
        return Fraction(measure_vector(mine, theirs, None).observed)
    if isinstance(mine.asked, Quantile):
        return sum((Fraction(each.observed) for each in measure_alone(mine, theirs, None) or ()), Fraction(0))
    return Fraction(measure_spread(list_input_gaps(mine, theirs)))


def _judge_cost(verdicts: Verdicts, pair: MeasuredPair) -> None:
    """Judge what the meter admitted: the loss on these two databases is no larger, by the theorem of each mechanism.

    Written down once more, and not taken from `query/cost.py`: a cost that is wrong there is found here.
    """
    cost, lost = pair.one.cost, _lose_pair(pair)
    assert cost is not None
    rho = Moved(pair.name, "rho", cost.rho, lost.rho)
    if math.isfinite(cost.epsilon):
        verdicts.move(Moved(pair.name, "epsilon", cost.epsilon, lost.epsilon))
        verdicts.check(rho)
    else:
        verdicts.move(rho)
    verdicts.check(Moved(pair.name, "delta", cost.delta, lost.delta))


def _lose_pair(pair: MeasuredPair) -> Charge:
    """Return what both databases lose: epsilon, rho and the delta of keys. Gaussian noise has no epsilon."""
    choice, selection = pair.draws.choice, pair.draws.selection
    if choice is not None:
        return _lose_choice(pair, choice)
    total = NOTHING
    for place, noise in enumerate(pair.draws.noises):
        l1, l2_squared = _measure_gaps(pair, place)
        if isinstance(noise, Laplace):
            total = add_charges(total, _lose_pure(l1 / Fraction(noise.scale)))
        elif isinstance(noise, Quantile):
            epsilon = l1 * Fraction(noise.epsilon) / noise.rows
            total = add_charges(total, Charge(epsilon, Fraction(noise.row_rho) * l2_squared))
        elif l2_squared:
            total = add_charges(total, Charge(math.inf, l2_squared / (2 * Fraction(noise.sigma) ** 2)))
    if selection is not None and pair.list_unit_gaps():
        epsilon = Fraction(selection.epsilon) if isinstance(selection, KeySelection) else Fraction(0)
        total = add_charges(total, replace(_lose_pure(epsilon), delta=Fraction(selection.delta)))
    return total


def _lose_choice(pair: MeasuredPair, choice: Choice) -> Charge:
    """Return what a choice loses: of bounded range by the exponential mechanism, else pure (McKenna, Sheldon 2020)."""
    spreads, scale = find_spreads(pair.plan, choice, pair.mine, pair.theirs), Fraction(choice.pick.scale)
    part = 8 if isinstance(choice.pick, Exponential) else 2
    return Charge(choice.count * spreads.total / scale, choice.count * spreads.squares / (part * scale**2))


def _lose_pure(epsilon: Fraction) -> Charge:
    return Charge(epsilon, PureLoss(epsilon).zcdp())


def _measure_gaps(pair: MeasuredPair, place: int) -> tuple[Fraction, Fraction]:
    """Return how far a measure moves in L1, and in L2 squared: of ranks, in all levels of their tree."""
    gaps, levels = pair.list_gaps(place), pair.plan.measures[place].levels
    return Fraction(sum(map(abs, gaps)) * levels), Fraction(sum(gap * gap for gap in gaps) * levels)
