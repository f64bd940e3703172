"""Intervals hold the truth with 95 %, whatever it is: computed exactly, noise by noise, and never by drawing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from discreet.base.grid import Floats
from discreet.topdown.running.error_sums import Z
from discreet.topdown.running.intervals import bound_answers, enclose, find_intervals
from topdown.small_release import SmallCensus, draw_readings


def hold(estimates: Floats, deviation: float, least: float = 0.0, most: float = np.inf) -> tuple[Floats, Floats]:
    given = np.asarray(estimates, dtype=np.float64)
    found = find_intervals(given, np.full(given.shape, deviation), *(np.full(given.shape, x) for x in (least, most)))
    return found.low, found.high


@pytest.mark.parametrize("sigma", [0.4, 0.9, 1.7, 2.0, 3.18, 3.4, 11.0, 50.3])
def test_of_one_rounded_measurement_every_truth_is_held_with_95_percent(sigma: float) -> None:
    reach = int(12 * sigma) + 3
    noise = np.arange(-reach, reach + 1)
    chances = ndtr((noise + 0.5) / sigma) - ndtr((noise - 0.5) / sigma)
    deviation = float(np.sqrt(chances @ noise**2))
    for truth in [*range(12), int(5 * sigma), int(40 * sigma) + 7]:
        low, high = hold(truth + noise, deviation)
        held = chances[(low <= truth) & (truth <= high)].sum()
        assert held >= 0.948, (sigma, truth)


@pytest.mark.parametrize("deviation", [3.0, 17.0, 400.0])
def test_of_a_gaussian_estimate_no_more_is_held_than_needed(deviation: float) -> None:
    edges = np.linspace(-12, 12, 200_001)
    chances, noise = np.diff(ndtr(edges)), (edges[1:] + edges[:-1]) / 2
    for truth in (0, 1, round(0.3 * deviation), round(deviation), round(1.9 * deviation), round(30 * deviation)):
        low, high = hold(truth + deviation * noise, deviation)
        held = chances[(low <= truth) & (truth <= high)].sum()
        assert 0.9499 <= held <= 0.95 + 0.3 / deviation, truth


def test_no_interval_is_wider_than_the_unbiased_one_or_empty() -> None:
    estimates = np.linspace(-80, 200, 4001)
    low, high = hold(estimates, 10.0)
    assert (low <= high).all()
    assert (high - low <= 2 * Z * 10 + 1).all()
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) >= 0).all()
    assert high[0] >= 1, "an estimate far below 0 is a rare noise, and no proof that nobody is there"
    far = estimates > 60
    assert np.array_equal(low[far], np.rint(estimates[far] - Z * 10))
    assert np.array_equal(high[far], np.rint(estimates[far] + Z * 10))


def test_public_bounds_are_kept_and_make_intervals_shorter() -> None:
    low, high = hold(np.array([-5.0, 7.0, 60.0]), 10.0, least=5.0, most=30.0)
    assert (low >= 5).all()
    assert (high <= 30).all()
    shut = hold(np.array([-5.0, 7.0]), 10.0, most=0.0)
    assert not np.any(shut)


def test_what_is_exact_is_a_point_and_what_nothing_determines_has_no_end() -> None:
    low, high = hold(np.array([12.0000001]), 0.0)
    assert low == high == 12
    low, high = hold(np.array([np.nan, 3.0]), np.inf, least=2.0)
    assert (low == 2).all()
    assert np.isinf(high).all()


def test_margins_around_counts_reach_both_ends() -> None:
    found = find_intervals(np.array([100.0]), np.array([10.0]), np.zeros(1), np.full(1, np.inf))
    assert found.low.tolist() == [80]
    assert found.high.tolist() == [120]
    assert found.find_margins(np.array([95])).tolist() == [25]
    assert found.find_margins(np.array([130])).tolist() == [50]


def test_public_facts_bound_answers_that_they_do_not_name(small_census: SmallCensus) -> None:
    drawn = draw_readings(small_census)
    for level, truth in enumerate(drawn.truth):
        for query in drawn.problem.queries:
            least, most = bound_answers(drawn.problem, level, query, slice(None))
            answers = truth.answer(query)
            assert (least <= answers).all()
            assert (answers <= most).all()
            found = enclose(
                drawn.problem, level, query, slice(None), answers.astype(np.float64), np.ones(answers.shape)
            )
            assert (found.low <= answers).all()
            assert (answers <= found.high).all()
            assert (found.low == found.high)[least == most].all()
    region = drawn.problem.geography.find_level("Region")
    total = next(each for each in drawn.problem.queries if not each.parts)
    least, most = bound_answers(drawn.problem, region, total, slice(None))
    assert np.array_equal(least, most)
