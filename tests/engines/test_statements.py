"""The heart: on generated neighbours no unit moves any result further than declared, whatever its rows hold."""

from __future__ import annotations

import datetime as dt
import math
import random
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.engines.dialect import UNIT
from discreet.engines.duck.dialect import DUCKDB
from discreet.engines.result import ExactResult, GroupedSums
from discreet.engines.statements import gather_sums, to_constant, write_statements
from discreet.plan.bounded import BRANCHES, BoundedPlan, Measure, Part
from discreet.plan.grid import ClampedGrid as PlanGrid
from discreet.query.bound import bound
from discreet.query.bounding.clamping import add_clamped_counts
from support.duck import Exchange
from support.hospital import asked, bounded, catalog_of, engine_of, moved, tree

OWNER = """\
[budget]
epsilon = 10.0
[privacy]
neighbours = "NEIGHBOURS"
[tables.visits]
unit = "patient"
max_rows = 6
max_groups = 4
max_rows_per_group = 5
[tables.visits.columns]
age = { lower = -3, upper = 300 }
cost = { lower = -1, upper = 2.5, step = 0.25 }
ward = { values = ["n", "s", "it's"] }
[tables.people]
rows_are_units = true
[tables.people.columns]
age = { lower = -3, upper = 300 }
cost = { lower = -1, upper = 2.5, step = 0.25 }
ward = { values = ["n", "s", "it's"] }
[tables.wards]
public = true
"""
SCHEMA = pa.schema(
    [("patient", pa.int64()), ("age", pa.int64()), ("cost", pa.float64()), ("ward", pa.string()), ("sick", pa.bool_())]
)
WARDS = pa.table({"ward": ["n", "s", "attic"], "floor": pa.array([1, 2, 1], pa.int64())})
FRAMES = {"visits": SCHEMA.empty_table(), "people": SCHEMA.empty_table(), "wards": WARDS}

ENGINES = {word: engine_of(OWNER.replace("NEIGHBOURS", word), FRAMES) for word in ("add-remove", "replace")}

AGGREGATES = (
    "COUNT(*)",
    "COUNT(cost)",
    "COUNT(CASE WHEN age % 2 = 0 THEN ward END)",
    "COUNT(DISTINCT patient)",
    "SUM(age)",
    "SUM(cost)",
    "AVG(cost)",
    "VARIANCE(age)",
    "MEDIAN(age)",
    "QUANTILE_CONT(cost, 0.25)",
)
KEYS = ((), ("ward",), ("sick",), ("ward", "sick"), ("floor",), ("floor", "sick"))
CONDITIONS = ("", "age > 2", "cost < 1 OR sick", "NOT (ward = 'n')", "age / 0 > 1 OR ward LIKE '%s%'")

Row = tuple[Any, ...]

EXTREMES = st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -1.0, 2.5, 0.125, 1e308, -1e308, 5e-324])
ROWS = st.tuples(
    st.sampled_from([None, 1, 1, 1, 2, 2, 3, 2**63 - 1]),
    st.sampled_from([None, 0, 1, 2, 7, 300, 301, -4, 2**63 - 1, -(2**63)]),
    st.one_of(st.none(), EXTREMES, st.floats(-3, 3)),
    st.sampled_from([None, "n", "n", "s", "it's", "attic", ""]),
    st.sampled_from([None, True, False]),
)
TABLES = st.lists(ROWS, max_size=24)


@dataclass(frozen=True)
class Asked:
    text: str
    tighter: dict[str, int]


@st.composite
def questions(draw: Any, table: str = "visits") -> Asked:
    allowed = [each for each in AGGREGATES if table == "visits" or "patient" not in each]
    aggregates = draw(st.lists(st.sampled_from(allowed), min_size=1, max_size=4, unique=True))
    keys = draw(st.sampled_from(KEYS))
    condition = draw(st.sampled_from(CONDITIONS)).replace("ward", f"{table}.ward")
    join = f" LEFT JOIN wards ON {table}.ward = wards.ward" if "floor" in keys else ""
    listed = ", ".join([*keys, *aggregates]).replace("ward", f"{table}.ward")
    grouped = ", ".join(keys).replace("ward", f"{table}.ward")
    text = f"SELECT {listed} FROM {table}{join}"
    text += f" WHERE {condition}" if condition else ""
    text += f" GROUP BY {grouped}" if keys else ""
    limits = st.dictionaries(st.sampled_from(["max_rows", "max_groups", "max_rows_per_group"]), st.integers(1, 4))
    return Asked(text, draw(limits) if table == "visits" else {})


DATABASE = Exchange()
DATABASE.put("wards", WARDS)


def exact(plan: BoundedPlan, rows: list[Row]) -> ExactResult:
    """Run the statements of a plan on rows."""
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(SCHEMA)
    table = pa.table([pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)], SCHEMA)

    def source(name: str, needed: frozenset[str]) -> str:
        return "SELECT * FROM wards" if name == "wards" else f"SELECT *, patient AS {UNIT} FROM given"

    DATABASE.put("given", table)
    steps = write_statements(plan, source, Type.INTEGER, DUCKDB)
    run = [each.read(DATABASE.read(each.statement)) for each in steps]
    return ExactResult(tuple(gather_sums(plan, index, *found) for index, found in enumerate(run)))


