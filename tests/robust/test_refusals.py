"""What robust statistics refuse before the charge, and how they say it: from the policy and the question alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest

from curator.door.test_wings import kinds
from discreet import robust
from discreet.base.errors import DiscreetError, ParameterError
from discreet.curator import Curator
from support.clinic import VISITS, open_clinic

Ask = Callable[[Curator], Any]

WARDS: dict[str, Any] = {"by": "ward", "between": ["icu", "nort"]}
NORTH = r"a group of ward must be one that the policy declares: did you mean 'north'\?; got 'nort'"

MISSPELT: dict[str, tuple[Ask, str]] = {
    "difference": (lambda c: robust.difference_interval(c, "visits", "cost", epsilon=1, **WARDS), NORTH),
    "difference of shares": (
        lambda c: robust.difference_interval(c, "visits", condition="cost > 5", epsilon=1, **WARDS),
        NORTH,
    ),
    "t test": (lambda c: robust.t_test(c, "visits", "cost", epsilon=1, **WARDS), NORTH),
    "proportion test": (lambda c: robust.proportion_test(c, "visits", "cost > 5", epsilon=1, **WARDS), NORTH),
    "Mann-Whitney": (lambda c: robust.mann_whitney_test(c, "visits", "cost", epsilon=1, **WARDS), NORTH),
    "Kolmogorov-Smirnov": (lambda c: robust.kolmogorov_smirnov_test(c, "visits", "cost", epsilon=1, **WARDS), NORTH),
    "log-rank": (
        lambda c: robust.log_rank_test(c, "visits", "age", "cost > 5", times=[9, 20], epsilon=1, **WARDS),
        NORTH,
    ),
    "anova": (
        lambda c: robust.anova(c, "visits", "cost", by="WARD", groups=["Icu", "north"], epsilon=1),
        r"a group of WARD .* did you mean 'icu'\?; got 'Icu'",
    ),
    "chi-square": (
        lambda c: robust.chi_square_test(c, "patients", "sex", shares={"f": 0.5, "w": 0.5}, epsilon=1),
        "a value of sex must be one that the policy declares: 'f', 'm'; got 'w'",
    ),
    "independence": (
        lambda c: robust.chi_square_test(
            c, "visits", "age > 9", values=[True, False], by="ward", by_values=["icu", "east"], epsilon=1
        ),
        "a value of ward must be one that the policy declares: .* got 'east'",
    ),
    "beyond the bounds": (
        lambda c: robust.t_test(c, "visits", "cost", by="quantity", between=[3, 30], epsilon=1),
        "a group of quantity must be one inside the bounds that the policy declares, 0 to 9; got 30",
    ),
    "another day": (
        lambda c: robust.t_test(c, "visits", "cost", by="day", between=[date(2025, 5, 1), date(2205, 5, 1)], epsilon=1),
        "a group of day must be one inside the bounds that the policy declares, 2025-01-01 to 2026-12-31",
    ),
    "where": (
        lambda c: robust.mean_interval(c, "visits", "cost", where="age > 9 AND ward = 'sout'", epsilon=1),
        r"a value of ward in where must be one that the policy declares: did you mean 'south'\?; got 'sout'",
    ),
    "where, the other way round": (
        lambda c: robust.median(c, "visits", "cost", where="'sout' <> visits.ward", epsilon=1),
        "did you mean 'south'",
    ),
    "where, one of several": (
        lambda c: robust.trimmed_mean(c, "visits", "cost", where="ward NOT IN ('icu', 'sout')", epsilon=1),
        "did you mean 'south'",
    ),
    "where, a parameter": (
        lambda c: robust.clipped_sum(c, "visits", "cost", where="ward = $w", params={"w": "sout"}, epsilon=1),
        "did you mean 'south'",
    ),
    "condition": (
        lambda c: robust.proportion_interval(c, "visits", "ward = 'sout'", epsilon=1),
        "a value of ward in condition .* did you mean 'south'",
    ),
    "event": (
        lambda c: robust.survival_curve(c, "visits", "age", "ward = 'sout'", times=[9, 20], epsilon=1),
        "a value of ward in event .* did you mean 'south'",
    ),
    "column": (
        lambda c: robust.unbounded_mean(c, "visits", "CASE WHEN ward = 'x' THEN age END", step=1, epsilon=1),
        "a value of ward in column",
    ),
}


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Curator]:
    with open_clinic(tmp_path_factory.mktemp("clinic"), VISITS, epsilon=500.0, delta=1e-8) as curator:
        yield curator


def check_refused(curator: Curator, ask: Ask, message: str, kind: type[Exception] = ParameterError) -> None:
    """Ask, and see it refused before anything is charged."""
    before = kinds(curator)
    with pytest.raises(kind, match=message):
        ask(curator)
    assert kinds(curator) == before


@pytest.mark.many
@pytest.mark.parametrize("name", MISSPELT)
def test_values_that_the_policy_does_not_declare_are_refused_with_the_nearest(name: str, clinic: Curator) -> None:
    check_refused(clinic, *MISSPELT[name])


@pytest.mark.parametrize(
    "how",
    [
        {"where": "ward = 'icu' OR ward IN ('north', 'south')"},
        {"where": "LOWER(ward) = 'elsewhere'"},
        {"where": "ward LIKE 'no%' AND age = 1000"},
        {"where": "ward = $w", "params": {"w": "icu"}},
    ],
    ids=lambda how: str(how["where"]),
)
def test_declared_values_and_expressions_are_asked(how: dict[str, Any], clinic: Curator) -> None:
    assert robust.median(clinic, "visits", "cost", epsilon=1, **how).receipt.paid == "charged"


WITHOUT: dict[str, Ask] = {
    "mean interval": lambda c: robust.mean_interval(c, "visits", "cost"),
    "median interval": lambda c: robust.median_interval(c, "visits", "cost"),
    "t test": lambda c: robust.t_test(c, "visits", "cost", mean=4),
    "Wilcoxon": lambda c: robust.wilcoxon_test(c, "visits", "cost - 9"),
    "survival": lambda c: robust.survival_curve(c, "visits", "age", "cost > 5", times=[9, 20]),
    "clipped sum": lambda c: robust.clipped_sum(c, "visits", "cost"),
    "median": lambda c: robust.median(c, "visits", "cost"),
    "unbounded mean": lambda c: robust.unbounded_mean(c, "visits", "cost", step=1),
    "unbounded variance": lambda c: robust.unbounded_variance(c, "visits", "cost", step=1),
    "interquartile range": lambda c: robust.interquartile_range(c, "visits", "cost", step=1),
    "regression": lambda c: robust.regression_interval(c, "visits", "cost", ["age"], delta=1e-10),
    "any function": lambda c: robust.aggregate(c, "visits", ["age"], len, name="n", groups=9, bounds=(0, 1)),
}


@pytest.mark.many
@pytest.mark.parametrize("name", WITHOUT)
def test_without_a_price_the_price_is_asked_for(name: str, clinic: Curator) -> None:
    check_refused(clinic, WITHOUT[name], "^epsilon must be given")


def test_a_mean_of_several_columns_asks_for_a_rho(clinic: Curator) -> None:
    check_refused(clinic, lambda c: robust.multivariate_mean(c, "visits", {"age": 9}), "^rho must be")


def test_two_prices_are_refused(clinic: Curator) -> None:
    check_refused(clinic, lambda c: robust.mean_interval(c, "visits", "cost", epsilon=1, rho=1), "and not both")


def test_resamples_ask_for_a_delta(clinic: Curator) -> None:
    without: dict[str, Ask] = {
        "regression": lambda c: robust.regression_interval(c, "visits", "cost", ["age"], epsilon=1),
        "correlation": lambda c: robust.correlation_interval(c, "visits", "cost", "age", epsilon=1),
        "ratio": lambda c: robust.ratio_interval(c, "visits", "cost", "age", epsilon=1),
        "bootstrap": lambda c: robust.bootstrap_interval(c, "visits", {"x": "age"}, lambda m: m["x"], epsilon=1),
    }
    for ask in without.values():
        check_refused(clinic, ask, "^delta must be given: resamples have Gaussian noise")


def test_a_trim_has_one_upper_bound(clinic: Curator) -> None:
    ask: Ask = lambda c: robust.trimmed_mean(c, "visits", "cost", trim=0.5, epsilon=1)  # noqa: E731
    check_refused(clinic, ask, r"^trim must be a finite number < 0\.5 and >= 0; got 0\.5$")


CONSTANT: dict[str, Ask] = {
    "mean interval": lambda c: robust.mean_interval(c, "visits", "0 * cost", epsilon=1),
    "median interval": lambda c: robust.median_interval(c, "visits", "0 * cost", epsilon=1),
    "difference": lambda c: robust.difference_interval(
        c, "visits", "0 * cost", by="age > 9", between=[True, False], epsilon=1
    ),
    "anova": lambda c: robust.anova(c, "visits", "0 * cost", by="ward", epsilon=1),
    "Kruskal-Wallis": lambda c: robust.kruskal_wallis_test(c, "visits", "0 * cost", by="ward", epsilon=1),
    "Kruskal-Wallis with cuts": lambda c: robust.kruskal_wallis_test(
        c, "visits", "0 * cost", by="ward", cuts=[0], epsilon=1
    ),
    "Wilcoxon": lambda c: robust.wilcoxon_test(c, "visits", "0 * cost", epsilon=1),
    "median": lambda c: robust.median(c, "visits", "0 * cost", epsilon=1),
    "median of rows": lambda c: robust.median(c, "visits", "0 * cost", epsilon=1, per_unit="rows"),
    "trimmed mean": lambda c: robust.trimmed_mean(c, "visits", "0 * cost + 3", epsilon=1),
    "unbounded mean": lambda c: robust.unbounded_mean(c, "visits", "0 * cost", step=1, epsilon=1),
    "unbounded variance": lambda c: robust.unbounded_variance(c, "visits", "0 * cost", step=1, epsilon=1),
    "interquartile range": lambda c: robust.interquartile_range(c, "visits", "0 * cost", step=1, epsilon=1),
    "clipped sum": lambda c: robust.clipped_sum(c, "visits", "0 * cost", epsilon=1),
    "multivariate mean": lambda c: robust.multivariate_mean(c, "visits", {"0 * cost": 1, "age": 9}, rho=1),
    "regression": lambda c: robust.regression_interval(
        c, "visits", "cost", ["age", "0 * cost"], epsilon=1, delta=1e-10
    ),
    "survival": lambda c: robust.survival_curve(c, "visits", "0 * age", "cost > 5", times=[9, 20], epsilon=1),
}


@pytest.mark.many
@pytest.mark.parametrize("name", CONSTANT)
def test_what_is_the_same_for_everybody_by_its_bounds_is_refused(name: str, clinic: Curator) -> None:
    check_refused(clinic, CONSTANT[name], "bounds are apart|same for everybody", DiscreetError)
