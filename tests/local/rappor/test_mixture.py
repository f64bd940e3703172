"""Mixtures: the likeliest frequencies, and how far from them the search ends."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.local.rappor.mixture import find_covariance, fit_mixture


def draw(seed: int, people: int = 4000) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return likelihoods of noisy answers about two variables, of three and two values, and their joint law."""
    generator = np.random.default_rng(seed)
    joint = np.array([[0.3, 0.05], [0.1, 0.25], [0.0, 0.3]])
    values = generator.choice(6, people, p=joint.reshape(-1))
    first, second = values // 2, values % 2
    told = np.where(generator.random(people) < 0.6, first, generator.integers(0, 3, people))
    other = np.where(generator.random(people) < 0.6, second, generator.integers(0, 2, people))
    left = np.full((people, 3), 0.4 / 3) + 0.6 * np.eye(3)[told]
    right = np.full((people, 2), 0.2) + 0.6 * np.eye(2)[other]
    return left, right, joint


def test_the_joint_law_is_found_and_its_errors_are_those_of_repeated_draws() -> None:
    fits = [fit_mixture(*draw(seed)[:2]).frequencies for seed in range(30)]
    joint = draw(0)[2]
    left, right, _ = draw(0)
    errors = np.sqrt(np.diag(find_covariance(left, right, fits[0]))).reshape(3, 2)
    assert np.mean(fits, axis=0) == pytest.approx(joint, abs=0.012)
    inside = joint > 0.02
    assert np.std(fits, axis=0)[inside] == pytest.approx(errors[inside], rel=0.5)


def test_the_search_ends_where_no_direction_gains_anything() -> None:
    left, right, _ = draw(1)
    fit = fit_mixture(left, right)
    assert fit.missing <= 0.01
    assert fit.frequencies.sum() == pytest.approx(1)
    for cell in range(6):
        towards = 0.999 * fit.frequencies + 0.001 * np.eye(6)[cell].reshape(3, 2)
        value = np.log(((left @ towards) * right).sum(axis=1)).sum()
        assert value <= fit.log_likelihood + fit.missing


def test_a_single_variable_is_a_mixture_with_one_other_cause() -> None:
    left, _, joint = draw(2, 20_000)
    fit = fit_mixture(left, np.ones((20_000, 1)))
    assert fit.frequencies[:, 0] == pytest.approx(joint.sum(axis=1), abs=0.03)