def check_apart(plan: BoundedPlan, one: ExactResult, other: ExactResult) -> None:
    """Neither result lies further from the other than the plan declares: measure by measure, and node by node."""
    for place, (measure, (l1, l2_squared)) in enumerate(zip(plan.measures, moved(one, other), strict=True)):
        if measure.part is Part.RANKS:
            a, b = (tree(each, place, measure.levels, BRANCHES) for each in (one, other))
            gaps = [abs(a.get(node, 0) - b.get(node, 0)) for node in a.keys() | b.keys()]
            l1, l2_squared = sum(gaps), sum(gap * gap for gap in gaps)
        assert l1 <= plan.l1(measure), measure
        assert l2_squared <= plan.l2_squared(measure), measure


def added(one: ExactResult, other: ExactResult) -> ExactResult:
    """Return the sum of two results."""
    return ExactResult(tuple(_added(a, b) for a, b in zip(one.sets, other.sets, strict=True)))


def _added(one: GroupedSums, other: GroupedSums) -> GroupedSums:
    sums = tuple(tuple(x + y for x, y in zip(a, b, strict=True)) for a, b in zip(one.sums, other.sums, strict=True))
    cells = {
        place: tuple(
            {cell: x.get(cell, 0) + y.get(cell, 0) for cell in x.keys() | y.keys()}
            for x, y in zip(one.cells[place], other.cells[place], strict=True)
        )
        for place in one.cells
    }
    return GroupedSums(sums, cells)


@settings(max_examples=300)
@given(questions(), TABLES, st.sampled_from([1, 2]), st.randoms(use_true_random=False))
def test_no_unit_moves_a_result_further_than_declared(
    question: Asked, rows: list[Row], unit: int, chance: random.Random
) -> None:
    plan = bounded(ENGINES["add-remove"], question.text, **question.tighter).plan
    mine, rest = [row for row in rows if row[0] == unit], [row for row in rows if row[0] != unit]
    whole = exact(plan, rows)
    chance.shuffle(mine)
    chance.shuffle(rest)
    without, alone = exact(plan, rest), exact(plan, mine)
    check_apart(plan, whole, without)
    assert whole == added(without, alone), "what a unit contributes is a matter of its own rows, in whatever order"


@settings(max_examples=40)
@given(questions(), TABLES, st.lists(ROWS, max_size=24))
def test_a_unit_that_leaves_for_another_moves_a_result_twice_as_far(
    question: Asked, rows: list[Row], others: list[Row]
) -> None:
    plan = bounded(ENGINES["add-remove"], question.text, **question.tighter).plan
    replaced = bounded(ENGINES["replace"], question.text, **question.tighter).plan
    for measure in plan.measures:
        assert replaced.l1(measure) == 2 * plan.l1(measure)
        assert replaced.l2_squared(measure) == 4 * plan.l2_squared(measure)
    entered = [row for row in rows if row[0] != 1] + [(77, *row[1:]) for row in others]
    check_apart(replaced, exact(replaced, rows), exact(replaced, entered))


@settings(max_examples=40)
@given(questions("people"), TABLES, ROWS)
def test_no_row_moves_a_result_further_than_declared(question: Asked, rows: list[Row], one: Row) -> None:
    plan = bounded(ENGINES["add-remove"], question.text).plan
    before, after = exact(plan, rows), exact(plan, [*rows, one])
    check_apart(plan, before, after)
    assert after == added(before, exact(plan, [one]))


HEAVY = [(1, 1, 1.0, ward, sick) for ward in ("n", "s", "it's") for sick in (True, False) for _ in range(9)]


def heavy(text: str, **tighter: int) -> tuple[int, ...]:
    return exact(bounded(ENGINES["add-remove"], text, **tighter).plan, HEAVY).sets[0].sums[0]


def test_heavy_units_reach_their_limits_and_no_more() -> None:
    assert heavy("SELECT COUNT(*) FROM visits") == (5,), "max_rows_per_group binds where there is one group"
    grouped = "SELECT ward, sick, COUNT(*) FROM visits GROUP BY ward, sick"
    assert sum(heavy(grouped)) == 6
    assert sorted(heavy(grouped, max_groups=2, max_rows_per_group=2)) == [0, 0, 0, 0, 2, 2]
    assert sorted(heavy(grouped, max_groups=1)) == [0, 0, 0, 0, 0, 5]
    assert sum(heavy("SELECT ward, COUNT(DISTINCT patient) FROM visits GROUP BY ward", max_groups=2)) == 2


def test_units_with_few_rows_in_many_groups_are_limited_too() -> None:
    rows = [(1, 1, 1.0, ward, True) for ward in ("n", "s", "it's")]
    text = "SELECT ward, COUNT(*), COUNT(DISTINCT patient) FROM visits GROUP BY ward"
    found = exact(bounded(ENGINES["add-remove"], text, max_groups=1).plan, rows)
    assert [sorted(each) for each in found.sets[0].sums] == [[0, 0, 1], [0, 0, 1]]


