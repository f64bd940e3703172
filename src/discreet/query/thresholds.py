"""Ranges of candidates as thresholds: scores that count the values of a column on one side of $candidate.

Read are COUNT(*) FILTER (WHERE x >= $candidate), a weight times that, and SUM(CASE WHEN x >= $candidate THEN weight
ELSE 0 END), each with any of >=, >, <= and <. A weight is a number, or $candidate times and plus numbers. Values of x
are clamped to its bounds and put on its grid, of which every candidate is a point; they are counted there once, for
all candidates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.plan.bounded import Part
from discreet.plan.question import AggregateKind
from discreet.query.bound import bound
from discreet.query.build import build, find_parameters
from discreet.query.candidates import CANDIDATE, CandidatePlan, CandidateRange, check_candidate, find_common_step
from discreet.query.canonical import to_canonical
from discreet.query.catalog import Catalog
from discreet.query.parse import quote_sql, refuse_other_parts
from discreet.query.price_choice import ChoiceDraft
from discreet.query.scalars.constants import to_literal
from discreet.query.scores import MOST_LISTED, Side, ThresholdScore

FORMS = (
    "over a long range of candidates a score is COUNT(*) FILTER (WHERE x >= $candidate), a number or $candidate times "
    "that, or SUM(CASE WHEN x >= $candidate THEN $candidate ELSE 0 END), with >=, >, <= or <; give other scores a list"
)

SIDES: dict[type[exp.Expression], Side] = {
    exp.GTE: Side.AT_LEAST,
    exp.GT: Side.MORE,
    exp.LTE: Side.AT_MOST,
    exp.LT: Side.LESS,
}

TURNED = {
    Side.AT_LEAST: Side.AT_MOST,
    Side.MORE: Side.LESS,
    Side.AT_MOST: Side.AT_LEAST,
    Side.LESS: Side.MORE,
}
"""The same comparison with its sides exchanged."""


@dataclass(frozen=True, slots=True)
class Weight:
    """A public number that grows evenly with the candidate: base + slope * candidate."""

    base: Fraction
    slope: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Threshold:
    """Which column is compared with the candidate, on which side values count, and for how much."""

    column: exp.Expression
    side: Side
    weight: Weight


def plan_thresholds(
    select: exp.Select,
    catalog: Catalog,
    candidates: CandidateRange,
    parameters: Mapping[str, Any],
    largest: bool,
    count: int,
    limits: Mapping[str, int | None],
) -> CandidatePlan:
    """Return the plan that counts the column's values at the points of its grid."""
    check_candidate(select, parameters)
    others = [each for each in ("group", "having", "order", "limit") if select.args.get(each)]
    if len(select.expressions) != 1 or others:
        raise QueryError(FORMS)
    found = _read_threshold(select.expressions[0].unalias(), parameters)
    ranked = select.copy()
    ranked.set("expressions", [exp.Median(this=found.column.copy())])
    if CANDIDATE in find_parameters(ranked):
        raise QueryError(f"$candidate stands beside one comparison only; {FORMS}")
    question = to_canonical(build(ranked, catalog, parameters))
    bounded = bound(question, catalog, limits)
    (measure,) = bounded.plan.measures
    grid = measure.grid
    assert question.aggregates[0].kind is AggregateKind.QUANTILE
    assert measure.part is Part.QUANTILE
    assert grid is not None
    first = (candidates.lower - grid.center) / grid.step - grid.lower
    step = candidates.step / grid.step
    if first.denominator != 1 or step.denominator != 1:
        raise QueryError(
            f"{quote_sql(found.column)} has values in steps of {float(grid.step):g} here, and candidates must be among "
            "them; choose others, or declare a smaller step or narrower bounds in the policy"
        )
    sign = 1 if largest else -1
    base = sign * (found.weight.base + found.weight.slope * candidates.lower)
    slope = sign * found.weight.slope * candidates.step
    if slope and len(candidates) > MOST_LISTED:
        raise QueryError(
            f"there are {len(candidates):,} candidates, and a score that grows with the candidate itself takes "
            f"{MOST_LISTED:,} at most; take larger steps first, then smaller ones around what was chosen"
        )
    worth = find_common_step([base, slope])
    numbers = (int(first), int(step), len(candidates), found.side, int(base / worth), int(slope / worth))
    said = to_canonical(build(select.copy(), catalog, {**parameters, CANDIDATE: candidates.value(0)}))
    return CandidatePlan(said, ChoiceDraft(bounded, ThresholdScore(0, *numbers), worth, count))


