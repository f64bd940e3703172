"""Prices and shares are exact: what does not add up to 1 is refused, with how far it is off."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from discreet.privacy import GaussianLoss
from topdown.spec.small_census import read_census, refuse_census

RHO = 'rho = "5/2"'


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('"293764/114921"', Fraction(293764, 114921)),
        ('" 3 / 7 "', Fraction(3, 7)),
        ('"2"', Fraction(2)),
        ("0.1", Fraction(1, 10)),
        ("3", Fraction(3)),
    ],
)
def test_rho_is_the_number_that_is_written(tmp_path: Path, written: str, read: Fraction) -> None:
    assert read_census(tmp_path, (RHO, f"rho = {written}")).allocation.rho == read


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ('"1/0"', 'budget.rho: is "1/0"; write a number of at least 0, exactly'),
        ('"-1/2"', 'budget.rho: is "-1/2"'),
        ("-1", "budget.rho: is -1"),
        ("0", "budget.rho: is 0, which pays for nothing"),
        ('"much"', 'budget.rho: is "much"'),
        ("nan", "budget.rho: is NaN"),
        ("true", "budget.rho: is true"),
        ('"1e3"', 'budget.rho: is "1e3"'),
    ],
)
def test_a_rho_that_is_none_is_refused(tmp_path: Path, written: str, told: str) -> None:
    assert refuse_census(tmp_path, (RHO, f"rho = {written}"))[0].startswith(told)


def test_one_of_rho_and_epsilon_is_given(tmp_path: Path) -> None:
    (line,) = refuse_census(tmp_path, (RHO, f"{RHO}\nepsilon = 8"))
    assert line.startswith("budget: rho and epsilon are both there; write one of them")
    (line,) = refuse_census(tmp_path, (RHO, ""))
    assert line.startswith("budget: neither rho nor epsilon is there")


def test_an_epsilon_becomes_the_most_rho_that_its_gaussian_curve_allows(tmp_path: Path) -> None:
    rho = read_census(tmp_path, (RHO, "epsilon = 16.465156")).allocation.rho
    assert rho == pytest.approx(293764 / 114921, rel=1e-6)
    mu_squared = 2 * rho
    assert GaussianLoss(mu_squared**0.5).delta(16.465156).high <= 1.0000001e-10


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("delta = 0", "budget.delta: is 0"),
        ("delta = 1", "budget.delta: is 1"),
        ("", "budget.delta: is missing"),
        ("delta = 1e-4", "budget.delta: times the size of people is 0.1, above 0.01; write delta = 1e-5 or less"),
    ],
)
def test_delta_is_there_and_small(tmp_path: Path, written: str, told: str) -> None:
    lines = refuse_census(tmp_path, ("delta = 1e-10", written))
    assert any(line.startswith(told) for line in lines), lines


def test_an_epsilon_that_leaves_no_rho_is_refused(tmp_path: Path) -> None:
    lines = refuse_census(tmp_path, (RHO, "epsilon = 1e-9"))
    assert lines[0].startswith("budget.epsilon: is 1e-9; write one that is larger: it leaves no rho")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            'share = "1/2"',
            'share = "3/4"',
            "levels: the shares of the levels add up to 5/4; write shares that add up to exactly 1: they are 1/4 too",
        ),
        (
            'total = "2/3"',
            'total = "333/1000"',
            "levels.Country.queries: the shares of the queries add up to 1999/3000; write shares that add up to "
            "exactly 1: 1001/3000 is missing",
        ),
        ('total = "2/3"', 'totl = "2/3"', "levels.Country.queries.totl: is not known; did you mean total?"),
        ('total = "2/3"', 'total = "-2/3"', 'levels.Country.queries.total: is "-2/3"'),
        ("[levels.Region]\nshare = 0.25\nqueries = { facility = 1 }\n", "", "levels.Region: is missing: every level"),
        ("share = 0.25\n", "", "levels.Region.share: is missing"),
        ("queries = { facility = 1 }\n", "", "levels.Region.queries: is missing: nothing is measured"),
        ("share = 0.25", 'share = "0"', "levels.Region.queries: are there, and the level has the share 0"),
        ("[levels.Region]", "[levels.District]", "levels.District: is not known"),
        ("share = 0.25", "share = 0.2500000001", "levels: the shares of the levels add up to"),
    ],
)
def test_shares_add_up_to_exactly_one(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert refuse_census(tmp_path, (old, new))[0].startswith(told)


def test_a_level_with_the_share_0_is_not_measured(tmp_path: Path) -> None:
    spec = read_census(
        tmp_path,
        ('share = "1/2"', 'share = "3/4"'),
        ("share = 0.25\nqueries = { facility = 1 }", 'share = "0"'),
    )
    assert spec.list_measured(1) == ()
    assert [query.name for query in spec.list_measured(2)] == ["kind", "detailed"]


def test_a_query_with_the_share_0_is_not_measured(tmp_path: Path) -> None:
    spec = read_census(tmp_path, ("facility = 1", "facility = 1, total = 0"))
    assert [query.name for query in spec.list_measured(1)] == ["facility"]


def test_targets_are_read_and_their_mistakes_named(tmp_path: Path) -> None:
    end = 'except = ["home"]\n'
    spec = read_census(tmp_path, (end, end + "[targets.Region]\ntotal = 2.5\nkind = 4\n"))
    assert spec.targets == {("Region", "total"): Fraction(5, 2), ("Region", "kind"): Fraction(4)}
    lines = refuse_census(tmp_path, (end, end + "[targets.Region]\ntotal = 0\nsort = 4\n[targets.Shire]\ntotal = 1\n"))
    assert [line.split(";")[0] for line in lines] == [
        "targets.Shire: is not known",
        "targets.Region.sort: is not known",
        "targets.Region.total: is 0",
    ]
