"""What a unit's limits leave out of an answer, as a plan of its own: units over a limit, or rows beyond one.

Theorem. Let u_i(D) be a function of the rows of unit i alone, between 0 and m. Then the sum of all u_i changes by m at
most when one unit is added or removed (and by m, for which 2 m is charged, when one is replaced). Here u_i is 1 where
unit i has more than its limits allow, with m = 1; or the rows that it has beyond max_rows, counted up to m, which the
asker declares. Neither is ever charged at `max_rows`: how many rows a unit may keep does not matter to how many units
have more.

The plan groups the question's own rows by their unit, which every engine does with `PerUnit`, so each unit becomes one
row or none, and the last cut of the plan holds it to one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from discreet.base import check
from discreet.base.errors import ParameterError, QueryError
from discreet.base.types import Type
from discreet.plan.bounded import BoundedPlan, KeySet, Limits, Measure, Part, list_factors
from discreet.plan.expressions import Constant, Expression, Literal, Slot, join_conditions, refer
from discreet.plan.functions import call
from discreet.plan.grid import ClampedGrid
from discreet.plan.relations import Block, InnerAggregate, InnerKind, PerUnit, list_placed, list_scans

UNITS = "units"
"""What is written to count units over a limit."""

MOST_VALUES = 400
"""Keys that rows are compared with, to tell those that are in no group and so use up no limit."""

MOST_COUNTED = 10**6
"""Rows beyond a limit that may be counted of one unit."""

ALONE = Limits(1, 1, 1)
"""What a unit keeps here: its one row."""

LeftOutCount = str | int
"""`units`, or the most rows that are counted of each."""


@dataclass(frozen=True, slots=True)
class LeftOutPlan:
    """The plan that counts what is left out, and what it counts in words."""

    plan: BoundedPlan
    words: str


def read_left_out(given: object) -> LeftOutCount:
    """Return what is to be counted: `units`, or rows up to so many of each unit."""
    if given == UNITS:
        return UNITS
    if isinstance(given, bool) or not isinstance(given, int):
        raise ParameterError("left_out", given, '"units", or the most rows that are counted of each unit, such as 10')
    return check.integer("left_out", given, least=1, most=MOST_COUNTED)


def plan_left_out(plan: BoundedPlan, counted: LeftOutCount) -> LeftOutPlan:
    """Return the plan that counts what the limits of a question's plan leave out; refused where that is not known."""
    limits = _find_limits(plan)
    block = replace(plan.block, where=join_conditions([each for each in (plan.block.where, *_in_groups(plan)) if each]))
    rows, others = _list_conditions(plan, limits)
    if counted == UNITS:
        made = _join_units(plan, block, limits) if others else _count_rows(block)
        conditions = [
            call("gt", refer(made.relation, Slot.AGGREGATE, at, Type.INTEGER), _whole(most))
            for at, most in ((0, limits.rows), *((at, most) for at, most, _ in others))
        ]
        over = conditions[0]
        for each in conditions[1:]:
            over = call("or", over, each)
        measure = Measure(Part.ROWS)
        words = f"units had {', or '.join([rows, *(word for _, _, word in others)])}"
        return LeftOutPlan(_bound(plan, Block(made, where=over), measure), words)
    if others:
        raise QueryError(
            f"left_out={counted} counts rows beyond max_rows, and here units may have {others[0][2]} as well; write "
            'left_out="units", or ask without GROUP BY'
        )
    assert isinstance(counted, int)
    made = _count_rows(block)
    beyond = call("sub", refer(made.relation, Slot.AGGREGATE, 0, Type.INTEGER), _whole(limits.rows))
    measure = Measure(Part.SUM, beyond, ClampedGrid(Fraction(0), Fraction(1), 0, counted))
    words = f"rows beyond max_rows = {limits.rows:,} were left out, counted up to {counted:,} of each unit"
    return LeftOutPlan(_bound(plan, Block(made), measure), words)


def _find_limits(plan: BoundedPlan) -> Limits:
    """Return what a unit keeps, or refuse questions that leave nothing out, or leave it out in several places."""
    if not plan.units:
        raise QueryError("left_out: each row is a unit of its own here, and none is left out; leave this option out")
    if len(plan.sets) > 1:
        raise QueryError("left_out counts for one grouping, and this question has several; ask for them one by one")
    if any(scan.rows is not None or scan.unique for scan in list_scans(plan.block)):
        raise QueryError(
            "left_out counts rows beyond the limits at the end, and here units are cut before, for a join or for "
            "[tables.T.online]; ask for units by their rows: "
            "SELECT COUNT(*) FROM (SELECT unit, COUNT(*) AS n FROM t GROUP BY unit) WHERE n > 20"
        )
    limits = plan.sets[0].limits
    if isinstance(plan.block.source, PerUnit) and not plan.block.source.keys and limits.rows == 1:
        raise QueryError("left_out: each unit has one row here, and none is left out; leave this option out")
    return limits


