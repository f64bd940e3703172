"""The composition theorems by name, each against its formula."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import DiscreetError, ParameterError
from discreet.privacy import (
    ApproximateLoss,
    BoundedRangeLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PureLoss,
    RandomizedResponseLoss,
    SampledLoss,
    ZcdpLoss,
    composition,
    parallel,
)
from support import laws
from support.laws import at_most, ball, exactly


def test_basic_adds_up() -> None:
    found = composition.compose_basic([(0.5, 1e-6), (0.25, 0.0), (1.0, 3e-6)])
    assert found.epsilon_ == 1.75
    assert 4e-6 <= found.delta_ <= 4e-6 * (1 + 1e-12)


def test_basic_adds_the_decimals_that_were_written() -> None:
    assert composition.compose_basic([(0.1, 1e-9)] * 10) == ApproximateLoss(1.0, 1e-8)


def test_basic_rounds_up_what_no_decimal_equals() -> None:
    found = composition.compose_basic([(Fraction(1, 3), Fraction(1, 3 * 10**6))] * 10)  # type: ignore[list-item]
    assert Fraction(found.epsilon_) >= Fraction(10, 3)
    assert Fraction(found.delta_) >= Fraction(10, 3 * 10**6)


def test_basic_of_nothing_is_nothing() -> None:
    assert composition.compose_basic([]) == ApproximateLoss(0.0, 0.0)


def test_parallel_sums_the_dearest() -> None:
    losses = [PureLoss(0.1), PureLoss(0.5), PureLoss(0.3)]
    assert parallel(losses) == PureLoss(0.5)
    assert parallel(losses, parts=2) == PureLoss(0.5) + PureLoss(0.3)
    assert parallel(losses, parts=9) == PureLoss(0.5) + PureLoss(0.3) + PureLoss(0.1)


def test_parallel_under_replace_sums_twice_as_many() -> None:
    losses = [GaussianLoss(0.1), GaussianLoss(0.5), GaussianLoss(0.3)]
    assert parallel(losses, neighbours="replace") == GaussianLoss(0.5) + GaussianLoss(0.3)
    assert parallel([LaplaceLoss(0.2)] * 5, parts=2, neighbours="replace") == LaplaceLoss(0.2) * 4


def test_parallel_compares_different_kinds_in_one_currency() -> None:
    found = parallel([DiscreteLaplaceLoss(4.0, 1), BoundedRangeLoss(1.0), RandomizedResponseLoss(0.25)], parts=2)
    assert found == PureLoss(Fraction(RandomizedResponseLoss(0.25).pure)) + PureLoss(1.0)
    assert parallel([GaussianLoss(1.0), PureLoss(2.0)]) == ZcdpLoss(2.0)


@pytest.mark.parametrize("unit", [1e-320, 1e-170, 1e-160, 1.0, 1e150, 1e160, 1e300])
@pytest.mark.parametrize("kind", [PureLoss, GaussianLoss, ZcdpLoss, LaplaceLoss, BoundedRangeLoss])
def test_parallel_finds_the_dearest_of_any_size(kind: type[Loss], unit: float) -> None:
    """Their squares leave the floats: as zero, or as infinity, all would cost the same."""
    losses = [kind(unit * size) for size in (2.0, 50.0, 7.0)]  # type: ignore[call-arg]
    assert parallel(losses) == losses[1]
    assert parallel(losses, parts=2) == losses[1] + losses[2]


def test_parallel_of_tiny_losses_of_different_kinds_is_not_nothing() -> None:
    assert parallel([PureLoss(1e-170), PureLoss(1e-165)]) == PureLoss(1e-165)
    assert parallel([DiscreteLaplaceLoss(1e170, 1), PureLoss(1e-165)]) == PureLoss(1e-165)
    assert parallel([GaussianLoss(1e-170), ZcdpLoss(0.0)]).zcdp() > 0


def test_parallel_takes_the_largest_epsilons_and_the_largest_deltas() -> None:
    losses = [ApproximateLoss(1.0, 1e-9), ApproximateLoss(0.5, 1e-6), ApproximateLoss(0.1, 1e-12)]
    assert parallel(losses) == ApproximateLoss(1.0, 1e-6)
    assert parallel(losses, parts=2) == ApproximateLoss(1.0, 1e-6) + ApproximateLoss(0.5, 1e-9)
    for one in range(3):
        for two in range(one):
            for epsilon in (0.0, 0.3, 1.2):
                both = losses[one] + losses[two]
                assert both.delta(epsilon).low <= parallel(losses, parts=2).delta(epsilon).high


def test_parallel_of_samples_takes_the_largest_base_and_rate() -> None:
    losses = [SampledLoss(GaussianLoss(1.0), 0.1), SampledLoss(GaussianLoss(2.0), 0.01)]
    assert parallel(losses) == SampledLoss(GaussianLoss(2.0), 0.1)
    assert parallel(losses, parts=5) == SampledLoss(GaussianLoss(2.0), 0.1) * 2


def test_parallel_of_what_has_no_order_bounds_every_choice() -> None:
    losses: list[Loss] = [ApproximateLoss(1.0, 1e-6), GaussianLoss(1.0), GaussianLoss(0.5), ApproximateLoss(0.1, 1e-9)]
    assert parallel(losses) == ApproximateLoss(1.0, 1e-6) + GaussianLoss(1.0)
    for loss in losses:
        for epsilon in (0.0, 0.5, 2.0):
            assert loss.delta(epsilon).low <= parallel(losses).delta(epsilon).high


def test_parallel_refuses_nonsense() -> None:
    with pytest.raises(ParameterError, match="at least one loss"):
        parallel([])
    with pytest.raises(ParameterError, match=r"^parts must be"):
        parallel([PureLoss(1.0)], parts=0)
    with pytest.raises(ParameterError, match=r"^neighbours must be"):
        parallel([PureLoss(1.0)], neighbours="swap")


@pytest.mark.parametrize(
    ("epsilon", "count", "slack"), [(0.1, 100, 1e-6), (0.01, 10_000, 1e-9), (1.0, 1, 0.5), (0.3, 0, 0.1)]
)
def test_advanced_is_its_formula_with_the_minus(epsilon: float, count: int, slack: float) -> None:
    formula = math.sqrt(2 * count * math.log(1 / slack)) * epsilon + count * epsilon * (math.exp(epsilon) - 1)
    found = composition.compose_advanced(epsilon, 1e-12, count, slack)
    assert found.epsilon_ == pytest.approx(formula, rel=1e-12)
    assert found.delta_ == pytest.approx(count * 1e-12 + slack, rel=1e-12)


@given(st.floats(1e-3, 2), st.integers(1, 400), st.floats(1e-12, 0.1))
@settings(max_examples=60, deadline=None)
def test_advanced_never_beats_the_optimum(epsilon: float, count: int, slack: float) -> None:
    found = composition.compose_advanced(epsilon, 0.0, count, slack)
    assert laws.response_composed_delta(count, epsilon, found.epsilon_) <= ball(found.delta_)
    assert composition.compute_optimal_delta(epsilon, 0.0, count, float(found.epsilon_)) <= found.delta_


@pytest.mark.parametrize("count", [1, 2, 13, 1000, 1_000_000])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0, 3.0, 6.0])
def test_optimal_is_the_exact_binomial_sum_rounded_up(count: int, share: float) -> None:
    epsilon = 0.7 / math.sqrt(count)
    at = share * epsilon * math.sqrt(count)
    truth = laws.response_composed_delta(count, epsilon, at)
    found = composition.compute_optimal_delta(epsilon, 0.0, count, at)
    assert at_most(truth, found, slack=0)
    assert found == pytest.approx(float(truth), rel=1e-6, abs=1e-300)


@pytest.mark.parametrize("at", [0.0, 0.3, 1.0])
def test_optimal_with_deltas_tells_all_sometimes(at: float) -> None:
    truth = laws.product_delta([laws.response(0.4, Fraction(0.01))] * 4, at)
    found = composition.compute_optimal_delta(0.4, 0.01, 4, at)
    assert at_most(truth, found, slack=0)
    assert found == pytest.approx(float(truth), rel=1e-12)


def test_optimal_does_not_overflow_where_others_do() -> None:
    found = composition.compute_optimal_delta(0.1, 0.0, 1000, 20.0)
    assert 0 < found < 1
    assert at_most(laws.response_composed_delta(1000, 0.1, 20.0), found, slack=0)


def test_optimal_is_fast_at_a_million() -> None:
    begin = time.perf_counter()
    assert 0 < composition.compute_optimal_delta(1e-3, 0.0, 1_000_000, 4.0) < 1e-3
    assert time.perf_counter() - begin < 60


def test_optimal_at_the_ends() -> None:
    assert composition.compute_optimal_delta(0.5, 0.0, 0, 0.0) == 0
    assert composition.compute_optimal_delta(0.5, 0.0, 10, 5.0) == 0
    assert composition.compute_optimal_delta(50.0, 0.0, 10, 0.0) == pytest.approx(1)


@pytest.mark.parametrize(
    ("epsilon", "count", "at"), [(0.1, 100, 10.0), (0.1, 100, math.nextafter(10, 0)), (0.1, 30, 3.0)]
)
def test_optimal_just_below_the_sum_of_epsilons(epsilon: float, count: int, at: float) -> None:
    """Floats say that 100 times 0.1 is 10; it is a little more, and so is delta."""
    truth = laws.response_composed_delta(count, epsilon, at)
    assert truth > 0
    assert at_most(truth, composition.compute_optimal_delta(epsilon, 0.0, count, at), slack=0)


def test_optimal_rounds_its_epsilon_up() -> None:
    third = Fraction(1, 3)
    found = composition.compute_optimal_delta(third, 0.0, 1, 0.0)  # type: ignore[arg-type]
    assert at_most(laws.response_composed_delta(1, third, 0), found, slack=0)


def test_heterogeneous_optimum_is_bracketed() -> None:
    guarantees = [(0.3, 0.0), (0.7, 1e-3), (0.11, 0.0), (0.5, 1e-4)]
    found = composition.bracket_optimal_epsilon(guarantees, 0.01)
    factors = [laws.response(e, Fraction(d)) for e, d in guarantees]
    assert laws.product_delta(factors, found.high) <= ball(0.01)
    assert laws.product_delta(factors, max(0.0, found.low - 1e-9)) >= ball(0.01)
    assert found.high - found.low <= 1e-6


def test_heterogeneous_optimum_of_equals_is_the_homogeneous_one() -> None:
    found = composition.bracket_optimal_epsilon([(0.1, 0.0)] * 30, 1e-6).high
    assert composition.compute_optimal_delta(0.1, 0.0, 30, found) == pytest.approx(1e-6, rel=1e-6)


def test_zcdp_adds_rho_and_gaussians_add_squares() -> None:
    assert composition.add_zcdp([0.25, 0.5, 0.125]) == ZcdpLoss(0.875)
    assert composition.add_zcdp([]) == ZcdpLoss(0.0)
    assert composition.add_gaussians([3.0, 4.0]).mu == 5.0
    assert Fraction(composition.add_gaussians([0.1] * 3).mu) ** 2 >= Fraction(3, 100)
    assert composition.add_gaussians([Fraction(0.1)] * 3).zcdp() >= 3 * Fraction(0.1) ** 2 / 2


@pytest.mark.parametrize(("alpha", "divergence", "delta"), [(2.0, 0.5, 1e-5), (32.0, 1.0, 1e-9), (1.5, 0.01, 0.1)])
def test_renyi_converts_by_the_tight_formula(alpha: float, divergence: float, delta: float) -> None:
    formula = divergence + math.log((alpha - 1) / alpha) - (math.log(delta) + math.log(alpha)) / (alpha - 1)
    found = composition.convert_renyi(alpha, divergence, delta)
    assert found.epsilon_ == pytest.approx(max(0.0, formula), rel=1e-12)
    assert found.delta_ == delta


@pytest.mark.parametrize("alpha", [1.5, 4.0, 20.0])
def test_renyi_conversion_covers_the_gaussian(alpha: float) -> None:
    found = composition.convert_renyi(alpha, GaussianLoss(0.7).renyi(alpha), 1e-6)
    assert GaussianLoss(0.7).delta(found.epsilon_).high <= 1e-6


@pytest.mark.parametrize("rate", [1e-4, 0.1, 0.9, 1.0])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (2.0, 1e-6)])
def test_poisson_amplification_is_what_the_sampled_loss_has(rate: float, epsilon: float, delta: float) -> None:
    found = composition.amplify_by_poisson_sampling(epsilon, delta, rate)
    assert found.epsilon_ == pytest.approx(math.log1p(rate * math.expm1(epsilon)), rel=1e-12)
    assert found.delta_ == pytest.approx(rate * delta)
    base = ApproximateLoss(epsilon, delta) if delta else PureLoss(epsilon)
    assert SampledLoss(base, rate).delta(found.epsilon_).high <= found.delta_ * (1 + 1e-9) + 1e-15


def test_sampling_without_replacement_rounds_up() -> None:
    for taken, size in [(1, 3), (2, 3), (1, 10), (7, 11), (3, 3)]:
        found = composition.amplify_by_fixed_size_sampling(1.0, 1e-3, taken, size)
        share = Fraction(taken, size)
        assert at_most(
            exactly(lambda share=share: (1 + ball(share) * ball(1).expm1()).log())(), found.epsilon_, slack=0
        )
        assert Fraction(found.delta_) >= share * Fraction(1, 1000)
    with pytest.raises(ParameterError, match=r"^taken must be"):
        composition.amplify_by_fixed_size_sampling(1.0, 0.0, 4, 3)


def test_exponential_mechanisms_cost_less_than_their_epsilons_say() -> None:
    found = composition.bound_exponential_mechanisms(0.2, 50, 1e-9)
    assert found < (PureLoss(0.2) * 50).epsilon(1e-9).low
    assert composition.bound_exponential_mechanisms(0.2, 1, 1e-12) <= 0.2


def test_post_processing_costs_nothing() -> None:
    loss: Loss = GaussianLoss(1.0) + PureLoss(0.5)
    assert composition.post_process(loss) is loss


@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 0.3, 1.0, 20.0])
def test_total_variation_is_attained_by_randomized_response(epsilon: float) -> None:
    found = composition.bound_total_variation(epsilon)
    assert found == pytest.approx(math.tanh(epsilon / 2), rel=1e-15)
    assert found == pytest.approx(PureLoss(epsilon).delta(0).high, rel=1e-14)
    assert at_most(laws.hockey_stick(*laws.response(epsilon), 0), found, slack=0)


def test_total_variation_alone_is_refused_as_a_guarantee() -> None:
    with pytest.raises(DiscreetError, match="not a privacy guarantee"):
        composition.refuse_total_variation(1e-6)
    assert "Name and shame" in str(composition.refuse_total_variation.__doc__)


BAD = [-1.0, math.nan, math.inf, "1", None]


@pytest.mark.parametrize("value", BAD)
def test_senseless_epsilons_are_refused(value: float) -> None:
    for call in (
        lambda: composition.compose_basic([(value, 0.0)]),
        lambda: composition.compose_advanced(value, 0.0, 3, 0.1),
        lambda: composition.compute_optimal_delta(value, 0.0, 3, 0.1),
        lambda: composition.amplify_by_poisson_sampling(value, 0.0, 0.5),
        lambda: composition.bound_total_variation(value),
        lambda: composition.bracket_optimal_epsilon([(value, 0.0)], 0.1),
    ):
        with pytest.raises(ParameterError, match=r"^epsilon must be"):
            call()


@pytest.mark.parametrize("value", [-1, 1.5, 2.0, math.nan, "3", None, True])
def test_counts_that_are_no_counts_are_refused(value: int) -> None:
    with pytest.raises(ParameterError, match=r"^count must be"):
        composition.compose_advanced(0.1, 0.0, value, 0.1)
    with pytest.raises(ParameterError, match=r"^count must be"):
        composition.compute_optimal_delta(0.1, 0.0, value, 0.1)
    with pytest.raises(ParameterError, match=r"^count must be"):
        composition.bound_exponential_mechanisms(0.1, value, 0.1)
    with pytest.raises(ParameterError, match=r"^count must be"):
        PureLoss(0.1) * value


@pytest.mark.parametrize("delta", [-0.1, 1.0, math.nan])
def test_deltas_outside_zero_to_one_are_refused(delta: float) -> None:
    with pytest.raises(ParameterError, match=r"^delta must be"):
        composition.compose_basic([(1.0, delta)])
    with pytest.raises(ParameterError, match=r"^delta must be"):
        composition.compute_optimal_delta(1.0, delta, 3, 0.1)
    with pytest.raises(ParameterError, match=r"^delta must be"):
        composition.convert_renyi(2.0, 0.5, delta)
