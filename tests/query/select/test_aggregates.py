"""Which aggregates are answered, and that none is answered as something else."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.plan.question import AggregateKind
from support.hospital import asked, bounded, engine_of, refusal, sums

ENGINE = engine_of()


@pytest.mark.many
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("COUNT(*)", AggregateKind.ROWS),
        ("COUNT()", AggregateKind.ROWS),
        ("COUNT(1)", AggregateKind.ROWS),
        ("COUNT('x')", AggregateKind.ROWS),
        ("COUNT(age)", AggregateKind.VALUES),
        ("COUNT(age + 1)", AggregateKind.VALUES),
        ("COUNT(DISTINCT patient)", AggregateKind.UNITS),
        ("COUNT(DISTINCT visits.PATIENT)", AggregateKind.UNITS),
        ("COUNT(DISTINCT patient) FILTER (WHERE sick)", AggregateKind.UNITS),
        ("SUM(age)", AggregateKind.SUM),
        ("AVG(age)", AggregateKind.MEAN),
        ("VARIANCE(age)", AggregateKind.VARIANCE),
        ("VAR_SAMP(age)", AggregateKind.VARIANCE),
        ("VAR_POP(age)", AggregateKind.VARIANCE_POP),
        ("STDDEV(age)", AggregateKind.DEVIATION),
        ("STDDEV_SAMP(age)", AggregateKind.DEVIATION),
        ("STDDEV_POP(age)", AggregateKind.DEVIATION_POP),
        ("MEDIAN(age)", AggregateKind.QUANTILE),
        ("QUANTILE_CONT(age, 0.5)", AggregateKind.QUANTILE),
        ("PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age)", AggregateKind.QUANTILE),
        ("PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age DESC)", AggregateKind.QUANTILE),
        ("COUNT(patient)", AggregateKind.ROWS),
        ("COUNT(DISTINCT age)", AggregateKind.DISTINCT),
        ("SUM(DISTINCT age)", AggregateKind.SUM_DISTINCT),
        ("SUM(DISTINCT age > 40)", AggregateKind.SUM_DISTINCT),
        ("AVG(DISTINCT cost) FILTER (WHERE sick)", AggregateKind.MEAN_DISTINCT),
        ("MIN(DISTINCT age)", AggregateKind.LEAST),
        ("MAX(DISTINCT age)", AggregateKind.GREATEST),
        ("COUNT(*) FILTER (WHERE sick)", AggregateKind.VALUES),
        ("COUNT(age) FILTER (WHERE sick)", AggregateKind.VALUES),
        ("SUM(age) FILTER (WHERE sick)", AggregateKind.SUM),
        ("SUM(age + 1)", AggregateKind.SUM),
        ("SUM(1)", AggregateKind.SUM),
        ("MIN(age)", AggregateKind.LEAST),
        ("MAX(age)", AggregateKind.GREATEST),
        ("MIN(seen)", AggregateKind.LEAST),
        ("MAX(seen) FILTER (WHERE sick)", AggregateKind.GREATEST),
        ("CORR(age, cost)", AggregateKind.CORRELATION),
        ("COVAR_POP(age, cost)", AggregateKind.COVARIANCE_POP),
        ("COVAR_SAMP(age, cost)", AggregateKind.COVARIANCE),
    ],
)
def test_the_aggregates(text: str, kind: AggregateKind) -> None:
    (found,) = asked(ENGINE, f"SELECT {text} FROM visits").aggregates
    assert found.kind is kind
    assert found.share == (Fraction(1, 2) if kind is AggregateKind.QUANTILE else None)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("COUNT(NULL)", "is 0 on all data"),
        ("COUNT($none)", "is 0 on all data"),
        ("COUNT(* EXCLUDE (age))", "except is not answered"),
        ("COUNT(visits.*)", "no column '*'"),
        ("COUNT(age, cost)", "COUNT takes one column"),
        ("COUNT(DISTINCT patient, age)", "takes one column"),
        ("COUNT(DISTINCT other.patient)", "there is no table 'other'"),
        ("COUNT(DISTINCT store.visits.patient)", "schemas are not answered"),
        ("COUNT(age ORDER BY cost)", "this is not answered"),
        ("COUNT(*) FILTER (WHERE age)", "takes a condition"),
        ("COUNT(*) OVER ()", "window functions"),
        ("COUNT(secret)", "no column 'secret'"),
        ("STDDEV(DISTINCT age)", "DISTINCT is answered in COUNT, SUM, AVG, MIN and MAX"),
        ("MEDIAN(DISTINCT age)", "DISTINCT is answered in COUNT, SUM, AVG, MIN and MAX"),
        ("SUM(DISTINCT age, cost)", "takes one column"),
        ("SUM(DISTINCT ward)", "this needs numbers"),
        ("AVG(DISTINCT patient)", "has no declared bounds"),
        ("SUM(age ORDER BY cost)", "this is not answered"),
        ("SUM(age IGNORE NULLS)", "this is not answered"),
        ("SUM(age) OVER (PARTITION BY ward)", "window functions"),
        ("SUM(ward)", "this needs numbers"),
        ("SUM(COUNT(*))", "an aggregate cannot stand here"),
        ("QUANTILE_CONT(age, 2)", "one number from 0 to 1"),
        ("QUANTILE_CONT(age, -0.1)", "one number from 0 to 1"),
        ("QUANTILE_CONT(age, NULL)", "one number from 0 to 1"),
        ("QUANTILE_CONT(age, cost)", "one number from 0 to 1"),
        ("QUANTILE_CONT(age, [0.1, 0.2]) + 1", "ask for several as several columns"),
        ("AVG(age) WITHIN GROUP (ORDER BY cost)", "WITHIN GROUP is answered for PERCENTILE_CONT"),
        ("MIN(ward)", "this needs numbers"),
        ("CORR(age, ward)", "this needs numbers"),
        ("ANY_VALUE(ward)", "is not answered"),
        ("FIRST(ward)", "this aggregate is not answered"),
        ("ARG_MAX(ward, age)", "this aggregate is not answered"),
        (
            "REGR_SLOPE(cost, age)",
            "COVAR_POP(y, x) / VAR_POP(x) over rows that have both; `discreet robust regression`",
        ),
        ("REGR_INTERCEPT(cost, age)", "AVG(y) - COVAR_POP(y, x)"),
        ("REGR_R2(cost, age)", "CORR(y, x) * CORR(y, x)"),
        ("KURTOSIS(cost)", "robust.bootstrap_interval"),
        ("MAD(cost)", "`discreet robust interquartile-range`"),
        ("TRIMMED_MEAN(cost)", "`discreet robust trimmed-mean`"),
        ("LIST(ward)", "is not answered"),
        ("STRING_AGG(ward, ',')", "is not answered"),
        ("APPROX_COUNT_DISTINCT(ward)", "this aggregate is not answered"),
        ("COUNT_IF(DISTINCT sick)", "this aggregate is not answered"),
        ("HISTOGRAM(age)", "is not answered"),
        ("my_sum(age)", "is not answered"),
    ],
)
def test_what_is_not_answered_is_refused_with_its_text(text: str, part: str) -> None:
    told = refusal(ENGINE, f"SELECT {text} FROM visits", {"none": None})
    assert part in told
    assert "; " in told or ":" in told, "there is a remedy"


def test_ranks_counted_from_the_other_end() -> None:
    text = "SELECT PERCENTILE_CONT(0.1) WITHIN GROUP (ORDER BY age DESC) AS q FROM visits"
    (found,) = asked(ENGINE, text).aggregates
    assert found.share == Fraction(9, 10)


def test_a_filter_is_part_of_the_argument() -> None:
    rest = "FILTER (WHERE sick)"
    text = (
        f"SELECT COUNT(*) {rest} AS a, COUNT(age) {rest} AS b, SUM(cost) {rest} AS c, AVG(age) {rest} AS d FROM visits"
    )
    found = dict(zip("abc", [measured(text, place) for place in range(3)], strict=True))
    assert found == {"a": 2, "b": 1, "c": (1.5 + 100) * 4}, "rows of patients 1 and 3 are sick; cost is clamped to 100"


def test_a_column_that_is_no_unit_is_counted_by_its_values() -> None:
    assert measured("SELECT COUNT(DISTINCT ward) FROM visits", 0) == 3, "north, south and attic"
    assert measured("SELECT COUNT(DISTINCT age) FROM people", 0) == 3


def measured(text: str, aggregate: int) -> int:
    """Return the exact whole number of an aggregate with one measure."""
    found = bounded(ENGINE, text)
    return sums(ENGINE.run(found.plan).result())[found.sources[aggregate][0]][0]