def _list_conditions(plan: BoundedPlan, limits: Limits) -> tuple[str, list[tuple[int, int, str]]]:
    """Return what is said of too many rows, and what else may be too many: its aggregate, the limit, and words.

    A limit that another one implies is not named: no unit has rows in more groups than there are, or than it has rows.
    """
    groups = limits.rows if plan.selects(0) else min(plan.groups(0), limits.rows)
    others = []
    if limits.groups < groups:
        others.append((1, limits.groups, f"rows in more than max_groups = {limits.groups:,} groups"))
    if limits.rows_per_group < limits.rows:
        per_group = limits.rows_per_group
        others.append((2, per_group, f"more than max_rows_per_group = {per_group:,} rows in a group"))
    return f"more than max_rows = {limits.rows:,} rows", others


def _in_groups(plan: BoundedPlan) -> list[Expression]:
    """Return the conditions under which a row is in a group: its keys are public ones, or at least not NULL."""
    places = plan.sets[0].keys
    found: list[Expression] = []
    data = [place for place in places if plan.keys[place].domain is None]
    public = tuple(place for place in places if place not in data)
    for place in data:
        found.append(call("not", call("is_null", plan.keys[place].expression)))
    for taken, rows in list_factors(plan.keys, plan.joint, public):
        if len(taken) * len(rows) > MOST_VALUES:
            raise QueryError(
                f"left_out looks rows up among {len(rows):,} keys, and {MOST_VALUES} values are compared with; ask for "
                "it without GROUP BY, or for fewer keys"
            )
        found.append(_is_among([plan.keys[place].expression for place in taken], list(rows)))
    return found


def _is_among(keys: list[Expression], rows: list[tuple[Constant, ...]]) -> Expression:
    if len(keys) == 1:
        return call("in", keys[0], *(Literal(value, keys[0].type) for (value,) in rows))
    found: Expression | None = None
    for row in rows:
        alike = join_conditions(
            [call("eq", key, Literal(value, key.type)) for key, value in zip(keys, row, strict=True)]
        )
        assert alike is not None
        found = alike if found is None else call("or", found, alike)
    assert found is not None
    return found


def _count_rows(block: Block) -> PerUnit:
    """Return one row for each unit: how many rows it has."""
    return PerUnit(_name_relation(block, 0), block, (), (InnerAggregate(InnerKind.ROWS, None, Type.INTEGER),))


def _join_units(plan: BoundedPlan, block: Block, limits: Limits) -> PerUnit:
    """Return one row for each unit: its rows, its groups, and the rows of its largest group.

    Rows of a group are counted up to one more than the limit, so that their sum tells whether it is exceeded.
    """
    keys = tuple(plan.keys[place].expression for place in plan.sets[0].keys)
    each = PerUnit(_name_relation(block, 0), block, keys, (InnerAggregate(InnerKind.ROWS, None, Type.INTEGER),))
    rows = refer(each.relation, Slot.AGGREGATE, 0, Type.INTEGER)
    grid = ClampedGrid(Fraction(0), Fraction(1), 0, limits.rows + 1)
    aggregates = (
        InnerAggregate(InnerKind.SUM, rows, Type.INTEGER, grid),
        InnerAggregate(InnerKind.ROWS, None, Type.INTEGER),
        InnerAggregate(InnerKind.GREATEST, rows, Type.INTEGER),
    )
    return PerUnit(_name_relation(block, 1), Block(each), (), aggregates)


def _name_relation(block: Block, more: int) -> str:
    """Return a name that no relation of the block has."""
    taken = {name for name, _ in list_placed(block)}
    free = (f"t{number}" for number in range(len(taken) + more + 1) if f"t{number}" not in taken)
    return [*free][more]


def _bound(plan: BoundedPlan, block: Block, measure: Measure) -> BoundedPlan:
    return BoundedPlan(block, True, (), (KeySet((), ALONE),), (measure,), plan.factor, plan.tables)


def _whole(value: int) -> Literal:
    return Literal(value, Type.INTEGER)
