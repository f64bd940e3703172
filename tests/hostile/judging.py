"""What must hold of a question on neighbours: one plan, no exception, and differences within the declared bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from discreet.audit.graybox.comparing.exact import KeyedSums, find_spreads, list_gaps, list_sums, list_units
from discreet.base.errors import DiscreetError
from discreet.curator.asking.explain import Explanation
from discreet.engines.engines import Engines
from discreet.engines.result import ExactResult
from discreet.plan.beside import list_releases
from discreet.plan.bounded import BoundedPlan, KeySet, Limits, Measure, Part
from discreet.plan.expressions import Call, Expression
from discreet.plan.question import Question
from discreet.plan.relations import list_scans
from discreet.query.bound import bound
from discreet.query.build import build
from discreet.query.canonical import to_canonical
from discreet.query.choices import bound_spreads
from discreet.query.cut_first import cut_first
from discreet.query.given_keys import read_keys
from discreet.query.left_out import UNITS, LeftOutCount, plan_left_out
from discreet.query.parse import parse
from discreet.query.price import Price, read_amount
from discreet.query.price_several import price_several
from hostile.asking import Case
from hostile.world import World
from support.hospital import catalog_of


class Violation(AssertionError):  # noqa: N818
    """A rule that did not hold, with all that is needed to see it again."""


@dataclass(frozen=True)
class Planned:
    """A question that is answered, with its price."""

    question: Question
    priced: Price

    @property
    def plan(self) -> BoundedPlan:
        return self.priced.bounded.plan

    @property
    def releases(self) -> list[Planned]:
        """All that the statement releases, each by itself: itself first."""
        asked = list_releases(self.question).questions
        return [Planned(*each) for each in zip(asked, (self.priced, *self.priced.beside), strict=True)]


@dataclass(frozen=True)
class Outcome:
    """What became of one question: None where it was refused."""

    planned: Planned | None
    over: bool = False
    """Whether the changed unit had more rows or groups than it keeps."""
    counted: bool = False
    """Whether what is left out was counted as well."""


def planned(engine: Engines, case: Case) -> Planned | str:
    """Return the plan and the price, or the words of the refusal; any other exception is a violation."""
    try:
        catalog = catalog_of(engine)
        question = cut_first(to_canonical(build(parse(case.sql), catalog, case.params)), catalog)
        given = None if case.keys is None else read_keys(case.keys, question)
        first, *others = list_releases(question).questions
        bounded = [bound(first, catalog, case.limits, given), *(bound(each, catalog, case.limits) for each in others)]
        amount = read_amount("epsilon", case.epsilon)
        return Planned(question, price_several(tuple(bounded), engine.policy, epsilon=amount))
    except DiscreetError as refusal:
        return f"{type(refusal).__name__}: {refusal}"


def ran(engine: Engines, plan: BoundedPlan) -> ExactResult:
    """Return the exact result; an exception would be an answer about the data."""
    return engine.run(plan).result()


def judged(world: World, case: Case) -> Outcome:
    """Hold a question to all rules on a world's databases."""
    try:
        return _judged(world, case, twice=case.place % 3 == 0)
    except Violation as found:
        raise Violation(f"{found}\n{reproduction(world, case)}") from None
    except Exception as trouble:
        raise Violation(f"{type(trouble).__name__}: {trouble}\n{reproduction(world, case)}") from trouble


def _judged(world: World, case: Case, twice: bool) -> Outcome:
    found = planned(world.engine("one"), case)
    if twice:
        again = planned(world.engine("other"), case)
        if repr(found) != repr(again):
            raise Violation(f"two plans for neighbours: {found!r} and {again!r}")
        if isinstance(found, Planned) and isinstance(again, Planned) and _told(found) != _told(again):
            raise Violation("two explanations for neighbours")
    if isinstance(found, str):
        return Outcome(None)
    over = [_judge_release(world, each, case.place % 2 == 1) for each in found.releases]
    alone = len(found.releases) == 1 and _left_out(world, case, found.plan)
    return Outcome(found, any(over), alone)


def _judge_release(world: World, found: Planned, looks: bool) -> bool:
    plan = found.plan
    one, other, alone = (ran(world.engine(name), plan) for name in ("one", "other", "alone"))
    _bounded(plan, one, other)
    _spread(found, one, other)
    _bounded(replace(plan, factor=1), alone, ExactResult(tuple(_empty(each) for each in alone.sets)))
    _local(plan, one, ran(world.engine("base"), plan) if world.replace else other, alone)
    return plan.units and looks and _over(world, plan)


def _left_out(world: World, case: Case, plan: BoundedPlan) -> bool:
    """Hold the count of what is left out to the same rules, and to what the limits say of the changed unit."""
    if case.place % 6 not in (1, 4):
        return False
    wanted: LeftOutCount = UNITS if case.place % 6 == 1 else 2
    try:
        counted = plan_left_out(plan, wanted).plan
    except DiscreetError:
        return False
    one, other, alone = (ran(world.engine(name), counted) for name in ("one", "other", "alone"))
    _bounded(counted, one, other)
    _local(counted, one, ran(world.engine("base"), counted) if world.replace else other, alone)
    ((found,),) = alone.sets[0].sums
    over = _exceeds(world, plan)
    if (found > 0) is not over:
        raise Violation(f"{found} is counted of a unit that is {'' if over else 'not '}over its limits")
    return True