def test_rows_without_a_unit_or_with_a_key_outside_the_domain_do_not_count() -> None:
    rows = [(None, 1, 1.0, "n", True), (1, 1, 1.0, "attic", True), (1, 1, 1.0, None, True), (1, 1, 1.0, "s", True)]
    plan = bounded(ENGINES["add-remove"], "SELECT ward, COUNT(*) FROM visits GROUP BY ward").plan
    assert [key.domain for key in plan.keys] == [("it's", "n", "s")]
    assert exact(plan, rows).sets[0].sums == ((0, 0, 1),)


def point(value: float, grid: PlanGrid) -> int:
    """Return the grid point of a value, in exact arithmetic."""
    if math.isinf(value):
        return grid.upper if value > 0 else grid.lower
    return min(max(math.floor((Fraction(value) - grid.center) / grid.step + Fraction(1, 2)), grid.lower), grid.upper)


@settings(max_examples=25)
@given(st.lists(st.one_of(st.none(), EXTREMES, st.integers(-64, 64).map(lambda k: k / 16)), max_size=12))
def test_sums_are_those_of_exact_arithmetic_on_the_grid(values: list[float | None]) -> None:
    plan = bounded(ENGINES["add-remove"], "SELECT COUNT(cost), SUM(cost), AVG(cost), VARIANCE(cost) FROM people").plan
    found = exact(plan, [(None, 1, value, "n", True) for value in values])
    counted = [value for value in values if value is not None and not math.isnan(value)]
    for measure, (total,) in zip(plan.measures, found.sets[0].sums, strict=True):
        assert total == sum(wanted(measure, value) for value in counted), measure


def wanted(measure: Measure, value: float) -> int:
    if measure.grid is None:
        return 1
    return point(value, measure.grid) ** (2 if measure.part is Part.SQUARES else 1)


def test_values_outside_the_bounds_are_counted_as_clamped() -> None:
    engine = ENGINES["add-remove"]
    plan = bound(add_clamped_counts(asked(engine, "SELECT SUM(cost) FROM people")), catalog_of(engine)).plan
    (place,) = (at for at, measure in enumerate(plan.measures) if measure.part is Part.OUTSIDE)
    values = [-1.0, 2.5, -1.01, 2.51, math.inf, -math.inf, math.nan, None, 0.0]
    assert exact(plan, [(None, 1, value, "n", True) for value in values]).sets[0].sums[place] == (4,)


def test_ranks_are_counted_from_the_lower_end() -> None:
    plan = bounded(ENGINES["add-remove"], "SELECT MEDIAN(age) FROM people").plan
    values = [-(2**63), -3, -2, 300, 2**63 - 1, None]
    found = exact(plan, [(None, value, 1.0, "n", True) for value in values])
    assert found.sets[0].cells == {0: ({0: 2, 1: 1, 303: 2},)}


def test_keys_without_rows_are_zero_and_cells_lie_at_their_keys() -> None:
    plan = bounded(ENGINES["add-remove"], "SELECT ward, MEDIAN(age), COUNT(*) FROM visits GROUP BY ward").plan
    assert [measure.part for measure in plan.measures] == [Part.QUANTILE, Part.ROWS]
    found = gather_sums(plan, 0, [(2, 7, 9)], {0: np.array([(2, 31, 3), (2, 30, 4)])})
    assert found == GroupedSums(((0, 0, 7), (0, 0, 9)), {0: ({}, {}, {30: 4, 31: 3})})


def test_keys_from_the_data_come_with_how_many_units_they_have() -> None:
    plan = bounded(ENGINES["add-remove"], "SELECT patient, COUNT(*) FROM people GROUP BY patient").plan
    rows: list[Row] = [(patient, 1, 1.0, "n", True) for patient in (9, 9, 2**63 - 1, None)]
    (found,) = exact(plan, rows).sets
    assert plan.selects(0)
    assert (found.keys, found.units, found.sums) == (((9,), (2**63 - 1,)), (2, 1), ((2, 1),))


def test_values_of_the_engine_become_constants() -> None:
    noon = dt.datetime(2026, 1, 1, 12)
    assert to_constant(noon) == noon.replace(tzinfo=dt.UTC)
    assert (to_constant(0.5), to_constant(math.nan), to_constant(math.inf), to_constant("x")) == (
        Fraction(1, 2),
        None,
        None,
        "x",
    )


def test_sql_that_takes_too_long_to_plan_is_refused_before_anything_is_read() -> None:
    short = replace(DUCKDB, longest=200)
    plan = bounded(ENGINES["add-remove"], "SELECT SUM(cost * cost) FROM people WHERE ward LIKE 'n%'").plan
    with pytest.raises(QueryError, match=r"letters of SQL where its tables lie, and 200 are planned there; nest"):
        write_statements(plan, lambda table, columns: "SELECT 1", None, short)
