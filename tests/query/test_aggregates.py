"""Which aggregates are answered, and that none is answered as something else."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.plan.question import Kind
from questions import asked, engine_of, refusal

ENGINE = engine_of()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("COUNT(*)", Kind.ROWS),
        ("COUNT()", Kind.ROWS),
        ("COUNT(1)", Kind.ROWS),
        ("COUNT('x')", Kind.ROWS),
        ("COUNT(age)", Kind.VALUES),
        ("COUNT(age + 1)", Kind.VALUES),
        ("COUNT(DISTINCT patient)", Kind.UNITS),
        ("COUNT(DISTINCT visits.PATIENT)", Kind.UNITS),
        ("SUM(age)", Kind.SUM),
        ("AVG(age)", Kind.MEAN),
        ("VARIANCE(age)", Kind.VARIANCE),
        ("VAR_SAMP(age)", Kind.VARIANCE),
        ("VAR_POP(age)", Kind.VARIANCE_POP),
        ("STDDEV(age)", Kind.DEVIATION),
        ("STDDEV_SAMP(age)", Kind.DEVIATION),
        ("STDDEV_POP(age)", Kind.DEVIATION_POP),
        ("MEDIAN(age)", Kind.QUANTILE),
        ("QUANTILE_CONT(age, 0.5)", Kind.QUANTILE),
    ],
)
def test_the_aggregates(text: str, kind: Kind) -> None:
    (found,) = asked(ENGINE, f"SELECT {text} FROM visits").aggregates
    assert found.kind is kind
    assert found.share == (Fraction(1, 2) if kind is Kind.QUANTILE else None)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("COUNT(NULL)", "is 0 on all data"),
        ("COUNT($none)", "is 0 on all data"),
        ("COUNT(* EXCLUDE (age))", "except is not answered"),
        ("COUNT(visits.*)", "no column '*'"),
        ("COUNT(age, cost)", "expressions is not answered"),
        ("COUNT(DISTINCT age)", "only COUNT(DISTINCT patient)"),
        ("COUNT(DISTINCT patient, age)", "only COUNT(DISTINCT patient)"),
        ("COUNT(DISTINCT other.patient)", "only COUNT(DISTINCT patient)"),
        ("COUNT(DISTINCT main.visits.patient)", "db is not answered"),
        ("COUNT(age ORDER BY cost)", "this is not answered"),
        ("COUNT(*) FILTER (WHERE sick)", "FILTER is not answered"),
        ("COUNT(*) OVER ()", "window functions"),
        ("COUNT(secret)", "no column 'secret'"),
        ("SUM(DISTINCT age)", "DISTINCT inside an aggregate"),
        ("SUM(age ORDER BY cost)", "this is not answered"),
        ("SUM(age IGNORE NULLS)", "this is not answered"),
        ("SUM(age) FILTER (WHERE sick)", "FILTER is not answered"),
        ("SUM(age) OVER (PARTITION BY ward)", "window functions"),
        ("SUM(age + 1)", "aggregates take a column here"),
        ("SUM(1)", "aggregates take a column here"),
        ("SUM(ward)", "this needs numbers"),
        ("SUM(COUNT(*))", "an aggregate cannot stand here"),
        ("QUANTILE_CONT(age, 2)", "a number from 0 to 1"),
        ("QUANTILE_CONT(age, -0.1)", "a number from 0 to 1"),
        ("QUANTILE_CONT(age, NULL)", "a number from 0 to 1"),
        ("QUANTILE_CONT(age, cost)", "a number from 0 to 1"),
        ("QUANTILE_CONT(age, [0.1, 0.2])", "this is not answered"),
        ("PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age)", "this is not answered"),
        ("AVG(age) WITHIN GROUP (ORDER BY cost)", "this is not answered"),
        ("MIN(age)", "this aggregate is not answered"),
        ("MAX(age)", "this aggregate is not answered"),
        ("ANY_VALUE(ward)", "is not answered"),
        ("FIRST(ward)", "this aggregate is not answered"),
        ("ARG_MAX(ward, age)", "this aggregate is not answered"),
        ("LIST(ward)", "is not answered"),
        ("STRING_AGG(ward, ',')", "is not answered"),
        ("APPROX_COUNT_DISTINCT(ward)", "this aggregate is not answered"),
        ("COUNT_IF(sick)", "this aggregate is not answered"),
        ("HISTOGRAM(age)", "is not answered"),
        ("my_sum(age)", "is not answered"),
    ],
)
def test_what_is_not_answered_is_refused_with_its_text(text: str, part: str) -> None:
    told = refusal(ENGINE, f"SELECT {text} FROM visits", {"none": None})
    assert part in told
    assert "; " in told or ":" in told, "there is a remedy"


def test_rows_that_are_units_are_counted_as_rows() -> None:
    assert "only COUNT(DISTINCT the unit)" in refusal(ENGINE, "SELECT COUNT(DISTINCT age) FROM people")
