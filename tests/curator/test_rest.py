"""The curator's smaller parts: arithmetic on intervals, finishing, conditions in Python, budgets, prices, words."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from clinic import VISITS, Visit, clinic
from discreet.base.errors import DiscreetError, QueryError
from discreet.base.types import Type
from discreet.curator.budget import Share
from discreet.curator.columns import Term, col, written
from discreet.curator.release import Released
from discreet.curator.spread import spread
from discreet.plan.expressions import Column, Expression, Literal
from discreet.plan.functions import call
from discreet.privacy import BudgetFilter, Charge
from discreet.query.parse import parse_condition

A, B = (Column("released", name, Type.FLOAT) for name in ("a0", "a1"))
ends = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))
intervals = st.tuples(ends, ends).map(sorted).map(tuple)


def value(expression: Expression, known: dict[str, float]) -> float:
    if isinstance(expression, Column):
        return known[expression.name]
    if isinstance(expression, Literal):
        return float(str(expression.value))
    parts = [value(argument, known) for argument in expression.arguments]
    match expression.function:
        case "add":
            return parts[0] + parts[1]
        case "sub":
            return parts[0] - parts[1]
        case "mul":
            return parts[0] * parts[1]
        case "div":
            return parts[0] / parts[1] if parts[1] else math.nan
        case "neg":
            return -parts[0]
        case "abs":
            return abs(parts[0])
    raise AssertionError(expression.function)


ONE = Literal(3, Type.INTEGER)
ARITHMETIC = [
    call("add", A, B),
    call("sub", A, call("mul", ONE, B)),
    call("mul", A, B),
    call("div", A, B),
    call("abs", call("neg", call("sub", A, B))),
]


@pytest.mark.parametrize("expression", ARITHMETIC, ids=lambda e: e.function)
@given(intervals, intervals, st.floats(0, 1), st.floats(0, 1))
def test_arithmetic_on_points_stays_inside_arithmetic_on_intervals(
    expression: Expression, one: tuple[float, float], two: tuple[float, float], x: float, y: float
) -> None:
    found = spread(expression, {"a0": one, "a1": two})
    assert found is not None
    at = {"a0": one[0] + x * (one[1] - one[0]), "a1": two[0] + y * (two[1] - two[0])}
    exact = value(expression, at)
    slack = 1e-9 * (1 + abs(exact)) if math.isfinite(exact) else 0
    assert math.isnan(exact) or found[0] - slack <= exact <= found[1] + slack


def test_what_is_no_arithmetic_has_no_interval() -> None:
    condition = call("case", call("gt", A, ONE), A, B)
    assert spread(condition, {"a0": (0.0, 1.0), "a1": (0.0, 1.0)}) is None


def test_finishing_sorts_by_key_first_and_keeps_wide_numbers(tmp_path: Path) -> None:
    with clinic(tmp_path, epsilon=10.0) as curator:
        answer = curator.ask(
            "SELECT ward, COUNT(*) * 1000000000000000000 AS wide, ROUND(AVG(cost), -1) AS r, COUNT(*) / 0 AS z "
            "FROM visits GROUP BY ward HAVING COUNT(*) > 0",
            1.0,
        )
        assert answer["ward"] == ["icu", "north", "south"]
        assert all(int(str(wide)) % 10**18 == 0 for wide in answer["wide"])
        assert all(float(str(r)) % 10 == 0 for r in answer["r"])
        assert answer["z"] == [None] * 3


@pytest.mark.parametrize(
    ("term", "sql"),
    [
        (col.age >= 65, '("age" >= 65)'),
        ((col.age < 3) & ~(col["a b"] == "it's"), "((\"age\" < 3) AND (NOT (\"a b\" = 'it''s')))"),
        (col.x.between(1, 2.5) | col.x.isin([1, None]), '(("x" BETWEEN 1 AND 2.5) OR ("x" IN (1, NULL)))'),
        (col.x.is_null(), '("x" IS NULL)'),
        (col.x.like("a%"), "(\"x\" LIKE 'a%')"),
        (col.d >= dt.date(2026, 3, 1), "(\"d\" >= DATE '2026-03-01')"),
        ((col.x + 1) * 2 / -3 != Decimal("0.10"), '(((("x" + 1) * 2) / (-3)) <> 0.10)'),
        (col.x - col.y % 2 < 1, '(("x" - ("y" % 2)) < 1)'),
    ],
)
def test_conditions_in_python_are_the_same_sql(term: Term, sql: str) -> None:
    assert term.sql == sql


def test_conditions_refuse_and_or_and_strange_values() -> None:
    with pytest.raises(QueryError, match="&"):
        bool(col.age > 3)
    with pytest.raises(QueryError, match="list"):
        written([1])


@given(st.text(max_size=20).filter(lambda text: "\x00" not in text))
def test_text_cannot_break_out_of_a_condition(text: str) -> None:
    parsed = parse_condition((col.ward == text).sql)
    assert [node.this for node in parsed.find_all(exp.Literal)] == [text]


def test_the_fluent_api_is_the_same_question_as_sql(tmp_path: Path) -> None:
    with clinic(tmp_path) as curator:
        table = curator.table("visits")
        sql = curator.ask("SELECT ward, COUNT(*) AS n FROM visits WHERE age >= 65 GROUP BY ward", 0.2)
        for same in (
            table.where("age >= 65").group_by("ward").count(epsilon=0.2),
            table.where(col.age >= 65).histogram("ward", epsilon=0.2),
            table.select("age", "ward").where("age >= 65").group_by("ward").count(epsilon=0.2),
        ):
            assert same.rows == sql.rows
            assert same.receipt.paid == "free"


def test_every_fluent_aggregate_answers(tmp_path: Path) -> None:
    with clinic(tmp_path, epsilon=50) as curator:
        table = curator.table("visits").join("wards", on="ward")
        assert table.group_by("city").count("age", epsilon=1).names == ("city", "n")
        assert table.count_units("patient_id", epsilon=1).names == ("n",)
        assert table.sum("cost", epsilon=1).names == ("sum_cost",)
        assert table.mean("cost", epsilon=1).names == ("mean_cost",)
        assert table.variance("cost", epsilon=1).names == ("variance_cost",)
        assert table.median("cost", epsilon=1).names == ("median_cost",)
        several = table.quantiles("cost", [0.25, 0.75], epsilon=1)
        assert several.names == ("q0.25_cost", "q0.75_cost")
        assert curator.table("visits").join("wards", on=["ward"], how="left").count(epsilon=1).rows
        with pytest.raises(QueryError, match="not selected"):
            table.select("age").sum("cost", epsilon=1)
        with pytest.raises(QueryError, match="inner"):
            table.join("wards", on="ward", how="outer")


def test_several_quantiles_cost_what_one_costs(tmp_path: Path) -> None:
    with clinic(tmp_path) as curator:
        one = curator.explain("SELECT MEDIAN(cost) FROM visits", 0.2).priced
        two = curator.explain("SELECT MEDIAN(cost), QUANTILE_CONT(cost, 0.9) FROM visits", 0.2).priced
        assert one.noises == two.noises
        assert one.charge == two.charge


def test_how_many_more_fit_is_what_the_filter_admits() -> None:
    share = Share("total", Fraction(3), Fraction(0), BudgetFilter(Fraction(3), spent=(Fraction(1), 0.0, 0.0)))
    assert share.more(Charge(Fraction(1, 10), 0.005)) == 20
    assert share.more(Charge(Fraction(4), 1.0)) == 0
    assert share.spent == pytest.approx(1 / 3)


def test_within_finds_the_least_epsilon(tmp_path: Path) -> None:
    sql = "SELECT COUNT(*) AS n, SUM(cost) AS s FROM visits"
    with clinic(tmp_path, epsilon=100) as curator:
        priced = curator.explain(sql, within={"n": 50, "s": 100_000}).priced
        answer = curator.ask(sql, within={"n": 50, "s": 100_000})
        ((n, s),) = answer.bounds(0.95, False)
        assert n is not None
        assert s is not None
        assert float(n[1]) - float(n[0]) <= 100
        assert float(s[1]) - float(s[0]) <= 200_000
        assert max((float(n[1]) - float(n[0])) / 100, (float(s[1]) - float(s[0])) / 200_000) > 0.97
        assert priced.charge == answer.cost


def test_means_need_a_declared_minimum_count(tmp_path: Path) -> None:
    limits = "max_rows = 3\nmin_count = 300"
    with clinic(tmp_path, limits=limits, epsilon=100) as curator:
        answer = curator.ask("SELECT AVG(age) AS a FROM visits", within={"a": 10})
        ((bound,),) = answer.bounds(0.95, False)
        assert bound is not None
        assert float(bound[1]) - float(bound[0]) <= 20


def test_bounds_are_found_over_powers_of_two_and_charged(tmp_path: Path) -> None:
    rows: list[Visit] = [(patient, 30, 70.0 + patient % 900, "icu") for patient in range(3000)]
    with clinic(tmp_path, rows) as curator:
        found = curator.bounds("visits.cost", epsilon=1.0)
        assert (found.lower, found.upper) == (Fraction(64), Fraction(1024))
        assert "lower = 64" in str(found)
        assert found.receipt.charge.epsilon == 1
        assert curator.bounds("visits.cost", epsilon=1.0).receipt.paid == "free"
        for name in ("visits.ward", "wards.beds", "visits.nothing", "cost"):
            with pytest.raises(DiscreetError):
                curator.bounds(name, epsilon=1.0)


def test_bounds_of_nothing_are_not_invented(tmp_path: Path) -> None:
    with clinic(tmp_path, []) as curator:
        assert "nothing stands out" in str(curator.bounds("visits.cost", epsilon=0.5))


def test_an_explanation_says_what_bounds_and_what_it_costs(tmp_path: Path) -> None:
    with clinic(tmp_path) as curator:
        told = str(curator.explain("SELECT ward, SUM(cost), MEDIAN(cost) FROM visits GROUP BY ward", 0.2))
        for part in ("unit: patient_id", "ward (3): 3 rows", "max_rows = 3", "sum of cost", "50%", "more questions"):
            assert part in told
    with clinic(tmp_path / "other", neighbours="replace") as curator:
        assert "replace another" in str(curator.explain("SELECT COUNT(*) FROM visits", 0.2))


def test_tables_tell_public_facts_only(tmp_path: Path) -> None:
    with clinic(tmp_path) as curator:
        told = str(curator.tables)
        assert "0 to 5000; step 0.01" in told
        assert "north, south, icu" in told
        assert "wards (public)" in told
        assert curator.tables["VISITS"].table.unit == "patient_id"
        assert len(curator.tables) == 2


def test_released_numbers_of_any_size_come_back_from_the_ledger() -> None:
    released = Released(((2**100, -1), ()), {1: ({(1, 0): -5, (2, 3): 2**70}, {})})
    assert Released.from_bytes(released.to_bytes()) == released


def test_visits_are_under_the_limits() -> None:
    assert max(sum(visit[0] == patient for visit in VISITS) for patient in range(400)) == 3
