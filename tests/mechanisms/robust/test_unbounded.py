"""Means, variances and ranges without bounds: what each step costs, and how near they come."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.mechanisms import Laplace, Quantile
from discreet.mechanisms.robust import unbounded
from discreet.mechanisms.robust.unbounded import FINE, InterquartileRange, Located, UnboundedMean
from support.small_data import RELATIONS, list_pairs

DOMAIN = (-7, 0, 3)


class _Recorder:
    """Stands in for noise and quantiles: writes down what each release is of, and what it costs."""

    def __init__(self) -> None:
        self.scales: list[tuple[float, int]] = []

    def add(self, made: Laplace, exact: int) -> int:
        self.scales.append((made.scale, exact))
        return exact


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("radius", [1, 3, 7])
def test_theorem_one_unit_moves_each_sum_by_no_more_than_its_noise_is_for(
    relation: str, radius: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the center and the radius that were released before, as composition has them."""
    made, recorder = UnboundedMean(2.0, 1, relation), _Recorder()
    monkeypatch.setattr(Laplace, "release", lambda made, exact: recorder.add(made, exact))
    monkeypatch.setattr(unbounded, "find_quantile", lambda *given: 1)
    monkeypatch.setattr(UnboundedMean, "_find_radius", lambda self, around: radius)
    seen = {}
    for pair in list_pairs(DOMAIN, 3, relation):
        for values in pair:
            if values not in seen:
                recorder.scales.clear()
                made.release(values)
                seen[values] = list(recorder.scales)
        for (scale, here), (same, there) in zip(seen[pair[0]], seen[pair[1]], strict=True):
            assert scale == same
            assert abs(here - there) / Fraction(scale) <= Fraction(made.part)


def test_the_parts_add_up_to_what_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    made, spent = UnboundedMean(1.0, 3), []
    kind = Quantile

    def quantile(share: Fraction, points: int, epsilon: float, rows: int, **more: Any) -> Any:
        spent.append(kind(share, points, epsilon, rows, **more).loss().pure)
        assert rows == 3
        return kind(share, points, epsilon, rows, **more)

    monkeypatch.setattr(unbounded, "Quantile", quantile)
    recorder = _Recorder()
    monkeypatch.setattr(Laplace, "release", lambda made, exact: recorder.add(made, exact))
    told = made.release([5, 6, 7, 900] * 20)
    moves = (3, 3 * told.radius, 3 * FINE)
    spent += [move / scale for move, (scale, _) in zip(moves, recorder.scales, strict=True)]
    assert len(spent) == 5
    assert sum(spent) <= 1.0 * (1 + 1e-12)
    assert made.loss().pure <= 1.0


def test_means_and_variances_are_near_those_of_normal_values() -> None:
    values = np.random.default_rng(7).normal(123_456, 500, 4_000).astype(int)
    told = [UnboundedMean(1.0).release(values) for _ in range(5)]
    assert np.median([abs(each.mean - values.mean()) for each in told]) < 30
    assert np.median([each.variance**0.5 for each in told]) == pytest.approx(500, rel=0.3)
    assert np.median([abs(each.count - 4_000) for each in told]) < 50
    assert np.median([InterquartileRange(1.0).release(values) for _ in range(5)]) == pytest.approx(674, rel=0.2)


def test_it_beats_bounds_that_are_a_hundred_times_too_wide() -> None:
    values = np.random.default_rng(8).normal(0, 1_000, 2_000).astype(int)
    wide = 100 * 4_000
    noise = Laplace.calibrate(0.5, wide)
    bounded = np.mean(np.abs(noise.release(np.zeros(400, dtype=np.int64)) / 2_000))
    own = [abs(UnboundedMean(1.0).release(values).mean - values.mean()) for _ in range(8)]
    assert np.mean(own) < bounded / 2


def test_odd_data_are_fine() -> None:
    for values in ([], [7], [5] * 40, [10**30, -(10**30)], np.array([2**62, -(2**62)])):
        told = UnboundedMean(1.0).release(values)
        assert np.isfinite([told.mean, told.variance]).all()
        assert told.variance >= 0
        assert InterquartileRange(1.0).release(values) >= 0
    assert Located(5, 10, -3, 7, -2).variance == 0


def test_replaced_units_are_removed_and_added() -> None:
    assert UnboundedMean(1.0, 3, "replace").moved == 6


@pytest.mark.parametrize(("name", "given"), [("epsilon", (0,)), ("epsilon", (1e-4,)), ("rows", (1.0, 0))])
def test_senseless_parameters_are_refused(name: str, given: Any) -> None:
    with pytest.raises(ParameterError, match=rf"^{name} must be"):
        UnboundedMean(*given)
