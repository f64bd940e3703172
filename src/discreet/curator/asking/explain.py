"""What a question would do and cost, from public facts alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from discreet.answers.html_tables import render_lines
from discreet.base.showing import ShownAsText
from discreet.curator.asking.outlook import Outlook
from discreet.curator.asking.within import bound_mean_error
from discreet.curator.estimates.assemble import (
    describe_score,
    describe_selection,
    find_left_out_width,
    measure_accuracy,
)
from discreet.mechanisms import Laplace, PermuteAndFlip
from discreet.mechanisms.quantile import Quantile
from discreet.plan.beside import list_releases
from discreet.plan.bounded import BoundedPlan, KeySet, Measure, Part
from discreet.plan.question import RANKED, Aggregate, AggregateKind, Question
from discreet.plan.relations import Lookup, Scan, is_plain, list_scans, list_sources
from discreet.plan.words import describe_aggregate, describe_arguments, describe_expression
from discreet.policy.model import Policy
from discreet.query.draws import Draw
from discreet.query.price import Price, estimate_error, find_half_width, find_step
from discreet.query.price_left_out import SHARE

CONFIDENCE = 0.95

WORDS = {
    Part.ROWS: "rows",
    Part.VALUES: "values of {}",
    Part.UNITS: "distinct units",
    Part.SUM: "sum of {}",
    Part.SQUARES: "sum of squares of {}",
    Part.OUTSIDE: "values of {} outside its bounds",
    Part.RANKS: "ranks of {}",
    Part.QUANTILE: "a rank of {}",
    Part.PRODUCTS: "sum of products of {}",
    Part.DISTINCT: "distinct values of {}",
    Part.DISTINCT_SUM: "sum of distinct values of {}",
}


def _name_part(measure: Measure) -> str:
    some = measure.part is Part.UNITS and measure.argument is not None
    return "distinct units, by a condition on their rows: {}" if some else WORDS[measure.part]


USUAL_COUNT = 1_000
"""Values that a mean is taken to be of, where nothing public says more."""


@dataclass(frozen=True, slots=True)
class Assumed:
    """How many values a mean is taken to be of, and why."""

    count: int
    why: str


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(ShownAsText):
    """The plan, its bounds, noise and price. No data was read, and nothing was charged."""

    question: Question
    priced: Price
    remarks: tuple[str, ...]
    units: Mapping[str, str]
    """The unit of every table that has one, and how its rows reach it."""
    outlook: Outlook | None = None
    """How it would be answered, where that is not by a new run of its own."""
    assumed: Assumed | None = None
    """How many values a mean is taken to be of, to say how far it errs: nobody knows how many there are."""

    def __str__(self) -> str:
        plan, priced = self.priced.bounded.plan, self.priced
        made = self.outlook is not None and self.outlook.half_width is not None
        lines = [
            *_tables(plan, self.units),
            *(f"keys       {_keys(plan, index)}" for index in range(len(plan.sets))),
            *(
                f"bounds     a unit keeps {_rows(each.limits.l1())} at most ({_bound_by(plan, each)})"
                for each in plan.sets
            ),
            *([] if made else [f"guarantee  {priced.guarantee}"]),
            *_describe_outlook(self.outlook),
            "",
        ]
        released = () if priced.choice is not None or made else plan.measures
        whole = 1 if priced.left_out is None else 1 - SHARE
        for measure, noise, share in zip(released, priced.noises, priced.shares, strict=not made):
            other = measure.other if measure.part in (Part.PRODUCTS, Part.VALUES) else None
            name = describe_arguments(measure.argument, other, plan.block)
            step = 1.0 if isinstance(noise, Quantile) else float(find_step(measure))
            moved, error = _shown(plan.l1(measure) * step), _shown(estimate_error(noise) * step)
            lines.append(
                f"measure    {_name_part(measure).format(name)}: sensitivity {moved}, "
                f"{_noise(noise)} of {error} on average, {float(share * whole):.0%} of the charge"
            )
        if priced.left_out is not None and not made:
            lines.append(f"left out   {_describe_left_out(priced)}")
        if priced.selection is not None:
            lines.append(f"selection  {describe_selection(priced.selection)}")
        if priced.choice is None and priced.bounded.pick is not None:
            lines.append("choice     none: keys ordered by released values fall less short than keys that are chosen")
        elif priced.choice is not None:
            lines.append(f"choice     {_describe_choice(priced, self.question)}")
        lines.append("")
        accuracy = measure_accuracy(self.question, priced)
        if accuracy is not None:
            lines.append(f"accuracy   {accuracy.describe(CONFIDENCE)}")
        lines += [f"error      {what}: {words}" for what, words in self._own_errors]
        lines += self._describe_beside()
        return "\n".join([*lines, *(f"note       {remark}" for remark in self.remarks)])

    def _describe_beside(self) -> list[str]:
        """Return what else the statement releases, each as a question of its own."""
        lines: list[str] = []
        _, *others = list_releases(self.question).questions
        for question, priced in zip(others, self.priced.beside, strict=True):
            said = str(Explanation(question, priced, (), self.units))
            lines += ["", "beside     another answer of this statement:", *said.rstrip().splitlines()]
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return the price, the errors and what is noted, for programs; `text` is all of it for people."""
        charge = self.priced.charge
        amounts = {name: float(getattr(charge, name)) for name in ("epsilon", "rho", "delta")}
        return {
            "guarantee": self.priced.guarantee,
            "cost": {name: amount if isfinite(amount) else None for name, amount in amounts.items()},
            "errors": [{"what": what, "error": words} for what, words in self.errors],
            "notes": list(self.remarks),
            "text": str(self),
        }

    def _repr_html_(self) -> str:
        return render_lines("what it would do and cost", str(self))

    @property
    def errors(self) -> tuple[tuple[str, str], ...]:
        """How far each aggregate errs, in words, the way it would be answered."""
        _, *others = list_releases(self.question).questions
        beside = [list_errors(*each) for each in zip(others, self.priced.beside, strict=True)]
        return (*self._own_errors, *(error for each in beside for error in each))

    @property
    def _own_errors(self) -> tuple[tuple[str, str], ...]:
        if self.outlook is not None and self.outlook.half_width is not None:
            width = self.outlook.half_width(CONFIDENCE)
            return list_errors(self.question, self.priced, lambda place: width)
        return list_errors(self.question, self.priced, assumed=self.assumed)


