"""Which sums each aggregate is made from, and on which grid."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.plan.bounded import Part
from discreet.plan.grid import ClampedGrid
from support.hospital import bounded, refusal
from support.oracle import ENGINE, assert_same


@pytest.mark.parametrize(
    ("aggregate", "parts"),
    [
        ("COUNT(*)", [Part.ROWS]),
        ("COUNT(age)", [Part.VALUES]),
        ("COUNT(DISTINCT patient)", [Part.UNITS]),
        ("COUNT(DISTINCT age)", [Part.DISTINCT]),
        ("SUM(age)", [Part.SUM]),
        ("SUM(DISTINCT age)", [Part.DISTINCT_SUM]),
        ("AVG(DISTINCT age)", [Part.DISTINCT, Part.DISTINCT_SUM]),
        ("AVG(age)", [Part.VALUES, Part.SUM]),
        ("VARIANCE(age)", [Part.VALUES, Part.SUM, Part.SQUARES]),
        ("MEDIAN(age)", [Part.QUANTILE]),
        ("MIN(age)", [Part.QUANTILE]),
        ("COVAR_POP(age, cost)", [Part.VALUES, Part.SUM, Part.SUM, Part.PRODUCTS]),
        ("CORR(age, cost)", [Part.VALUES, Part.SUM, Part.SUM, Part.PRODUCTS, Part.SQUARES, Part.SQUARES]),
    ],
)
def test_the_parts_of_an_aggregate(aggregate: str, parts: list[Part]) -> None:
    found = bounded(ENGINE, f"SELECT {aggregate} FROM visits")
    assert [found.plan.measures[place].part for place in found.sources[0]] == parts


def test_ends_are_quantiles_of_share_zero_and_one() -> None:
    found = bounded(ENGINE, "SELECT MIN(age), MAX(age), MEDIAN(age) FROM visits")
    shares = [found.plan.measures[place].share for (place,) in found.sources]
    assert shares == [0, 1, Fraction(1, 2)]


def test_sums_of_expressions_have_the_grid_of_their_range() -> None:
    found = bounded(ENGINE, "SELECT SUM(age * 2 + 1) FROM visits").plan.measures[0]
    assert found.grid is not None
    assert [found.grid.lower * found.grid.step, found.grid.upper * found.grid.step] == [1, 221]
    scaled = bounded(ENGINE, "SELECT SUM(cost) FROM (SELECT cost * 1000 AS cost FROM visits)").plan.measures[0]
    assert scaled.grid is not None
    assert scaled.grid.upper * scaled.grid.step == 100_000


def test_a_sum_of_sums_reaches_as_far_as_all_rows_of_a_unit() -> None:
    found = bounded(ENGINE, "SELECT SUM(t) FROM (SELECT patient, SUM(age) AS t FROM visits GROUP BY patient)").plan
    assert found.measures[0].grid == ClampedGrid(Fraction(0), Fraction(1), 0, 20 * 110)
    assert found.l1(found.measures[0]) == 20 * 110


def test_a_constant_has_a_width_too() -> None:
    assert_same("SELECT SUM(7) FROM visits")
    assert_same("SELECT AVG(7) FROM visits")


def test_without_bounds_there_is_no_sum() -> None:
    told = refusal(ENGINE, "SELECT SUM(patient) FROM visits")
    assert "LEAST(GREATEST(x, low), high)" in told
    assert_same("SELECT SUM(LEAST(GREATEST(patient, 0), 1000)) FROM visits")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT SUM(DISTINCT age), AVG(DISTINCT age), COUNT(DISTINCT age) FROM visits",
        "SELECT ward, SUM(DISTINCT cost), AVG(DISTINCT cost), SUM(cost) FROM visits GROUP BY ward",
        "SELECT sick, SUM(DISTINCT age - 50) FILTER (WHERE ward = 'icu'), COUNT(*) FROM visits GROUP BY ROLLUP (sick)",
        "SELECT AVG(DISTINCT -price), SUM(DISTINCT -price), COUNT(DISTINCT who) FROM stays",
        "SELECT SUM(DISTINCT age), AVG(DISTINCT age * 2) FROM people",
        "SELECT SUM(DISTINCT bed) FROM visits JOIN beds USING (ward)",
        "SELECT SUM(DISTINCT n), AVG(DISTINCT n) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)",
    ],
)
def test_distinct_values_count_once_whoever_has_them(text: str) -> None:
    assert_same(text)


def test_the_count_of_a_mean_is_of_the_same_points_as_its_sum() -> None:
    plan = bounded(ENGINE, "SELECT AVG(DISTINCT cost), COUNT(DISTINCT cost) FROM visits").plan
    grids = {(measure.part, measure.grid) for measure in plan.measures}
    (grid,) = {grid for part, grid in grids if part is Part.DISTINCT_SUM}
    assert grids == {(Part.DISTINCT, grid), (Part.DISTINCT_SUM, grid), (Part.DISTINCT, None)}


def test_values_that_a_grid_makes_one_are_told_of() -> None:
    told = "values of cost that round to the same multiple of 0.25 are one value for DISTINCT"
    assert told in bounded(ENGINE, "SELECT SUM(DISTINCT cost) FROM visits").coarsened
    assert bounded(ENGINE, "SELECT SUM(DISTINCT age) FROM visits").coarsened == ()


def test_one_unit_moves_a_sum_of_distinct_values_by_all_rows_that_it_keeps() -> None:
    plan = bounded(ENGINE, "SELECT SUM(DISTINCT age) FROM visits").plan
    assert plan.l1(plan.measures[0]) == 20 * 110


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(DISTINCT patient) FILTER (WHERE sick), COUNT(DISTINCT patient), COUNT(*) FROM visits",
        "SELECT ward, COUNT(DISTINCT patient) FILTER (WHERE age > 40 OR cost IS NULL) FROM visits GROUP BY ward",
        "SELECT sick, COUNT(DISTINCT patient) FILTER (WHERE age > 40), COUNT(DISTINCT age) FROM visits GROUP BY sick",
        "SELECT COUNT(DISTINCT who) FILTER (WHERE v.age > 40) FROM stays s LEFT JOIN visits v ON v.patient = s.who",
        "SELECT ward, COUNT(DISTINCT patient) FILTER (WHERE sick) FROM visits GROUP BY ROLLUP (ward)",
    ],
)
def test_units_are_counted_that_have_a_row_where_a_condition_holds(text: str) -> None:
    assert_same(text)


def test_one_unit_moves_a_count_of_units_with_a_condition_by_one_in_each_of_its_groups() -> None:
    plan = bounded(ENGINE, "SELECT ward, COUNT(DISTINCT patient) FILTER (WHERE sick) FROM visits GROUP BY ward").plan
    assert (plan.l1(plan.measures[0]), plan.l2_squared(plan.measures[0]), plan.linf(plan.measures[0])) == (3, 3, 1)
