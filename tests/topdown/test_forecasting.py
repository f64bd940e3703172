"""Plans are free, and say what least squares estimates err by."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.topdown import forecasting
from discreet.topdown.estimate.tree_model import TreeModel, model_tree
from discreet.topdown.forecasting import plan, plan_for_targets
from discreet.topdown.planning.noise import plan_noise
from discreet.topdown.release.census_release import CensusRelease
from discreet.topdown.spec.queries import Query
from discreet.topdown.spec.reading import read_spec
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


def test_the_largest_errors_are_found_a_few_kinds_of_areas_at_a_time(
    small_census: SmallCensus, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = read_spec(small_census.path)
    model = model_tree(spec.geography, spec.schema, plan_noise(spec).draws)
    wanted = {(level, query.name): model.variances(level, query).max() for level in range(4) for query in spec.queries}
    sizes: list[int] = []
    whole = TreeModel.variances

    def watch(self: TreeModel, level: int, query: Query) -> Floats:
        sizes.append(len(self.downward[level].covariance.kinds) * query.size)
        return whole(self, level, query)

    monkeypatch.setattr(TreeModel, "variances", watch)
    monkeypatch.setattr(forecasting, "NUMBERS_AT_ONCE", 30)
    for level in range(4):
        for query in spec.queries:
            found = forecasting.find_largest_variance(model, level, query)
            assert found == pytest.approx(wanted[level, query.name], rel=1e-12)
    assert max(sizes) <= 30
    assert len(sizes) > 20, "several kinds of towns were looked at one after another"


def test_what_readings_do_not_determine_errs_without_bound(small_census: SmallCensus) -> None:
    spec = read_spec(small_census.path)
    model = model_tree(spec.geography, spec.schema, [each for each in plan_noise(spec).draws if each.level < 3])
    assert forecasting.find_largest_variance(model, 3, spec.find_query("detailed")) == np.inf
    assert forecasting.find_largest_variance(model, 2, spec.find_query("detailed")) < np.inf


def test_public_totals_have_no_error(small_census: SmallCensus) -> None:
    assert plan(small_census.path).find("Region", "total").estimated == pytest.approx(0, abs=1e-6)


@pytest.mark.slow
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
