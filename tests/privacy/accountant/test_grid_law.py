"""Laws on a grid: the pessimistic one lies above the exact curve, the optimistic one below it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from discreet.privacy import (
    ApproximateLoss,
    BoundedRangeLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PureLoss,
    RandomizedResponseLoss,
    SampledLoss,
)
from discreet.privacy.accountant import pairs
from discreet.privacy.accountant.grid_law import GridLaws, GridReach, find_span, make_optimistic, make_pessimistic
from discreet.privacy.accountant.pairs import DominatingPair, make_atomic
from discreet.privacy.accountant.sampled_pairs import make_poisson_sampled
from discreet.privacy.accountant.stacking import stack_pairs
from support import laws

LOSSES: list[Loss] = [
    PureLoss(0.7),
    PureLoss(5.0),
    ApproximateLoss(0.5, 1e-3),
    BoundedRangeLoss(1.3),
    GaussianLoss(0.8),
    GaussianLoss(0.01),
    GaussianLoss(6.0),
    LaplaceLoss(1.1),
    LaplaceLoss(0.01),
    DiscreteLaplaceLoss(scale=2.5, sensitivity=3),
    DiscreteGaussianLoss(sigma=2.0, sensitivity=2),
    DiscreteGaussianLoss(sigma=0.3, sensitivity=50),
    RandomizedResponseLoss(lie=0.2, categories=4),
    SampledLoss(GaussianLoss(1.0), 0.01),
    SampledLoss(LaplaceLoss(1.0), 0.3),
    SampledLoss(DiscreteLaplaceLoss(2.0, 3), 0.9),
    SampledLoss(BoundedRangeLoss(2.0), 0.5),
]
STEPS = [1e-3, 0.01, 0.07, 0.35, 1.0]
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
each_step = pytest.mark.parametrize("step", STEPS)


def curve(law: GridLaws, epsilon: float, row: int = 0) -> float:
    """Return delta(epsilon) of a law on a grid, where losses may lie `offset` below their points."""
    terms = law.masses[row] * -np.expm1(np.minimum(epsilon + law.offset[row] - law.losses[row], 0.0))
    beyond = max(float(law.beyond_excess[row]) - math.expm1(min(epsilon, 700.0)) * float(law.beyond_q[row]), 0.0)
    return float(law.infinite[row] + beyond + np.sum(terms))


def points(loss: Loss) -> list[float]:
    top = loss.pure if math.isfinite(loss.pure) else 4.0
    return [0.0, *(top * share for share in (0.01, 0.2, 0.5, 0.77, 0.999, 1.0, 1.3))]


def usable(pair: DominatingPair, step: float) -> bool:
    low, high = find_span(pair, 1e-15)
    return (high - low) / step < 1e6


@each_loss
@each_step
def test_the_pessimistic_law_is_never_below_the_exact_curve(loss: Loss, step: float) -> None:
    made = [make_pessimistic(pair, step, GridReach(1e-15)) for pair in loss.list_pairs() or [] if usable(pair, step)]
    for epsilon in points(loss) if made else []:
        assert max(curve(law, epsilon) for law in made) >= loss.delta(epsilon).low


@each_loss
@each_step
def test_the_optimistic_law_is_never_above_the_exact_curve(loss: Loss, step: float) -> None:
    made = [make_optimistic(pair, step, GridReach(1e-15)) for pair in loss.list_pairs() or [] if usable(pair, step)]
    for epsilon in points(loss) if made else []:
        assert max(curve(law, epsilon) for law in made) <= loss.delta(epsilon).high * (1 + 1e-12) + 1e-16


@each_loss
def test_both_close_in_as_the_grid_gets_finer(loss: Loss) -> None:
    for maker in (make_pessimistic, make_optimistic):
        made = [maker(pair, 1e-3, GridReach(1e-15)) for pair in loss.list_pairs() or [] if usable(pair, 1e-3)]
        for epsilon in points(loss) if made else []:
            fine = max(curve(law, epsilon) for law in made)
            assert fine == pytest.approx(loss.delta(epsilon).high, abs=1.1e-3)


@each_loss
@each_step
def test_a_pessimistic_law_has_at_least_the_whole_mass(loss: Loss, step: float) -> None:
    for pair in loss.list_pairs() or []:
        if usable(pair, step):
            law = make_pessimistic(pair, step, GridReach(1e-15))
            assert 1 - 1e-14 <= law.masses.sum() + law.infinite[0] + law.beyond_excess[0] + law.beyond_q[0] <= 1 + 1e-9


@each_loss
@each_step
def test_an_optimistic_law_has_at_most_the_whole_mass(loss: Loss, step: float) -> None:
    for pair in loss.list_pairs() or []:
        if usable(pair, step):
            law = make_optimistic(pair, step, GridReach(1e-15))
            assert law.masses.sum() + law.infinite[0] + law.beyond_excess[0] + law.beyond_q[0] <= 1 + 1e-14
            assert law.masses.min() >= 0


@pytest.mark.parametrize("loss", [0.3, 0.30000000000000004, 0.299999999, 0.35, 0.399999999999])
def test_atoms_on_the_grid_stay_and_atoms_off_it_are_split(loss: float) -> None:
    law = make_pessimistic(make_atomic([loss], [1.0]), 0.1, GridReach(1e-15))
    held = {
        round(float(at), 9): float(share)
        for at, share in zip(law.losses[0], law.masses[0], strict=True)
        if share > 1e-12
    }
    assert set(held) <= {0.2, 0.3, 0.4}
    mean = sum(share * math.exp(-at) for at, share in held.items())
    assert mean == pytest.approx(math.exp(-loss), rel=1e-9)
    assert math.fsum(held.values()) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("scale", [3.0, 0.7, 123.4])
def test_atoms_of_a_lattice_cost_nothing_on_its_grid(scale: float) -> None:
    loss = DiscreteLaplaceLoss(scale, 4)
    (pair,) = loss.list_pairs() or []
    assert pair.lattice is not None
    for step in (pair.lattice, pair.lattice / 3):
        for epsilon in points(loss):
            truth = float(laws.product_delta([laws.laplace_outcomes(scale, 4)], epsilon))
            assert curve(make_pessimistic(pair, step, GridReach(1e-15)), epsilon) == pytest.approx(truth, abs=1e-12)
            assert curve(make_optimistic(pair, step, GridReach(1e-15)), epsilon) == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize("tail", [1e-5, 1e-20, 1e-300])
@pytest.mark.parametrize("mu", [1e-3, 1.0, 10.0])
def test_the_span_leaves_out_no_more_than_the_tail(mu: float, tail: float) -> None:
    (pair,) = GaussianLoss(mu).list_pairs()
    assert pair.above is not None
    assert pair.below is not None
    low, high = find_span(pair, tail)
    assert pair.above(np.array([high])).p.max() <= tail
    assert pair.below(np.array([low])).p.max() <= tail


@pytest.mark.parametrize(
    "loss", [GaussianLoss(60.0), LaplaceLoss(500.0), LaplaceLoss(800.0), BoundedRangeLoss(800.0)], ids=repr
)
def test_losses_whose_exponentials_leave_the_floats_still_have_laws(loss: Loss) -> None:
    for epsilon in (0.0, 100.0, 500.0, 790.0):
        for pair in loss.list_pairs() or []:
            assert curve(make_pessimistic(pair, 1.0, GridReach(1e-15)), epsilon) >= loss.delta(epsilon).low
        for pair in loss.list_attained_pairs() or []:
            law = make_optimistic(pair, 1.0, GridReach(1e-15))
            assert curve(law, epsilon) <= loss.delta(epsilon).high * (1 + 1e-12)


@pytest.mark.parametrize(
    "base", [DiscreteGaussianLoss(1.0, 50), DiscreteLaplaceLoss(0.05, 50), PureLoss(800.0), ApproximateLoss(0.5, 0.1)]
)
def test_sampling_loses_no_mass(base: Loss) -> None:
    (pair,) = base.list_pairs() or []
    for way in make_poisson_sampled(pair, 0.1):
        assert float(way.masses.sum()) + way.infinite == pytest.approx(1.0, abs=1e-12)


EPSILONS = [0.009, 0.0101, 0.013, 0.05, 0.0999, 0.1, 0.7]


@pytest.mark.parametrize("step", [1e-4, 3e-3, 0.02])
@pytest.mark.parametrize("make", [pairs.make_laplace, pairs.make_pure])
def test_pairs_of_one_family_have_the_same_laws_together_as_alone(
    step: float, make: Callable[[float], DominatingPair]
) -> None:
    """Rows in one array: what each dominates or is dominated by does not depend on the others."""
    for members, together in stack_pairs([make(epsilon) for epsilon in EPSILONS]):
        above, below = (
            make_pessimistic(together, step, GridReach(1e-15)),
            make_optimistic(together, step, GridReach(1e-15)),
        )
        for row, member in enumerate(members):
            loss = LaplaceLoss(EPSILONS[member]) if make is pairs.make_laplace else PureLoss(EPSILONS[member])
            for epsilon in points(loss):
                assert curve(above, epsilon, row) >= loss.delta(epsilon).low
                assert curve(below, epsilon, row) <= loss.delta(epsilon).high * (1 + 1e-12) + 1e-16


@pytest.mark.parametrize("step", [1e-5, 1e-3])
def test_many_atoms_to_a_step_are_summed_cell_by_cell(step: float) -> None:
    """Rounding each atom down would lose half a step of every one; telling only the cell loses its square."""
    (pair,) = DiscreteGaussianLoss(1000.0, 1).list_pairs() or []
    law = make_optimistic(pair, step, GridReach(1e-15))
    mean = float(np.sum(law.masses * law.losses))
    assert 5e-7 - step / 8 <= mean <= 5e-7
    for epsilon in (0.0, 1e-4, 1e-3, 4e-3):
        assert curve(law, epsilon) <= DiscreteGaussianLoss(1000.0, 1).delta(epsilon).high * (1 + 1e-12)