def _told(found: Planned) -> str:
    return str(Explanation(found.question, found.priced, found.priced.bounded.coarsened, {}))


def _bounded(plan: BoundedPlan, one: ExactResult, other: ExactResult) -> None:
    for place, measure in enumerate(plan.measures):
        apart = list_gaps(list_sums(one, place), list_sums(other, place))
        l1, l2 = sum(map(abs, apart)), sum(gap * gap for gap in apart)
        if l1 * measure.levels > plan.l1(measure):
            raise Violation(f"L1 {l1} * {measure.levels} > {plan.l1(measure)} for {measure}")
        if l2 * measure.levels > plan.l2_squared(measure):
            raise Violation(f"squared L2 {l2} * {measure.levels} > {plan.l2_squared(measure)} for {measure}")
    apart = list_gaps(list_units(one), list_units(other))
    if len(apart) > plan.reached():
        raise Violation(f"{len(apart)} keys differ in their units, more than {plan.reached()}")
    if any(abs(gap) > 1 for gap in apart):
        raise Violation(f"the units of a key differ by {max(map(abs, apart))}")


def _spread(found: Planned, one: ExactResult, other: ExactResult) -> None:
    """Scores by which keys are chosen move apart by no more than what is paid for, in one part and in all."""
    choice, plan = found.priced.choice, found.plan
    if choice is None:
        return
    found_spreads, paid = find_spreads(plan, choice, one, other), bound_spreads(plan, choice.score, choice.parts)
    if found_spreads.total > paid.total or found_spreads.squares > paid.squares:
        raise Violation(f"scores move apart by {found_spreads}, and {paid} is paid for")


def _local(plan: BoundedPlan, one: ExactResult, base: ExactResult, alone: ExactResult) -> None:
    """What a unit adds is what it has alone: nobody else's rows change it, and it changes nobody else's."""
    for place, measure in enumerate(plan.measures):
        if measure.part not in (Part.DISTINCT, Part.DISTINCT_SUM):  # others may have the same values
            _same(list_sums(one, place), list_sums(base, place), list_sums(alone, place), str(measure))
    _same(list_units(one), list_units(base), list_units(alone), "units of keys")


def _same(one: KeyedSums, base: KeyedSums, alone: KeyedSums, what: str) -> None:
    for key in one.keys() | base.keys() | alone.keys():
        added = one.get(key, 0) - base.get(key, 0)
        if added != alone.get(key, 0):
            raise Violation(f"not unit-local: {what} at {key} is {alone.get(key, 0)} alone and adds {added}")


def _empty(each: Any) -> Any:
    zeros = tuple(tuple(0 for _ in row) for row in each.sums)
    cells: dict[int, Any] = {place: tuple({} for _ in found) for place, found in each.cells.items()}
    return type(each)(zeros, cells, each.keys, tuple(0 for _ in each.units))


MANY = Limits(10**6, 10**6, 10**6)


def _over(world: World, plan: BoundedPlan) -> bool:
    """Say whether the changed unit has more, before the last step or at a scan, than it may keep."""
    if any(scan.rows is not None and world.heavy[scan.table] > scan.rows for scan in list_scans(plan.block)):
        return True
    if max(world.heavy[scan.table] for scan in list_scans(plan.block)) < 2:
        return False
    return _exceeds(world, plan)


def _exceeds(world: World, plan: BoundedPlan) -> bool:
    """Say whether the changed unit has more before the last step than it may keep."""
    wide = replace(plan, sets=tuple(KeySet(each.keys, MANY) for each in plan.sets), measures=(Measure(Part.ROWS),))
    for found, each in zip(ran(world.engine("alone"), wide).sets, plan.sets, strict=True):
        rows = [count for count in found.sums[0] if count]
        limits = each.limits
        if sum(rows) > limits.rows or len(rows) > limits.groups or max(rows, default=0) > limits.rows_per_group:
            return True
    return False


def functions(question: Question) -> set[str]:
    """Return the functions that a question computes over rows."""
    return {name for expression in question.expressions() for name in _called(expression)}


def _called(expression: Expression) -> Iterator[str]:
    if isinstance(expression, Call):
        yield expression.function
        for argument in expression.arguments:
            yield from _called(argument)


def reproduction(world: World, case: Case) -> str:
    """Return a case as it can be asked by hand."""
    names = [name for name in ("a", "b", "c", "r", "p", "q") if name in world.frames["one"]]
    tables = "\n".join(f"-- {name} alone: {shown(world.frames['alone'][name].to_pydict)}" for name in names)
    how = f"{case.params} {case.limits} epsilon={case.epsilon} keys={case.keys}"
    return f"world({case.seed}), case {case.place}: {how}\n{case.sql}\n{tables}"


def shown(columns: Any) -> str:
    """Return a table's columns, where Python has such values."""
    try:
        return repr(columns())
    except (OverflowError, ValueError):
        return "values beyond Python's calendar"
