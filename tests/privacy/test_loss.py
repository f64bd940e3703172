"""What every loss can do, whatever its kind."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import DiscreetError, ParameterError
from discreet.privacy import (
    ApproximateLoss,
    BoundedRangeLoss,
    Certified,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PureLoss,
    RandomizedResponseLoss,
    ShuffledLoss,
    ZcdpLoss,
)

EVERY_KIND: list[Loss] = [
    PureLoss(0.7),
    ApproximateLoss(0.5, 1e-6),
    ZcdpLoss(0.3),
    BoundedRangeLoss(1.3),
    GaussianLoss(0.8),
    LaplaceLoss(1.1),
    DiscreteLaplaceLoss(scale=2.5, sensitivity=3),
    DiscreteGaussianLoss(sigma=2.0, sensitivity=2),
    DiscreteGaussianLoss(sigma=33.0, sensitivity=7),
    RandomizedResponseLoss(lie=0.2, categories=4),
    ShuffledLoss(0.6, 3),
]
PURE_KINDS = [loss for loss in EVERY_KIND if math.isfinite(loss.pure)]
each_kind = pytest.mark.parametrize("loss", EVERY_KIND, ids=repr)


@each_kind
def test_json_brings_the_same_loss_back(loss: Loss) -> None:
    assert Loss.from_json(loss.to_json()) == loss


@each_kind
def test_json_names_kind_and_version(loss: Loss) -> None:
    written = json.loads(loss.to_json())
    assert written["kind"] == loss.kind
    assert written["version"] == 1


def test_every_kind_has_its_own_name() -> None:
    assert {loss.kind for loss in EVERY_KIND} == {
        "approximate",
        "bounded-range",
        "discrete-gaussian",
        "discrete-laplace",
        "gaussian",
        "laplace",
        "pure",
        "randomized-response",
        "shuffled",
        "zcdp",
    }


@pytest.mark.parametrize(
    "text",
    [
        '{"kind": "oracle", "version": 1, "epsilon": 1.0}',
        '{"kind": "pure", "version": 2, "epsilon": 1.0}',
        '{"kind": "pure", "epsilon": 1.0}',
        '{"version": 1, "epsilon": 1.0}',
        '{"kind": "pure", "version": 1}',
        '{"kind": "pure", "version": 1, "epsilon": 1.0, "delta": 0.1}',
        '{"kind": "pure", "version": 1, "epsilon": -1.0}',
        '{"kind": "pure", "version": 1, "epsilon": NaN}',
        '{"kind": "pure", "version": 1, "epsilon": Infinity}',
        '{"kind": "pure", "version": 1, "epsilon": "1"}',
        '{"kind": ["pure"], "version": 1, "epsilon": 1.0}',
        '["pure", 1]',
        '"pure"',
        "null",
        "not json",
        "",
    ],
)
def test_json_of_anything_else_is_refused_never_guessed(text: str) -> None:
    with pytest.raises(DiscreetError, match="known kind and version"):
        Loss.from_json(text)


@each_kind
def test_a_loss_is_frozen(loss: Loss) -> None:
    name = next(iter(vars(loss)))
    with pytest.raises(FrozenInstanceError):
        setattr(loss, name, 0.0)


@each_kind
def test_equal_losses_hash_alike(loss: Loss) -> None:
    assert len({loss, Loss.from_json(loss.to_json())}) == 1


def test_losses_of_different_kinds_are_never_equal() -> None:
    assert len({PureLoss(1.0), BoundedRangeLoss(1.0), LaplaceLoss(1.0)}) == 3


def test_repr_is_how_it_is_written() -> None:
    assert repr(PureLoss(0.5)) == "PureLoss(epsilon=0.5)"
    assert repr(ApproximateLoss(0.5, 1e-6)) == "ApproximateLoss(epsilon=0.5, delta=1e-06)"
    assert repr(DiscreteLaplaceLoss(2.5, 3)) == "DiscreteLaplaceLoss(scale=2.5, sensitivity=3)"


@each_kind
@given(st.floats(0, 60), st.floats(0, 60))
@settings(max_examples=25, deadline=None)
def test_delta_falls_with_epsilon(loss: Loss, one: float, other: float) -> None:
    near, far = sorted((one, other))
    assert loss.delta(far).low <= loss.delta(near).high
    assert loss.delta(far).high <= loss.delta(near).high * (1 + 1e-12)


@each_kind
@given(st.floats(0, 60))
@settings(max_examples=25, deadline=None)
def test_delta_is_a_bracket_of_probabilities(loss: Loss, epsilon: float) -> None:
    found = loss.delta(epsilon)
    assert 0 <= found.low <= found.high <= 1


@pytest.mark.many
@each_kind
@given(st.floats(1e-15, 0.9))
@settings(max_examples=15, deadline=None)
def test_epsilon_and_delta_undo_each_other(loss: Loss, delta: float) -> None:
    found = loss.epsilon(delta)
    assert 0 <= found.low <= found.high
    if math.isfinite(found.high):
        assert loss.delta(found.high).high <= delta
    if 0 < found.low < math.inf:
        assert loss.delta(found.low * (1 - 1e-12)).high >= delta


@pytest.mark.many
@each_kind
def test_a_bigger_delta_never_costs_more_epsilon(loss: Loss) -> None:
    highs = [loss.epsilon(delta).high for delta in (1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.5)]
    assert highs == sorted(highs, reverse=True)


@each_kind
def test_epsilon_at_delta_zero_is_the_pure_epsilon(loss: Loss) -> None:
    assert loss.epsilon(0).high == loss.pure


@pytest.mark.parametrize("loss", PURE_KINDS, ids=repr)
def test_delta_is_zero_from_the_pure_epsilon_on(loss: Loss) -> None:
    assert loss.delta(loss.pure) == Certified(0.0, 0.0)
    assert loss.delta(2 * loss.pure) == Certified(0.0, 0.0)
    assert loss.delta(loss.pure * (1 - 1e-9)).low > 0


@pytest.mark.parametrize("loss", PURE_KINDS, ids=repr)
def test_a_small_delta_approaches_the_pure_epsilon_from_below(loss: Loss) -> None:
    found = loss.epsilon(1e-12)
    assert found.high <= loss.pure
    assert found.low >= loss.pure * (1 - 1e-5)


@pytest.mark.parametrize("loss", [GaussianLoss(0.01), DiscreteGaussianLoss(50.0, 1), ZcdpLoss(1e-6)], ids=repr)
def test_gaussian_noise_has_no_pure_epsilon(loss: Loss) -> None:
    assert loss.pure == math.inf
    assert loss.epsilon(0) == Certified(math.inf, math.inf)


@pytest.mark.parametrize("loss", [GaussianLoss(1.0), RandomizedResponseLoss(0.3), ZcdpLoss(0.5)], ids=repr)
@pytest.mark.parametrize("epsilon", [1e20, 1e100, 1e300])
def test_no_epsilon_is_so_large_that_delta_grows_back(loss: Loss, epsilon: float) -> None:
    assert loss.delta(epsilon).high <= 1e-300


@each_kind
@pytest.mark.parametrize("epsilon", [-1e-9, math.nan, math.inf, -math.inf, "1", None, True])
def test_delta_of_a_senseless_epsilon_is_refused(loss: Loss, epsilon: float) -> None:
    with pytest.raises(ParameterError, match=r"^epsilon must be"):
        loss.delta(epsilon)


@each_kind
@pytest.mark.parametrize("delta", [-1e-9, 1.0, 2, math.nan, math.inf, "0", None, False])
def test_epsilon_of_a_senseless_delta_is_refused(loss: Loss, delta: float) -> None:
    with pytest.raises(ParameterError, match=r"^delta must be"):
        loss.epsilon(delta)


def test_exact_fractions_are_answered_too() -> None:
    third = PureLoss(1.0).delta(Fraction(1, 3))
    assert third.low <= third.high <= PureLoss(1.0).delta(0.333).high


@pytest.mark.parametrize(
    "loss", [GaussianLoss(1.0), GaussianLoss(0.5) * 4, ZcdpLoss(0.5), GaussianLoss(1.0) + PureLoss(0.1)], ids=repr
)
def test_a_delta_below_every_float_is_not_zero(loss: Loss) -> None:
    """delta(60) of a Gaussian with mu = 1 is about 1e-770, so epsilon at 1e-400 is finite."""
    found = loss.epsilon(Fraction(1, 10**400))
    assert found.low < 60 < found.high
    assert loss.epsilon(0).low == math.inf


def test_a_pure_loss_at_a_delta_below_every_float() -> None:
    found = PureLoss(1.0).epsilon(Fraction(1, 10**400))
    assert 1 - 1e-12 <= found.low < found.high == 1
    assert (PureLoss(1.0) * 3).epsilon(Fraction(1, 10**400)).high == 3