def _read_threshold(node: exp.Expression, parameters: Mapping[str, Any]) -> Threshold:
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Mul):
        for counted, factor in ((node.this, node.expression), (node.expression, node.this)):
            inner = counted.this if isinstance(counted, exp.Paren) else counted
            if isinstance(inner, exp.Filter):
                compared = _read_count(inner)
                return Threshold(*compared, _read_weight(factor, parameters))
    if isinstance(node, exp.Filter):
        return Threshold(*_read_count(node), Weight(Fraction(1)))
    if isinstance(node, exp.Sum) and isinstance(node.this, exp.Case):
        refuse_other_parts(node, {"this"})
        case = node.this
        refuse_other_parts(case, {"ifs", "default"})
        default = case.args.get("default")
        if len(case.args["ifs"]) == 1 and isinstance(default, exp.Literal) and _read_weight(default, {}) == NOTHING:
            (term,) = case.args["ifs"]
            refuse_other_parts(term, {"this", "true"})
            return Threshold(*_read_comparison(term.this), _read_weight(term.args["true"], parameters))
    raise QueryError(f"{quote_sql(node)}: {FORMS}")


def _read_count(node: exp.Filter) -> tuple[exp.Expression, Side]:
    """COUNT(*) FILTER (WHERE x >= $candidate)."""
    refuse_other_parts(node, {"this", "expression"})
    if not isinstance(node.this, exp.Count) or not isinstance(node.this.this, exp.Star):
        raise QueryError(f"{quote_sql(node)}: {FORMS}")
    refuse_other_parts(node.this, {"this", "big_int"})
    return _read_comparison(node.expression.this)


def _read_comparison(node: exp.Expression) -> tuple[exp.Expression, Side]:
    while isinstance(node, exp.Paren):
        node = node.this
    kind = type(node)
    if kind in SIDES:
        refuse_other_parts(node, {"this", "expression"})
        if _is_candidate(node.expression):
            return node.this, SIDES[kind]
        if _is_candidate(node.this):
            return node.expression, TURNED[SIDES[kind]]
    raise QueryError(f"{quote_sql(node)}: {FORMS}")


def _read_weight(node: exp.Expression, parameters: Mapping[str, Any]) -> Weight:
    """Return base and slope of an expression of $candidate and numbers."""
    if isinstance(node, exp.Paren):
        return _read_weight(node.this, parameters)
    if _is_candidate(node):
        return Weight(Fraction(0), Fraction(1))
    if isinstance(node, exp.Literal) and not node.is_string:
        return Weight(Fraction(str(node.this)))
    if isinstance(node, exp.Placeholder | exp.Parameter):
        value = to_literal(parameters.get(str(node.name)), f"${node.name}").value
        if isinstance(value, int | Fraction) and not isinstance(value, bool):
            return Weight(Fraction(value))
    if isinstance(node, exp.Neg):
        inner = _read_weight(node.this, parameters)
        return Weight(-inner.base, -inner.slope)
    if isinstance(node, exp.Add | exp.Sub | exp.Mul):
        a, b = (_read_weight(each, parameters) for each in (node.this, node.expression))
        if isinstance(node, exp.Mul):
            if a.slope and b.slope:
                raise QueryError(f"{quote_sql(node)}: {FORMS}")
            return Weight(a.base * b.base, a.base * b.slope + b.base * a.slope)
        sign = 1 if isinstance(node, exp.Add) else -1
        return Weight(a.base + sign * b.base, a.slope + sign * b.slope)
    raise QueryError(f"{quote_sql(node)}: {FORMS}")


NOTHING = Weight(Fraction(0))


def _is_candidate(node: exp.Expression) -> bool:
    return isinstance(node, exp.Placeholder | exp.Parameter) and str(node.name) == CANDIDATE
