"""What a question would do and cost, from public facts alone."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.mechanisms import Laplace
from discreet.plan.bounded import BoundedPlan, Part
from discreet.plan.question import Aggregate, Kind, Question
from discreet.query.price import Price, expected_error, half_width, step_of

CONFIDENCE = 0.95

WORDS = {
    Part.ROWS: "rows",
    Part.VALUES: "values of {}",
    Part.UNITS: "distinct units",
    Part.SUM: "sum of {}",
    Part.SQUARES: "sum of squares of {}",
    Part.OUTSIDE: "values of {} outside its bounds",
    Part.RANKS: "ranks of {}",
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """The plan, its bounds, noise and price. No data was read, and nothing was charged."""

    question: Question
    priced: Price
    remarks: tuple[str, ...]

    def __str__(self) -> str:
        plan, priced = self.priced.bounded.plan, self.priced
        unit = plan.unit.column or "each row"
        lines = [
            f"table      {plan.scan.table}, unit: {unit}",
            *(f"join       {lookup.table} (public), one row at most for each" for lookup in plan.lookups),
            f"keys       {_keys(self.question, plan.groups, [len(key.domain) for key in plan.keys])}",
            f"bounds     a unit keeps {plan.limits.l1()} rows at most ({_bound_by(plan)})",
            f"guarantee  {priced.guarantee}",
            "",
        ]
        for measure, noise, share in zip(plan.measures, priced.noises, priced.shares, strict=True):
            name = getattr(measure.argument, "name", "")
            kind = "Laplace" if isinstance(noise, Laplace) else "Gaussian"
            step = float(step_of(measure))
            moved, error = _shown(plan.l1(measure) * step), _shown(expected_error(noise) * step)
            lines.append(
                f"measure    {WORDS[measure.part].format(name)}: sensitivity {moved}, "
                f"{kind} noise of {error} on average, {float(share):.0%} of the charge"
            )
        lines.append("")
        for place, asked in enumerate(self.question.aggregates):
            width = half_width(priced, place, CONFIDENCE)
            told = f"+- {_shown(width)} at {CONFIDENCE:.0%}" if width is not None else _relative(asked)
            lines.append(f"error      {described(asked)}: {told}")
        return "\n".join([*lines, *(f"note       {remark}" for remark in self.remarks)])


def described(asked: Aggregate) -> str:
    """Return an aggregate in words."""
    name = getattr(asked.argument, "name", "")
    if asked.kind is Kind.QUANTILE and asked.share is not None:
        return f"quantile {float(asked.share):g} of {name}"
    return f"{asked.kind.value} of {name}" if name else asked.kind.value


def _relative(asked: Aggregate) -> str:
    if asked.kind is Kind.QUANTILE:
        return "depends on the data: the more values lie close together, the closer"
    return "depends on the count: the noise above, divided by it"


def _bound_by(plan: BoundedPlan) -> str:
    told = plan.limits.bound_by if plan.unit.column is not None else "each row is a unit"
    return told if plan.factor == 1 else f"{told}, doubled since one unit may replace another"


def _keys(question: Question, groups: int, sizes: list[int]) -> str:
    if not question.keys:
        return "none: one row"
    listed = ", ".join(f"{key.name} ({size})" for key, size in zip(question.keys, sizes, strict=True))
    return f"{listed}: {groups} rows, also the empty ones"


def _shown(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
