"""Limits, grids and keys of a bounded plan, each from public facts alone."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest

from discreet.base.errors import ParameterError
from discreet.engines.engines import Engines
from discreet.plan.bounded import Limits, Part
from discreet.plan.grid import ClampedGrid
from discreet.query.bound import MOST_NUMBERS
from discreet.query.bounding.measures import RANK_POINTS, SQUARE_REACH, SUM_REACH
from support.hospital import HOSPITAL, POLICY, answered, bounded, engine_of, refusal, sums

ENGINE = engine_of()
GROUPED = "SELECT ward, COUNT(*) FROM visits GROUP BY ward"


@pytest.mark.parametrize(
    ("tighter", "limits"),
    [
        ({}, Limits(4, 2, 3)),
        ({"max_rows": 1}, Limits(1, 1, 1)),
        ({"max_rows": 100, "max_groups": 100}, Limits(4, 2, 3)),
        ({"max_groups": 1}, Limits(4, 1, 3)),
        ({"max_rows_per_group": 2, "max_groups": None}, Limits(4, 2, 2)),
    ],
)
def test_the_tighter_limit_holds(tighter: dict[str, int | None], limits: Limits) -> None:
    assert bounded(ENGINE, GROUPED, **tighter).plan.sets[0].limits == limits


def test_limits_where_the_policy_gives_others() -> None:
    assert bounded(ENGINE, "SELECT COUNT(*) FROM visits").plan.sets[0].limits == Limits(4, 1, 3)
    assert bounded(ENGINE, "SELECT COUNT(*) FROM people", max_rows=9).plan.sets[0].limits == Limits(1, 1, 1)
    no_rows = engine_of(POLICY.replace("max_rows = 4\n", ""))
    assert bounded(no_rows, GROUPED).plan.sets[0].limits == Limits(6, 2, 3)
    only_rows = engine_of(POLICY.replace("max_groups = 2\nmax_rows_per_group = 3\n", ""))
    assert bounded(only_rows, GROUPED).plan.sets[0].limits == Limits(4, 3, 4)


def test_wrong_limits_are_refused() -> None:
    assert "there is no such argument" in refusal(ENGINE, GROUPED, max_row=3)
    for wrong in (0, -1, True, 1.5):
        with pytest.raises(ParameterError, match="max_rows"):
            bounded(ENGINE, GROUPED, max_rows=wrong)


@pytest.mark.parametrize(("neighbours", "factor"), [("add-remove", 1), ("replace", 2)])
def test_replace_neighbours_count_twice(neighbours: str, factor: int) -> None:
    assert bounded(engine_of(POLICY.replace("add-remove", neighbours)), GROUPED).plan.factor == factor


def test_keys_come_from_public_domains_alone() -> None:
    text = "SELECT ward, floor, sick, COUNT(*) FROM visits JOIN wards USING (ward) GROUP BY ward, floor, sick"
    assert [key.domain for key in bounded(ENGINE, text).plan.keys] == [
        ("icu", "north", "south"),
        (1, 2),
        (False, True),
    ]
    ages = bounded(ENGINE, "SELECT age, COUNT(*) FROM visits GROUP BY age").plan
    assert ages.keys[0].domain == tuple(range(111)), "whole numbers between declared bounds"
    weights = "SELECT weight, COUNT(*) FROM visits JOIN wards USING (ward) GROUP BY weight"
    assert "such numbers are no keys" in refusal(ENGINE, weights)


def test_other_keys_are_data_and_selected() -> None:
    plan = bounded(ENGINE, "SELECT seen, COUNT(*) FROM visits GROUP BY seen").plan
    assert plan.keys[0].domain is None
    assert plan.selects(0)
    assert "such numbers are no keys" in refusal(ENGINE, "SELECT cost, COUNT(*) FROM visits GROUP BY cost")


def test_keys_from_data_of_row_units_are_selected_only_where_a_row_stays_one() -> None:
    people = HOSPITAL["people"].append_column("name", pa.array(["a", "b", "c"]))
    engine = engine_of(POLICY, {**HOSPITAL, "people": people})
    assert bounded(engine, "SELECT name, COUNT(*) FROM people GROUP BY name").plan.reached() == 1
    twice = "SELECT name, COUNT(*) FROM (SELECT name FROM people UNION ALL SELECT name FROM people) GROUP BY name"
    assert "one row becomes several" in refusal(engine, twice)


def test_too_many_and_no_combinations_are_refused() -> None:
    many = pa.table({"ward": [str(k) for k in range(1500)], "floor": pa.array(range(1500), pa.int64())})
    engine = engine_of(POLICY, {**HOSPITAL, "wards": many})
    text = "SELECT a.floor, b.floor AS g, COUNT(*) FROM visits v JOIN wards a ON a.ward = v.ward JOIN wards b "
    text += "ON b.ward = v.ward GROUP BY a.floor, b.floor"
    assert "2,250,000 combinations" in refusal(engine, text)
    engine = engine_of(POLICY, {**HOSPITAL, "wards": HOSPITAL["wards"].slice(0, 0)})
    empty = "SELECT floor, COUNT(*) FROM visits JOIN wards USING (ward) GROUP BY floor"
    assert "has no value at all" in refusal(engine, empty)


def test_values_that_are_one_float_are_refused_as_keys() -> None:
    policy = (
        "[budget]\nepsilon = 1.0\n[tables.t]\nrows_are_units = true\n[tables.t.columns]\nx = { values = [VALUES] }\n"
    )
    text = "SELECT x, COUNT(*) FROM t GROUP BY x"
    close, apart = (policy.replace("VALUES", f"9007199254740992, {other}") for other in (2**53 + 1, 2**53 + 2))
    floats = {"t": pa.table({"x": pa.array([2.0**53])})}
    assert "are one float" in refusal(engine_of(close, floats), text)
    assert sums(answered(engine_of(apart, floats), text)) == ((1, 0),)
    whole = {"t": pa.table({"x": pa.array([2**53], pa.uint64())})}
    assert sums(answered(engine_of(close, whole), text)) == ((1, 0),)


def grids(
    facts: str, text: str, values: list[float | None] | None = None
) -> tuple[dict[Part, ClampedGrid], tuple[str, ...]]:
    engine = with_facts(facts, values or [])
    found = bounded(engine, text)
    return {m.part: m.grid for m in found.plan.measures if m.grid is not None}, found.coarsened


def with_facts(facts: str, values: list[float | None]) -> Engines:
    policy = f"[budget]\nepsilon = 1.0\n[tables.t]\nrows_are_units = true\n[tables.t.columns]\nx = {{ {facts} }}\n"
    return engine_of(policy, {"t": pa.table({"x": pa.array(values, pa.float64())})})


def test_grids_of_declared_and_of_other_steps() -> None:
    found, said = grids("lower = 0, upper = 5000, step = 0.01", "SELECT SUM(x) FROM t")
    assert found[Part.SUM] == ClampedGrid(Fraction(0), Fraction(1, 100), 0, 500_000)
    assert said == ()
    found, said = grids("lower = -1, upper = 3", "SELECT AVG(x) FROM t")
    assert found[Part.SUM] == ClampedGrid(Fraction(1), Fraction(1, 10**6), -2 * 10**6, 2 * 10**6)
    assert said == ()


def test_steps_that_could_overflow_are_coarser_and_it_is_said() -> None:
    facts = "lower = 0, upper = 1e100, step = 1e-100"
    for text, part, most in (
        ("SELECT SUM(x) FROM t", Part.SUM, SUM_REACH),
        ("SELECT VARIANCE(x) FROM t", Part.SQUARES, SQUARE_REACH),
    ):
        found, said = grids(facts, text)
        assert found[part].reach <= most + 1
        assert "so that no sum can overflow" in said[0]
    found, said = grids(facts, "SELECT MEDIAN(x) FROM t")
    assert found[Part.QUANTILE].upper - found[Part.QUANTILE].lower < RANK_POINTS
    assert "x is rounded to multiples of" in said[-1]


@pytest.mark.parametrize(
    "facts", ["lower = -1e100, upper = 1e100", "lower = 0, upper = 1e-100", "lower = 1e99, upper = 2e99"]
)
def test_extreme_bounds_never_raise(facts: str) -> None:
    inf = float("inf")
    engine = with_facts(facts, [inf, -inf, float("nan"), None, 1e308, -1e308, 0.0, 5e-324, 1.5e99])
    for text in ("SUM(x)", "AVG(x)", "VARIANCE(x)", "MEDIAN(x)"):
        found = bounded(engine, f"SELECT {text} FROM t")
        exact = engine.run(found.plan).result()
        for measure, (total,) in zip(found.plan.measures, sums(exact), strict=True):
            assert abs(total) <= 9 * measure.reach


def test_sums_need_bounds() -> None:
    engine = engine_of(POLICY.replace("age = { lower = 0, upper = 110 }\n", "", 1))
    assert "has no declared bounds" in refusal(engine, "SELECT SUM(age) FROM visits")


@pytest.mark.slow
def test_no_more_numbers_by_key_than_every_engine_computes_at_once() -> None:
    many = ", ".join(f"COUNT(*) FILTER (WHERE age = {at})" for at in range(MOST_NUMBERS + 1))
    assert f"{MOST_NUMBERS} are computed at once" in refusal(ENGINE, f"SELECT {many} FROM visits")
    fewer = many.rpartition(", ")[0]
    assert len(answered(ENGINE, f"SELECT {fewer} FROM visits").sets[0].sums) == MOST_NUMBERS
