"""How far one unit may move each call of a desk: what the meter admitted for it, beside what a neighbour moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from discreet.audit.graybox.comparing.answered import judge_answers
from discreet.audit.graybox.comparing.charged import add_tries
from discreet.audit.graybox.comparing.distances import measure_alone
from discreet.audit.graybox.comparing.exact import list_changed_units
from discreet.audit.graybox.comparing.gaps import measure_vector
from discreet.audit.graybox.comparing.measured import judge_measures
from discreet.audit.graybox.comparing.report import FindingKind, Moved
from discreet.audit.graybox.comparing.verdicts import PairRelation, Verdicts
from discreet.audit.graybox.recording.tape import TapeEntry
from discreet.audit.graybox.recording.taps import COINS, STEP, sum_once
from discreet.curator.door.statistics import GroupedFunction
from discreet.mechanisms import Laplace
from discreet.noise.device.frame import jax_modules
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy import BestOfLoss, PureLoss
from discreet.privacy.charges import Charge, charge_of
from discreet.query.cost import fits_within


class DeskRules:
    """Judges the calls of desks on one neighbour, in their order: some are paid for by one that came before."""

    def __init__(self, verdicts: Verdicts, compare: Callable[[list[TapeEntry], list[TapeEntry]], None]) -> None:
        """Take where findings are written, and what compares calls of desks inside of others."""
        self._verdicts, self._compare, self._move = verdicts, compare, verdicts.move
        self._areas: tuple[Fraction, Fraction] | None = None
        self._watches: dict[int, Charge] = {}
        self._said: Counter[int] = Counter()

    def judge(self, one: TapeEntry, other: TapeEntry) -> None:
        """Judge one call, by the rule of its kind. A call without a rule is a finding."""
        rule = RULES.get(one.name.removeprefix("desk: "))
        if rule is None:
            words = f"there is no rule for {one.name}: what it is paid for is not known here"
            self._verdicts.find(FindingKind.CALLS, words)
            return
        self._judge_rows(one, other)
        rule(self, one, other)
        judge_answers(self._verdicts, one, other)

    def _judge_rows(self, one: TapeEntry, other: TapeEntry) -> None:
        """One unit's rows are others, as many as it keeps; those of everybody else are the same."""
        held = [_list(each, "rows") for each in (one, other)]
        if [plan for _, plan, _ in held[0]] != [plan for _, plan, _ in held[1]]:
            self._verdicts.find(
                FindingKind.CALLS, f"{one.name} reads other rows, of {len(held[1])} plans, and of {len(held[0])} before"
            )
            return
        for (_, plan, mine), (_, _, theirs) in zip(*held, strict=True):
            gone, come = list_changed_units(mine, theirs)
            units = (
                max(len(gone), len(come)) if self._verdicts.relation is PairRelation.REPLACE else len(gone) + len(come)
            )
            self._move(Moved(one.name, "units", Fraction(1), Fraction(units)))
            self._move(Moved(one.name, "rows of a unit", Fraction(plan.rows), Fraction(max([*gone, *come], default=0))))

    def _judge_measures(self, one: TapeEntry, other: TapeEntry) -> None:
        """Sums, keys and scores of a plan, what goes into their noise, and what all of it costs."""
        judge_measures(self._verdicts, one, other)

    def _judge_vector(self, one: TapeEntry, other: TapeEntry) -> None:
        """One vector with noise: it moves by what the meter admitted, in the noise's own norm."""
        if not self._verdicts.is_alike(one, other, 1):
            return
        (mine,), (theirs,) = one.inner, other.inner
        assert one.cost is not None
        moved = measure_vector(mine, theirs, _find_paid(mine.asked, one.cost), one.name)
        self._move(moved)
        if isinstance(mine.asked, Laplace):
            lost = PureLoss(Fraction(moved.observed) / Fraction(mine.asked.scale)).zcdp()
            self._verdicts.check(Moved(one.name, "rho", one.cost.rho, lost))

    def _judge_areas(self, one: TapeEntry, other: TapeEntry) -> None:
        """Parts of one vector, paid for together by the first."""
        if not self._verdicts.is_alike(one, other, 1):
            return
        (mine,), (theirs,) = one.inner, other.inner
        if one.cost is not None:
            self._areas = _find_paid(mine.asked, one.cost), Fraction(0)
        if self._areas is None:
            self._verdicts.find(FindingKind.CALLS, "a part was drawn for which nothing was paid")
            return
        paid, before = self._areas
        moved = measure_vector(mine, theirs, paid, "desk: count areas")
        total = before + Fraction(moved.observed)
        self._areas = paid, total
        self._move(Moved(moved.call, moved.norm, paid, total, moved.squared))

    def _judge_more(self, one: TapeEntry, other: TapeEntry) -> None:
        """What needs no price of its own: a later part, or a question of a watch."""
        if one.inner and one.inner[0].name == "SparseVectorRun":
            self._judge_watch(one, other)
        else:
            self._judge_areas(one, other)

    def _start_watch(self, one: TapeEntry, _: TapeEntry) -> None:
        assert one.cost is not None
        self._watches.update({run: one.cost for _, run in _list(one, "run")})

    def _judge_watch(self, one: TapeEntry, other: TapeEntry) -> None:
        """A gap moves by what the watch paid for, however often it is asked."""
        if not self._verdicts.is_alike(one, other, 1):
            return
        (mine,), (theirs,) = one.inner, other.inner
        if mine.run is None or mine.run not in self._watches:
            self._verdicts.find(FindingKind.CALLS, "a watch was asked that nobody began")
            return
        self._said[mine.run] += bool(mine.told)
        if self._said[mine.run] > mine.asked.cutoff:
            words = f"a watch says yes {self._said[mine.run]} times, and is paid for {mine.asked.cutoff}"
            self._verdicts.find(FindingKind.CALLS, words)
        paid = Fraction(self._watches[mine.run].epsilon) / Fraction(mine.asked.loss(1).exact_pure)
        self._move(Moved("desk: exceeds", "one question", paid, Fraction(abs(mine.value - theirs.value))))

    def _judge_pick(self, one: TapeEntry, other: TapeEntry) -> None:
        """Scores of groups move apart by what is paid for."""
        if not self._verdicts.is_alike(one, other, 1):
            return
        (mine,), (theirs,) = one.inner, other.inner
        moved = [int(a) - int(b) for a, b in zip(mine.value, theirs.value, strict=True)]
        assert one.cost is not None
        paid = Fraction(one.cost.epsilon) * Fraction(mine.asked.scale)
        self._move(Moved(one.name, "spread of scores", paid, Fraction(max(moved) - min(moved))))

    def _judge_resamples(self, one: TapeEntry, other: TapeEntry) -> None:
        """Each unit's vector is as long as the clip at most, and counts in every resample by a coin of its own."""
        for mine, theirs in zip(_list(one, "resamples"), _list(other, "resamples"), strict=True):
            _, plan, _, function, clip, _, dimension, _ = mine
            sums = [sum_once(plan, each[2], function, clip, dimension) for each in (mine, theirs)]
            apart = sum((a - b) ** 2 for a, b in zip(*sums, strict=True))
            self._move(Moved(one.name, "L2", Fraction((plan.factor * clip.steps) ** 2), Fraction(apart), squared=True))
            for entry, (*_, summed) in ((one, mine), (other, theirs)):
                if [list(each.value) for each in entry.inner] != summed:
                    self._verdicts.find(FindingKind.CALLS, f"{one.name} adds noise to something else than its sums")
        self._verdicts.is_alike(one, other, None)

    def _judge_minimum(self, one: TapeEntry, other: TapeEntry) -> None:
        """Of weights with noise, how far they move; of a pushed objective, whose theorem is about rows, the rows."""
        if len(one.inner) == 1:
            self._judge_vector(one, other)
        else:
            self._verdicts.is_alike(one, other, 2)

    def _judge_inside(self, one: TapeEntry, other: TapeEntry) -> None:
        """Calls of desks inside, of tries that lose no more than the base of what is paid for."""
        assert isinstance(one.loss, BestOfLoss)
        spent, base = add_tries(one.inner), charge_of(one.loss.base)
        if len(spent) > one.loss.tries or not all(fits_within(each, base) for each in spent):
            words = f"{one.name} makes {len(spent)} tries, of {one.loss.tries}, or one that costs more than {base}"
            self._verdicts.find(FindingKind.CALLS, words)
        calls = [[each for each in entry.inner if each.name != COINS] for entry in (one, other)]
        coins = [[each.parameters for each in entry.inner if each.name == COINS] for entry in (one, other)]
        if coins != [[repr(one.loss)]] * 2:
            self._verdicts.find(FindingKind.CALLS, f"{one.name} tosses other coins than are declared, or none")
        self._compare(*calls)

    def _judge_statistic(self, one: TapeEntry, other: TapeEntry) -> None:
        """One mechanism looks at all values: no more of them are others than it is made for, and its loss is charged.

        Of values of groups only their number is compared: a unit more lets others fall into other groups, by the same
        law, and the theorem is about one group that is another.
        """
        if not self._verdicts.is_alike(one, other, 1):
            return
        (mine,), (theirs,) = one.inner, other.inner
        ((_, plan, statistic, *_),) = _list(one, "statistic")
        if isinstance(statistic, GroupedFunction):
            self._judge_groups(statistic.groups, mine, theirs)
        else:
            self._judge_values(plan, mine, theirs)
        assert one.cost is not None
        lost = charge_of(mine.asked.loss())
        if not fits_within(lost, one.cost):
            words = f"{one.name}: {lost} is lost, and {one.cost} is charged"
            self._verdicts.find(FindingKind.SENSITIVITY, words)

    def _judge_groups(self, groups: int, mine: TapeEntry, theirs: TapeEntry) -> None:
        for each in (mine, theirs):
            values = Counter(each.value).total() if isinstance(each.value, Mapping) else len(each.value)
            if values != groups:
                words = f"{each.name} is given {values} values, and there are {groups} groups"
                self._verdicts.find(FindingKind.CALLS, words)

    def _judge_values(self, plan: RowsPlan, mine: TapeEntry, theirs: TapeEntry) -> None:
        every = measure_alone(mine, theirs, None)
        if every is None:
            self._verdicts.find(FindingKind.SENSITIVITY, f"{mine.name}: how far apart its values are is not known")
        for moved in every or ():
            rows = Fraction(plan.rows * plan.factor)
            self._move(replace(moved, declared=rows) if moved.declared is None else moved)

    def _judge_descent(self, one: TapeEntry, other: TapeEntry) -> None:
        """Every step has the noise that is declared, for every coordinate. How far a unit moves a step is not compared:
        another one shifts everybody's coins, and with them the sample. Noise that is made on a GPU is not heard."""
        if not self._verdicts.is_alike(one, other, None) or jax_modules()[0].default_backend() != "cpu":
            return
        for entry in (one, other):
            ((_, descent, _, _, steps, *_),) = _list(entry, "descent")
            wanted = f"sigma {descent.noise.sigma!r}", (descent.gradients.grid.coordinates,)
            drawn = [(each.parameters, each.shape) for each in entry.inner if each.name == STEP]
            if drawn != [wanted] * steps:
                words = f"{one.name} draws noise {len(drawn)} times for {steps} steps, or another than is declared"
                self._verdicts.find(FindingKind.CALLS, words)


