"""Pairs of shuffled reports: their curves are those of listed histograms, and joining points errs on the safe side."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from discreet.privacy.accountant import shuffled_pairs
from discreet.privacy.accountant.atom_curve import AtomCurve
from discreet.privacy.accountant.pairs import DominatingPair
from discreet.privacy.accountant.shuffled_pairs import make_binary, make_shuffled, make_ternary
from support.shuffling import find_stick, respond, shuffle

EPSILONS = (0.0, 0.05, 0.3, 0.8)
each_size = pytest.mark.parametrize("count", [1, 2, 3, 6])


def growth_of(epsilon: float) -> Fraction:
    return Fraction(math.expm1(epsilon))


def clone(share: float) -> list[float]:
    """Return the report of one of the others: either side of a coin, or something that tells nothing."""
    return [share / 2, share / 2, 1 - share]


@each_size
@pytest.mark.parametrize(("epsilon", "share"), [(1.0, 2 / (math.e + 1)), (1.0, 1 / math.e), (3.0, 0.05)])
def test_the_pair_is_one_person_among_clones(count: int, epsilon: float, share: float) -> None:
    others = [clone(share)] * (count - 1)
    first, second = respond(epsilon, 2)
    before, after = shuffle([[*first, 0.0], *others]), shuffle([[*second, 0.0], *others])
    curve = AtomCurve(make_shuffled(growth_of(epsilon), count, Fraction(share)))
    for each in EPSILONS:
        assert curve.bracket(each).high == pytest.approx(find_stick(before, after, each), rel=1e-9, abs=1e-15)


@each_size
@pytest.mark.parametrize("epsilon", [0.4, 1.0, 3.0])
def test_ternary_response_has_its_own_curve(count: int, epsilon: float) -> None:
    rows = respond(epsilon, 3)
    before, after = (shuffle([rows[value], *[rows[2]] * (count - 1)]) for value in (0, 1))
    curve = AtomCurve(make_ternary(growth_of(epsilon), count))
    for each in EPSILONS:
        assert curve.bracket(each).low == pytest.approx(find_stick(before, after, each), rel=1e-9, abs=1e-15)


@each_size
@pytest.mark.parametrize("epsilon", [0.4, 0.9, 3.0])
def test_binary_response_has_its_own_curve(count: int, epsilon: float) -> None:
    rows = respond(epsilon, 2)
    before, after = (shuffle([rows[value], *[rows[1]] * (count - 1)]) for value in (1, 0))
    curve = AtomCurve(make_binary(growth_of(epsilon), count))
    for each in EPSILONS:
        assert curve.bracket(each).low == pytest.approx(find_stick(before, after, each), rel=1e-9, abs=1e-15)


def make_fresh(monkeypatch: pytest.MonkeyPatch, fine: int, make: Callable[[], DominatingPair]) -> AtomCurve:
    monkeypatch.setattr(shuffled_pairs, "BLOCKS", fine)
    monkeypatch.setattr(shuffled_pairs, "FEWEST", min(fine, 16))
    monkeypatch.setattr(shuffled_pairs, "POINTS", fine)
    return AtomCurve(make())


@pytest.mark.many
@pytest.mark.parametrize("epsilon", [0.02, 0.05, 0.1])
def test_joined_points_only_raise_the_upper_curve(monkeypatch: pytest.MonkeyPatch, epsilon: float) -> None:
    make = lambda: make_shuffled.__wrapped__(growth_of(1.0), 2000, Fraction(1, 2))  # noqa: E731
    exact = make_fresh(monkeypatch, 10**6, make).bracket(epsilon)
    for fine in (4, 8, 32):
        coarse = make_fresh(monkeypatch, fine, make).bracket(epsilon)
        assert exact.high <= coarse.high
    assert coarse.high == pytest.approx(exact.high, rel=0.2)


@pytest.mark.many
@pytest.mark.parametrize("epsilon", [0.02, 0.05, 0.1])
@pytest.mark.parametrize("make", [make_ternary, make_binary])
def test_joined_points_only_lower_the_lower_curve(
    monkeypatch: pytest.MonkeyPatch, make: Callable[..., DominatingPair], epsilon: float
) -> None:
    fresh = lambda: make.__wrapped__(growth_of(1.0), 2000)  # type: ignore[attr-defined]  # noqa: E731
    exact = make_fresh(monkeypatch, 10**6, fresh).bracket(epsilon)
    for fine in (4, 8, 32):
        coarse = make_fresh(monkeypatch, fine, fresh).bracket(epsilon)
        assert coarse.low <= exact.low * (1 + 1e-8)
    assert coarse.low == pytest.approx(exact.low, rel=0.2)


@pytest.mark.parametrize("count", [100, 10**4, 10**6])
def test_all_mass_is_there_and_no_loss_exceeds_the_randomisers(count: int) -> None:
    for pair in (make_shuffled(growth_of(1.0), count, Fraction(1, 2)), make_ternary(growth_of(1.0), count)):
        assert float(pair.masses.sum()) == pytest.approx(1, rel=1e-12)
        assert float(pair.atoms.max()) <= 1 + 1e-15
        assert float((pair.masses * math.e**-pair.atoms).sum()) == pytest.approx(1, rel=1e-12)
