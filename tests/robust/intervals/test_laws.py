"""The law of a normal error plus noise: against simulation, against single laws, and never too narrow."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from discreet.mechanisms import Gaussian, Laplace
from discreet.robust.intervals.laws import ErrorLaw, find_tail


def test_one_laplace_noise_alone_has_its_own_tail() -> None:
    at = np.array([0.0, 0.5, 2.0, 10.0])
    assert find_tail(at, 0.0, [2.0]) == pytest.approx(np.exp(-at / 2) / 2, rel=1e-4)


def test_no_noise_leaves_the_normal_law() -> None:
    at = np.array([0.0, 1.0, 3.0])
    assert find_tail(at, 4.0, []) == pytest.approx(stats.norm.sf(at / 2))
    assert find_tail(at, 4.0, [0.0]) == pytest.approx(stats.norm.sf(at / 2), rel=1e-4)


@pytest.mark.parametrize("scales", [(1.0,), (1.0, 0.3), (1.0, 1.0), (2.0, 1.99, 0.01), (1.0, 1.0, 1.0, 1.0)])
@pytest.mark.parametrize("variance", [0.0, 0.5, 9.0])
def test_several_noises_are_as_simulated_and_never_narrower(scales: tuple[float, ...], variance: float) -> None:
    rng = np.random.default_rng(1)
    size = 400_000
    drawn = rng.normal(0, np.sqrt(variance), size) + sum(rng.laplace(0, scale, size) for scale in scales)
    for at in (0.0, 1.0, 3.0, 6.0):
        share = float(np.mean(drawn > at))
        doubt = 6 * np.sqrt(max(share, 1e-5) / size)
        found = float(find_tail(at, variance, scales))
        assert share - doubt <= found <= share * 1.25 + doubt


def test_the_reach_is_where_the_tail_is_what_was_asked_for() -> None:
    law = ErrorLaw.of(np.array([0.0, 4.0]), [(1.0, Laplace(3.0)), (np.array([0.5, 2.0]), Laplace(1.0))])
    assert find_tail(law.reach(0.01) - law.slack, law.variance, law.scales) == pytest.approx([0.01, 0.01], rel=1e-6)


@pytest.mark.parametrize("miss", [0.6, 0.4, 0.0225, 1e-6])
def test_beyond_the_reach_errors_are_never_more_probable(miss: float) -> None:
    rng, size = np.random.default_rng(2), 500
    for noises in range(4):
        scales = tuple(10 ** rng.uniform(-2, 3, size) for _ in range(noises))
        law = ErrorLaw(10 ** rng.uniform(-3, 6, size), scales, np.zeros(size))
        reach = law.reach(miss)
        assert np.all(find_tail(reach, law.variance, scales) <= miss)
        nearer = find_tail(reach * (1 - 1e-6), law.variance, scales)
        assert np.all((nearer > miss) | (reach == 0))


def test_gaussian_noise_adds_to_the_variance() -> None:
    law = ErrorLaw.of(9.0, [(2.0, Gaussian(2.0))])
    assert float(law.variance) == 25.0
    assert float(law.reach(0.025) - law.slack) == pytest.approx(5 * 1.959964, rel=1e-6)
    assert float(law.deviation) == 5.0


def test_integer_noise_is_half_a_step_wider_at_most() -> None:
    """Pr[|N| >= k] of the discrete law is at most Pr[|L| >= k - 1/2]: the slack is on the safe side at every scale."""
    for scale in (0.05, 0.3, 1.0, 20.0):
        law = ErrorLaw.of(0.0, [(1.0, Laplace(scale))])
        for distance in range(1, 60):
            exact = 2 * np.exp(-distance / scale) / (1 + np.exp(-1 / scale))
            assert float(law.explain(distance)) >= exact * (1 - 1e-4)


def test_laws_divide_and_add() -> None:
    law = ErrorLaw.of(4.0, [(1.0, Laplace(3.0))]).divide(2.0)
    assert (float(law.variance), float(law.scales[0]), float(law.slack)) == (1.0, 1.5, 0.25)
    both = law.plus(law)
    assert (float(both.variance), len(both.scales), float(both.slack)) == (2.0, 2, 0.5)


def test_an_error_of_nothing_is_always_explained() -> None:
    assert float(ErrorLaw.of(0.0, [(0.0, Laplace(1.0))]).explain(0.0)) == 1.0
    assert float(ErrorLaw.of(0.0, []).explain(1.0)) == 0.0
