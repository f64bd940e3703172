"""The promise of online weights: its numbers, and that no update gains less than the theorem says."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.families import Domain, Parities, Ranges
from discreet.families.family import Family
from discreet.mechanisms import Laplace
from discreet.synthetic.online_weights import Hypothesis
from discreet.synthetic.weights_design import design_weights


def test_the_noises_keep_within_the_margins_of_the_theorem() -> None:
    for questions, updates, beta in ((10, None, 0.1), (34_425, None, 0.001), (1000, 7, 1e-6)):
        made = design_weights(128, 100_000, questions, 0.05, beta, updates=updates)
        margin = made.error - made.threshold
        threshold = Laplace(made.watch.threshold_scale).interval(1 - beta / 3, made.updates)
        question = Laplace(made.watch.question_scale).interval(1 - beta / 3, questions)
        assert threshold + question <= margin
        assert margin - 3 <= threshold + question
        assert made.noise.interval(1 - beta / 3, made.updates) < made.threshold - margin
        assert (made.error, margin) == (5000, 1250)
        assert made.watch.cutoff == 1


def test_the_updates_are_those_of_the_theorem() -> None:
    """ln(2 |X|) s^2 R^2 / (2 g^2), which at g = alpha R / 2 is 2 ln(2 |X|) s^2 / alpha^2."""
    made = design_weights(128, 100_000, 100, 0.05, 0.001)
    assert made.updates == math.floor(math.log(256) * 1e10 / (2 * 2499.5**2)) + 1 == 4438
    assert made.step == pytest.approx(4 * 2499.5 / 100_000)
    signed = design_weights(128, 100_000, 100, 0.05, 0.001, signed=True)
    assert signed.updates == pytest.approx(4 * made.updates, rel=1e-3)
    assert signed.step == pytest.approx(made.step / 4)


def test_the_charge_is_a_watch_and_a_measurement_for_each_update() -> None:
    made = design_weights(8, 10_000, 50, 0.1, 0.01, reach=3, updates=5)
    watch = Fraction(3) / Fraction(made.watch.threshold_scale) + Fraction(6) / Fraction(made.watch.question_scale)
    count = Fraction(3) / Fraction(made.noise.scale)
    assert 0 <= made.charge.epsilon - 5 * (watch + count) <= Fraction(1, 10**15)
    assert float(made.charge.rho) == pytest.approx(5 * float(watch**2 + count**2) / 2)
    assert made.charge.delta == 0
    twice = design_weights(8, 20_000, 50, 0.1, 0.01, reach=3, updates=5)
    assert float(twice.charge.epsilon) == pytest.approx(float(made.charge.epsilon) / 2, rel=0.02)


BITS, LINE = Domain((2, 2, 2)), Domain((8,))
FAMILIES: list[tuple[Family, float]] = [(Parities.up_to(BITS, 3), 2.0), (Ranges.every(LINE, 0), 1.0)]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(FAMILIES),
    st.lists(st.integers(0, 50), min_size=8, max_size=8),
    st.lists(st.tuples(st.integers(0, 100), st.booleans()), max_size=6),
    st.integers(0, 100),
)
def test_theorem_an_update_gains_what_is_promised(
    made: tuple[Family, float], counts: list[int], before: list[tuple[int, bool]], group: int
) -> None:
    """Whatever the truth and the hypothesis: where a question is off by g rows, KL falls by 2 g^2 / (s R)^2."""
    family, spread = made
    rows, truth = 500, np.array(counts, dtype=np.int64)
    absent = (rows - truth.sum()) / rows
    hypothesis = Hypothesis(family.domain, rows)
    for place, up in before:
        hypothesis.update(family, place % family.groups, 0.3 if up else -0.3)
    group %= family.groups

    def find_kl() -> float:
        shares = np.append(truth / rows, absent)
        weights = np.append(hypothesis.table.ravel(), hypothesis.absent)
        kept = shares > 0
        return float((shares[kept] * np.log(shares[kept] / weights[kept])).sum())

    table = truth.reshape(family.domain.sizes).sum(
        axis=tuple(place for place in family.domain.columns if place not in family.find_columns(group))
    )
    exact, estimate = int(family.answer(group, np.asarray(table))[0]), hypothesis.estimate(family, group)
    gap = abs(exact - estimate) - 0.5
    if gap <= 0:
        return
    start, step = find_kl(), 4 * gap / (rows * spread**2)
    hypothesis.update(family, group, step if exact > estimate else -step)
    assert hypothesis.table.sum() + hypothesis.absent == pytest.approx(1)
    assert start - find_kl() >= 2 * gap**2 / (spread * rows) ** 2 - 1e-12


def test_the_first_hypothesis_is_never_farther_than_the_theorem_starts_from() -> None:
    hypothesis = Hypothesis(Domain((4, 5)), 100)
    assert hypothesis.absent == 0.5
    assert -math.log(float(hypothesis.table.min())) == pytest.approx(math.log(2 * 20))


@pytest.mark.many
@pytest.mark.parametrize(
    "wrong",
    [
        {"alpha": 0.0},
        {"alpha": 1.0},
        {"alpha": 0.001},
        {"beta": 0.0},
        {"beta": 1.0},
        {"questions": 0},
        {"rows": 0},
        {"updates": 0},
        {"reach": 0},
    ],
)
def test_what_cannot_be_promised_is_refused(wrong: dict[str, float]) -> None:
    given = {"cells": 8, "rows": 10_000, "questions": 10, "alpha": 0.1, "beta": 0.01} | wrong
    with pytest.raises(ParameterError):
        design_weights(**given)  # type: ignore[arg-type]