def list_errors(
    question: Question,
    priced: Price,
    half_width: Callable[[int], float | None] | None = None,
    assumed: Assumed | None = None,
) -> tuple[tuple[str, str], ...]:
    """Return what each aggregate of a question is called and how far it errs at a price; none where keys are chosen."""
    found = []
    for place, asked in enumerate(question.aggregates if priced.choice is None else ()):
        width = find_half_width(priced, place, CONFIDENCE) if half_width is None else half_width(place)
        error = f"+- {_shown(width)} at {CONFIDENCE:.0%}" if width is not None else _relative(asked)
        if width is None and asked.kind is AggregateKind.MEAN and assumed is not None:
            error = _preview_mean(priced, place, assumed)
        found.append((describe_aggregate(asked, priced.bounded.plan.block), error))
    return tuple(found)


def assume_count(question: Question, priced: Price, policy: Policy) -> Assumed:
    """Return how many values each mean is taken to be of, from public facts: what is declared, else the usual."""
    plan = priced.bounded.plan
    tables = [policy.table(scan.table) for scan in list_scans(question.block)]
    least, size = tables[0].min_count, tables[0].size
    if is_plain(question.block) and least is not None:
        return Assumed(least, "the min_count of the policy")
    groups = 1 if plan.selects_any else max(1, plan.public_groups)
    if is_plain(question.block) and size is not None and not plan.selects_any and size >= groups:
        return Assumed(size // groups, f"the table's size{f' over its {groups:,} groups' if groups > 1 else ''}")
    return Assumed(USUAL_COUNT, "no size is declared" if size is None else "groups of this size")


def _preview_mean(priced: Price, place: int, assumed: Assumed) -> str:
    error = bound_mean_error(priced, place, assumed.count)
    within = "more than its bounds" if not isfinite(error) else f"+- {_shown(error)} at {CONFIDENCE:.0%}"
    return f"{within} where it is of {assumed.count:,} values (assumed: {assumed.why})"


def _describe_left_out(priced: Price) -> str:
    """Say how what is left out is counted."""
    assert priced.left_out is not None
    counted = priced.left_out.counted
    (measure,), (noise,) = counted.plan.measures, priced.left_out.draws.noises
    width = find_left_out_width(priced, CONFIDENCE)
    return (
        f"how many {counted.words}: sensitivity {_shown(counted.plan.l1(measure))}, {_noise(noise)}, "
        f"+- {_shown(width)} at {CONFIDENCE:.0%}, {float(SHARE):.0%} of the charge"
    )


def _describe_outlook(outlook: Outlook | None) -> list[str]:
    return [] if outlook is None else [f"way        {outlook.way}", f"cost       {outlook.cost}"]


def _describe_choice(priced: Price, question: Question) -> str:
    """Say how keys are chosen, and that nothing is told of their scores."""
    plan, choice = priced.bounded.plan, priced.choice
    assert choice is not None
    by = "permute-and-flip" if isinstance(choice.pick, PermuteAndFlip) else "the exponential mechanism"
    many = "one" if choice.count == 1 else f"{choice.count:,}"
    each = f" in each of {choice.parts:,} groups" if choice.parts > 1 else ""
    spread = _shown(float(choice.score.bound_spread(plan) * priced.score_step))
    score = describe_score(question.aggregates[0], plan.block)
    return (
        f"{many} of {choice.count_each(plan):,}{each} by {score}, by {by}: a unit moves two of them apart by {spread} "
        "at most; none of them is released"
    )


def _rows(count: int) -> str:
    return "one row" if count == 1 else f"{count:,} rows"


def _relative(asked: Aggregate) -> str:
    if asked.kind in RANKED:
        return "depends on the data: the more values lie close together, the closer"
    return "depends on the count: the noise above, divided by it"


def _noise(noise: Draw) -> str:
    if isinstance(noise, Quantile):
        how = "permute-and-flip" if noise.pure else "the exponential mechanism"
        return f"drawn by {how} on ranks, half of the time within an error"
    return "Laplace noise" if isinstance(noise, Laplace) else "Gaussian noise"


def _tables(plan: BoundedPlan, units: Mapping[str, str]) -> list[str]:
    found = []
    for each in list_sources(plan.block):
        if isinstance(each, Scan):
            then = "WHERE, chosen by all online columns" if each.content else "it is joined"
            cut = "" if each.rows is None else f", {_rows(each.rows)} of a unit at most before {then}"
            once = "".join(f", one row of a unit for each {' and '.join(key)}" for key in each.unique)
            found.append(f"table      {each.table}, unit: {units.get(each.table, 'each row')}{once}{cut}")
        elif isinstance(each, Lookup):
            found.append(f"join       {each.table} (public), {_rows(max(each.fan_out, 1))} at most for each")
    return found


def _bound_by(plan: BoundedPlan, chosen: KeySet) -> str:
    words = chosen.limits.bound_by if plan.units else "each row is a unit"
    return words if plan.factor == 1 else f"{words}, doubled since one unit may replace another"


def _keys(plan: BoundedPlan, index: int) -> str:
    keys = [plan.keys[place] for place in plan.sets[index].keys]
    if not keys:
        return "none: one row"
    listed = ", ".join(
        f"{describe_expression(key.expression, plan.block)}{f' ({len(key.domain)})' if key.domain else ''}"
        for key in keys
    )
    if plan.selects(index):
        return f"{listed}: those that a private selection keeps"
    together = "together, " if plan.joined(index) else ""
    return f"{listed}: {together}{_rows(plan.groups(index))}, also the empty ones"


def _shown(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