def _list(entry: TapeEntry, what: str) -> list[Any]:
    return [each for each in entry.exact if each[0] == what]


def _find_paid(noise: Any, cost: Charge) -> Fraction:
    """Return the sensitivity that a cost covers with this noise: in L1, or the square of it in L2."""
    if isinstance(noise, Laplace):
        return Fraction(cost.epsilon) * Fraction(noise.scale)
    return 2 * Fraction(cost.rho) * Fraction(noise.sigma) ** 2


Rule = Callable[[DeskRules, TapeEntry, TapeEntry], None]

RULES: dict[str, Rule] = {
    "measure": DeskRules._judge_measures,
    "sum": DeskRules._judge_vector,
    "sum gradients": DeskRules._judge_vector,
    "sum moments": DeskRules._judge_vector,
    "count rows": DeskRules._judge_vector,
    "count": DeskRules._judge_vector,
    "count areas": DeskRules._judge_areas,
    "more": DeskRules._judge_more,
    "choose group": DeskRules._judge_pick,
    "resample": DeskRules._judge_resamples,
    "minimise": DeskRules._judge_minimum,
    "statistic": DeskRules._judge_statistic,
    "descend": DeskRules._judge_descent,
    "start watch": DeskRules._start_watch,
    "best of": DeskRules._judge_inside,
}
"""How each call of a desk is judged. A call without a rule is a finding."""
