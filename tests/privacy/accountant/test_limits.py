"""What the accountant takes on: laws, atoms and grid points are counted, and no question takes too long."""

from __future__ import annotations

import time

import pytest

from discreet.privacy import DiscreteGaussianLoss, DiscreteLaplaceLoss, GaussianLoss, Loss, PureLoss, SampledLoss
from discreet.privacy.accountant import limits
from discreet.privacy.accountant.mixture_pairs import make_gaussian_mixture
from discreet.privacy.accountant.pairs import make_gaussian, make_pure
from discreet.privacy.losses.composed import compose


def test_few_laws_get_the_finest_grid_and_many_a_coarser_one() -> None:
    sizes = [limits.choose_finest([(make_gaussian(1.0), 5)] * laws) for laws in (1, 2, 10, 100, 10_000)]
    assert sizes[0] == limits.FINEST
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == limits.COARSEST
    assert limits.explain_coarse_grid([(make_gaussian(1.0), 5)]) == ""
    assert "points" in limits.explain_coarse_grid([(make_gaussian(1.0), 5)] * 10)


def test_mixtures_of_many_shifts_count_as_more() -> None:
    mixture, _ = make_gaussian_mixture([0.1 * i for i in range(60)], [1 / 60] * 60)
    assert limits.choose_finest([(mixture, 1)]) < limits.FINEST
    assert limits.explain_refusal([(mixture, 1)]) == ""
    assert "fewer mixtures" in limits.explain_refusal([(mixture, 1)] * 10)


def test_too_many_releases_laws_or_atoms_are_refused() -> None:
    assert "releases" in limits.explain_refusal([(make_gaussian(1.0), 10**14)])
    assert "different losses of such kinds" in limits.explain_refusal([(make_gaussian(1.0), 1)] * 61)
    assert limits.explain_refusal([(make_pure(1.0), 1)] * 61) == ""
    assert "5000 different" in limits.explain_refusal([(make_pure(1.0), 1)] * 5001)
    assert "outcomes" in limits.explain_atoms(limits.MOST_ATOMS + 1)
    assert limits.explain_atoms(limits.MOST_ATOMS) == ""


LARGE: list[Loss] = [
    DiscreteLaplaceLoss(1e12, 10**12) * 100,
    compose((DiscreteGaussianLoss(9000.0 + i, 1), 3) for i in range(50)),
    compose((SampledLoss(GaussianLoss(1.0), (i + 1) / 2000), 3) for i in range(70)),
]


@pytest.mark.parametrize(
    "loss", [*LARGE[:2], pytest.param(LARGE[2], marks=pytest.mark.long)], ids=["outcomes", "atoms", "laws"]
)
def test_what_is_too_large_gets_a_looser_bound_that_says_so(loss: Loss) -> None:
    begin = time.process_time()
    found = loss.epsilon(1e-8)
    assert time.process_time() - begin < 30
    assert 0 < found.high < 1e4
    assert "left out" in found.note


def test_a_bracket_without_limits_has_no_note() -> None:
    assert (PureLoss(0.1) * 10 + PureLoss(0.2)).epsilon(1e-6).note == ""
