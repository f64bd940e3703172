"""Composition as one loss: the same in any order, never less for more, and the least of all bounds that apply."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce
from operator import add

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import DiscreetError, ParameterError
from discreet.privacy import (
    ApproximateLoss,
    BoundedRangeLoss,
    Certified,
    ComposedLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PureLoss,
    RandomizedResponseLoss,
    SampledLoss,
    ShuffledLoss,
    ZcdpLoss,
)
from support import laws
from support.laws import Law, at_most

MENU: list[Loss] = [
    PureLoss(0.2),
    PureLoss(0.71),
    ApproximateLoss(0.3, 1e-4),
    BoundedRangeLoss(0.6),
    GaussianLoss(0.5),
    LaplaceLoss(0.4),
    DiscreteLaplaceLoss(4.0, 2),
    DiscreteGaussianLoss(3.0, 1),
    RandomizedResponseLoss(0.3, 3),
    SampledLoss(GaussianLoss(1.0), 0.1),
    SampledLoss(PureLoss(1.0), 0.2),
    ShuffledLoss(1.0, 40),
    ZcdpLoss(0.05),
]
WITH_PAIRS = [loss for loss in MENU if loss.list_pairs() is not None]
one_loss = st.sampled_from(MENU)
with_pair = st.sampled_from(WITH_PAIRS)
quick = settings(max_examples=25, deadline=None)


@given(one_loss, st.integers(1, 12))
@quick
def test_times_k_is_k_fold_plus(loss: Loss, count: int) -> None:
    assert loss * count == reduce(add, [loss] * count)
    assert count * loss == loss * count


@given(st.lists(one_loss, min_size=2, max_size=6))
@quick
def test_order_does_not_matter(losses: list[Loss]) -> None:
    turned = losses[::-1]
    total = reduce(add, losses)
    assert total == reduce(add, turned)
    assert hash(total) == hash(reduce(add, turned))
    assert total.to_json() == reduce(add, turned).to_json()


@given(one_loss, one_loss, one_loss)
@quick
def test_brackets_do_not_matter(a: Loss, b: Loss, c: Loss) -> None:
    assert (a + b) + c == a + (b + c)
    assert (a + b) * 3 == a * 3 + b * 3


@given(with_pair, with_pair, st.sampled_from([1e-9, 1e-5, 1e-3, 0.1]))
@quick
def test_more_is_never_less(one: Loss, more: Loss, delta: float) -> None:
    """The truth grows with every loss added, so the upper bound of more is at least the lower bound of less."""
    assert (one + more).epsilon(delta).high >= one.epsilon(delta).low
    assert (one * 3).epsilon(delta).high >= (one * 2).epsilon(delta).low


@given(with_pair, with_pair, st.sampled_from([0.0, 0.1, 0.5, 1.5, 4.0]))
@quick
def test_more_never_has_less_delta(one: Loss, more: Loss, epsilon: float) -> None:
    assert (one + more).delta(epsilon).high >= one.delta(epsilon).low


@given(st.lists(one_loss, min_size=1, max_size=4), st.integers(1, 5), st.sampled_from([1e-12, 1e-6, 0.01, 0.4]))
@quick
def test_the_upper_bound_is_the_least_of_all_that_apply(losses: list[Loss], count: int, delta: float) -> None:
    total = reduce(add, losses) * count
    found = total.epsilon(delta)
    assert 0 <= found.low <= found.high
    assert found.high <= total.pure
    rho = total.zcdp()
    assert found.high <= (ZcdpLoss(rho).epsilon(delta).high if math.isfinite(rho) else math.inf)


@given(st.lists(one_loss, min_size=1, max_size=3), st.sampled_from([0.0, 0.2, 1.0, 6.0]))
@quick
def test_delta_is_a_bracket_of_probabilities(losses: list[Loss], epsilon: float) -> None:
    found = (reduce(add, losses) * 2).delta(epsilon)
    assert 0 <= found.low <= found.high <= 1


@pytest.mark.slow
@given(st.lists(with_pair, min_size=1, max_size=3), st.sampled_from([1e-10, 1e-5, 0.01]))
@quick
def test_epsilon_and_delta_agree(losses: list[Loss], delta: float) -> None:
    total = reduce(add, losses) * 3
    found = total.epsilon(delta)
    if 0 < found.high < math.inf:
        assert total.delta(found.high).low <= delta * (1 + 1e-9)
    if 0 < found.low < math.inf:
        assert total.delta(found.low).high >= delta * (1 - 1e-9)


@given(one_loss)
@quick
def test_nothing_added_changes_nothing(loss: Loss) -> None:
    for nothing in (PureLoss(0), GaussianLoss(0), ZcdpLoss(0), BoundedRangeLoss(0), RandomizedResponseLoss(0.5)):
        assert loss + nothing == loss
        assert nothing + loss == loss
    assert loss * 1 == loss
    assert loss + loss * 0 == loss
    assert (loss * 0).epsilon(0) == Certified(0.0, 0.0)


@given(st.lists(one_loss, min_size=1, max_size=5), st.integers(1, 1000))
@quick
def test_json_brings_the_same_composition_back(losses: list[Loss], count: int) -> None:
    total = reduce(add, losses) * count
    assert Loss.from_json(total.to_json()) == total
    assert hash(Loss.from_json(total.to_json())) == hash(total)


@pytest.mark.parametrize(
    "text",
    [
        '{"kind": "composed", "version": 1, "parts": [[{"kind": "pure", "version": 1, "epsilon": 1.0}, 0]]}',
        '{"kind": "composed", "version": 1, "parts": [[{"kind": "pure", "version": 1, "epsilon": 1.0}, 1.5]]}',
        '{"kind": "composed", "version": 1, "parts": [[{"kind": "pure", "version": 1, "epsilon": 1.0}, -2]]}',
        '{"kind": "composed", "version": 1, "parts": [{"kind": "pure", "version": 1, "epsilon": 1.0}]}',
        '{"kind": "composed", "version": 1, "parts": 3}',
        '{"kind": "composed", "version": 1}',
        '{"kind": "composed", "version": 1, "parts": [], "more": 1}',
        '{"kind": "composed", "version": 1, "parts": [[{"kind": "oracle", "version": 1}, 2]]}',
        '{"kind": "composed", "version": 1, "weights": [[{"kind": "pure", "version": 1, "epsilon": 1.0}, 2]]}',
    ],
)
def test_json_of_no_composition_is_refused(text: str) -> None:
    with pytest.raises(DiscreetError):
        Loss.from_json(text)


@given(st.lists(one_loss, min_size=1, max_size=5), st.integers(1, 9))
@quick
def test_pure_zcdp_and_renyi_are_sums_rounded_up(losses: list[Loss], count: int) -> None:
    total = reduce(add, losses) * count
    for found, each in (
        (total.pure, [loss.pure for loss in losses]),
        (total.zcdp(), [loss.zcdp() for loss in losses]),
        (total.renyi(3.5), [loss.renyi(3.5) for loss in losses]),
    ):
        if any(math.isinf(value) for value in each):
            assert math.isinf(found)
        else:
            exact = count * sum(map(Fraction, each), Fraction(0))
            assert exact <= Fraction(found) <= exact * (1 + Fraction(1, 10**15))


def test_gaussians_alone_have_a_closed_form() -> None:
    assert (GaussianLoss(3.0) + GaussianLoss(4.0)).epsilon(1e-6) == GaussianLoss(5.0).epsilon(1e-6)
    assert (ZcdpLoss(0.25) * 4).delta(2.0) == ZcdpLoss(1.0).delta(2.0)


def test_no_epsilon_goes_with_delta_zero_where_a_gaussian_is_in() -> None:
    assert (GaussianLoss(0.1) + PureLoss(0.1)).epsilon(0) == Certified(math.inf, math.inf)
    assert (PureLoss(0.25) * 3).epsilon(0).high == 0.75


@pytest.mark.parametrize(("scale", "count"), [(3.0, 7), (0.1, 3), (7.0, 10_001), (0.3, 999_983)])
def test_epsilon_at_delta_zero_brackets_the_exact_sum(scale: float, count: int) -> None:
    found, exact = (DiscreteLaplaceLoss(scale, 1) * count).epsilon(0), count / Fraction(scale)
    assert Fraction(found.low) <= exact <= Fraction(found.high)


@pytest.mark.parametrize("delta", [-0.1, 1.0, math.nan, "0"])
def test_a_senseless_delta_is_refused(delta: float) -> None:
    with pytest.raises(ParameterError, match=r"^delta must be"):
        (PureLoss(0.1) + LaplaceLoss(0.2)).epsilon(delta)


def test_groups_and_replace_are_taken_part_by_part() -> None:
    total = GaussianLoss(0.5) * 2 + LaplaceLoss(0.25) + DiscreteLaplaceLoss(2.0, 1)
    assert total.group(3) == GaussianLoss(1.5) * 2 + LaplaceLoss(0.75) + DiscreteLaplaceLoss(2.0, 3)
    assert total.replace() == total.group(2)
    assert total.group(1) == total
    with pytest.raises(DiscreetError, match="no group privacy"):
        (SampledLoss(GaussianLoss(1.0), 0.1) * 2).group(2)


def test_only_losses_are_added() -> None:
    with pytest.raises(TypeError):
        PureLoss(1.0) + 1.0  # type: ignore[operator]


def test_repr_tells_parts_and_counts() -> None:
    assert repr(PureLoss(0.5) * 3 + GaussianLoss(1.0)) == "GaussianLoss(mu=1.0) + PureLoss(epsilon=0.5) * 3"
    assert isinstance(PureLoss(0.5) * 3, ComposedLoss)


def _best_two_valued(top: float, epsilon: float) -> float:
    """Return the largest delta of two bounded-range releases with two-valued losses, over a fine grid of both."""

    def law(turn: float) -> tuple[Law, Law]:
        rise, fall = laws.ball(turn).exp(), (laws.ball(turn) - laws.ball(top)).exp()
        q = (1 - fall) / (rise - fall)
        return [rise * q, 1 - rise * q], [q, 1 - q]

    turns = [law(top * step / 24) for step in range(25)]
    return max(float(laws.product_delta([a, b], epsilon)) for a in turns for b in turns)


@pytest.mark.parametrize("loss", [BoundedRangeLoss(1.0), SampledLoss(BoundedRangeLoss(1.0), 1.0)], ids=repr)
@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_the_lower_bound_of_bounded_ranges_is_attained(loss: Loss, epsilon: float) -> None:
    best = _best_two_valued(1.0, epsilon)
    found = (loss * 2).delta(epsilon)
    assert found.low <= best * 1.01
    assert found.high >= best


def test_huge_losses_get_an_upper_bound_and_no_nonsense() -> None:
    for loss in (LaplaceLoss(800.0), BoundedRangeLoss(800.0), DiscreteLaplaceLoss(0.01, 9), PureLoss(900.0)):
        found = (loss * 2).epsilon(1e-9)
        assert found.low <= found.high <= 2 * loss.pure
        assert found.high >= loss.epsilon(1e-9).low
    mixed = (GaussianLoss(40.0) + LaplaceLoss(1.0)).epsilon(1e-9)
    assert GaussianLoss(40.0).epsilon(1e-9).low <= mixed.high <= GaussianLoss(40.0).epsilon(1e-9).high + 1.001


def test_nearly_even_answers_compose() -> None:
    found = (RandomizedResponseLoss(9 / 10, 10) * 30_000).epsilon(1e-5)
    assert found.high <= 1e-6


def test_a_tiny_pure_loss_many_times_is_not_lost() -> None:
    total = PureLoss(4e-14) * 2000
    assert at_most(laws.response_composed_delta(2000, 4e-14, 0), total.delta(0).high)


def test_a_bound_exists_beside_a_loss_without_a_pair() -> None:
    total = ZcdpLoss(0.1) + ApproximateLoss(0.5, 1e-9)
    assert total.epsilon(1e-6).high < 10
