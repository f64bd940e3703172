"""From wanted errors to shares: every wanted error is reached, and less rho would not reach them all."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.topdown.planning.expected_errors import Deviations, plan_errors
from discreet.topdown.planning.noise import CensusNoise
from discreet.topdown.planning.targets import apportion, plan_targets
from discreet.topdown.spec.census_spec import CensusSpec
from topdown.spec.small_census import SPEC, read_census

WANTED = {("Country", "total"): Fraction(3), ("Region", "kind"): Fraction(7, 2), ("Region", "total"): Fraction(20)}


def test_every_wanted_error_is_reached_and_nothing_else_is_measured(tmp_path: Path) -> None:
    spec = read_census(tmp_path)
    found = plan_targets(spec, WANTED)
    for (level, query), error in WANTED.items():
        raw = found.plan.find(level, query).raw
        assert raw is not None
        assert 0.9 * error < raw <= error
    assert [each.query for each in found.plan.errors if each.raw is not None] == ["total", "total", "kind"]
    assert found.allocation.levels[2] == 0


def test_shares_are_of_one_denominator_and_add_up(tmp_path: Path) -> None:
    found = plan_targets(read_census(tmp_path), WANTED, denominator=512).allocation
    assert all(512 % share.denominator == 0 for share in found.levels)
    assert all(512 % part.denominator == 0 for queries in found.queries for part in queries.values())
    assert sum(found.levels) == 1


def test_less_rho_with_these_shares_would_not_do(tmp_path: Path) -> None:
    spec = read_census(tmp_path)
    found = plan_targets(spec, WANTED)
    less = replace(found.allocation, rho=found.rho * Fraction(9999, 10000))
    plan = plan_errors(replace(spec, allocation=less))
    assert any((plan.find(*key).raw or 0) > error for key, error in WANTED.items())


def test_the_rho_is_near_the_sum_of_what_each_needs_alone(tmp_path: Path) -> None:
    spec = read_census(tmp_path)
    alone = sum(plan_targets(spec, {key: error}).rho for key, error in WANTED.items())
    together = plan_targets(spec, WANTED).rho
    assert Fraction(99, 100) * alone < together < Fraction(101, 100) * alone


def test_wanted_errors_of_the_spec_are_used_where_none_are_given(tmp_path: Path) -> None:
    end = 'except = ["home"]\n'
    spec = read_census(tmp_path, (end, f"{end}[targets.Region]\nkind = 3.5\n"))
    found = plan_targets(spec)
    assert found.wanted == {("Region", "kind"): Fraction(7, 2)}
    assert list(found.allocation.levels) == [Fraction(0), Fraction(1), Fraction(0)]


def test_the_shares_can_be_pasted_into_a_spec(tmp_path: Path) -> None:
    found = plan_targets(read_census(tmp_path), WANTED)
    head, _, rest = SPEC.partition("[budget]")
    kept = rest[rest.index("[geography]") : rest.index("[levels.Country]")]
    invariants = rest[rest.index("[invariants.") :]
    spec = read_census(tmp_path, (SPEC, head + kept + found.to_toml() + invariants))
    assert spec.allocation == found.allocation


def test_it_reads_as_text_and_as_json(tmp_path: Path) -> None:
    found = plan_targets(read_census(tmp_path), WANTED)
    assert "[levels.Region.queries]" in str(found)
    told = json.loads(json.dumps(found.to_dict()))
    assert told["levels"]["Town"] == {"share": "0", "queries": {}}
    assert told["wanted"][0] == ["Country", "total", 3.0]


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ({}, "targets must be wanted errors by level and query"),
        ({("Shire", "total"): Fraction(1)}, "level must be one of Country, Region, Town"),
        ({("Region", "sex"): Fraction(1)}, "query must be one of total, kind, facility, detailed"),
        ({("Region", "total"): Fraction(0)}, r"targets\.Region\.total must be a finite number > 0"),
        ({("Region", "total"): Fraction(-3)}, r"targets\.Region\.total must be a finite number > 0"),
    ],
)
def test_wanted_errors_that_are_none_are_refused(
    tmp_path: Path, wanted: dict[tuple[str, str], Fraction], told: str
) -> None:
    with pytest.raises(ParameterError, match=told):
        plan_targets(read_census(tmp_path), wanted)


def test_a_denominator_is_large_enough_for_all(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="denominator must be at least 2: every share is above 0"):
        plan_targets(read_census(tmp_path), WANTED, denominator=1)


def estimate(spec: CensusSpec, noise: CensusNoise) -> Deviations:
    """Return errors of a toy model: the total of a level can also be read off its kinds, in the weighted mean."""
    found = {}
    for level in range(len(spec.geography.levels)):
        variances = {draw.query.name: draw.variance for draw in noise.list_level(level)}
        kind, total = variances.get("kind"), variances.get("total")
        if kind is not None:
            found[level, "kind"] = kind**0.5
        parts = [1 / each for each in (total, None if kind is None else 3 * kind) if each is not None]
        if parts:
            found[level, "total"] = sum(parts) ** -0.5
    return found


@pytest.mark.slow
def test_with_a_model_of_better_estimates_less_rho_will_do(tmp_path: Path) -> None:
    spec = read_census(tmp_path)
    wanted = {("Region", "kind"): Fraction(3), ("Region", "total"): Fraction(5), ("Country", "total"): Fraction(4)}
    raw, found = plan_targets(spec, wanted), plan_targets(spec, wanted, estimate)
    assert found.rho < Fraction(9, 10) * raw.rho
    for (level, query), error in wanted.items():
        estimated = found.plan.find(level, query).estimated
        assert estimated is not None
        assert estimated <= error


@pytest.mark.slow
def test_a_model_that_gains_nothing_changes_nothing(tmp_path: Path) -> None:
    spec = read_census(tmp_path)

    def measure(spec: CensusSpec, noise: CensusNoise) -> Deviations:
        return {(draw.level, draw.query.name): draw.variance**0.5 for draw in noise.draws}

    assert plan_targets(spec, WANTED, measure).rho <= plan_targets(spec, WANTED).rho


def worst(needs: Sequence[Fraction], numbers: Sequence[int]) -> Fraction:
    return max(need / number for need, number in zip(needs, numbers, strict=True))


@given(st.lists(st.integers(1, 30), min_size=1, max_size=4), st.integers(0, 8))
def test_no_other_whole_numbers_need_less(needs: list[int], more: int) -> None:
    fractions, total = [Fraction(each) for each in needs], len(needs) + more
    numbers = apportion(fractions, total)
    assert sum(numbers) == total
    others = (each for each in itertools.product(range(1, total + 1), repeat=len(needs)) if sum(each) == total)
    assert worst(fractions, numbers) == min(worst(fractions, each) for each in others)
