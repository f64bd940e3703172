"""Plans are free, and say what least squares estimates err by."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.topdown.forecasting import plan, plan_for_targets
from discreet.topdown.release.census_release import CensusRelease
from topdown.small_release import SmallCensus


def test_expected_errors_are_those_of_the_margins_that_are_published(
    small_census: SmallCensus, small_release: CensusRelease
) -> None:
    found = plan(small_census.path)
    for level, query in (("Town", "detailed"), ("Region", "kind"), ("Country", "adult x colour")):
        margins = np.asarray(small_release.table(level, query).column("gls_margin"))
        deviation = found.find(level, query).estimated
        assert deviation is not None
        assert margins.max() == pytest.approx(1.95996 * deviation, rel=1e-3)
    raw = found.find("Town", "detailed")
    assert raw.raw is not None
    assert raw.estimated is not None
    assert raw.estimated < raw.raw


def test_public_totals_have_no_error(small_census: SmallCensus) -> None:
    assert plan(small_census.path).find("Region", "total").estimated == pytest.approx(0, abs=1e-6)


def test_shares_for_wanted_errors_reach_them(small_census: SmallCensus) -> None:
    found = plan_for_targets(small_census.path, {("Town", "kind"): Fraction(3), ("District", "total"): Fraction(2)})
    for level, query, most in (("Town", "kind", 3), ("District", "total", 2)):
        error = found.plan.find(level, query).estimated
        assert error is not None
        assert error <= most * (1 + 1e-9)
    assert "[levels.Town]" in found.to_toml()


def test_wanted_errors_of_nothing_are_refused(small_census: SmallCensus) -> None:
    with pytest.raises(ParameterError, match="targets"):
        plan_for_targets(small_census.path)
    with pytest.raises(ParameterError, match="Canton"):
        plan_for_targets(small_census.path, {("Canton", "total"): Fraction(3)})


def test_planning_charges_nothing(small_census: SmallCensus, small_release: CensusRelease) -> None:
    plan(small_census.path)
    assert small_census.count_charges() == 1
