"""How far a table is from the truth: what the goals of synthetic tables are stated in."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product

import numpy as np

from synthetic_data import Numbers, Rows
from synthetic_mwem import Questions, transform

WAYS = 3


def find_squared(questions: Questions, truth: Numbers, found: Numbers) -> float:
    """Return the mean squared error of the answers, in rows squared."""
    return float(np.mean(questions.answer(found - truth) ** 2))


def find_divergence(truth: Numbers, found: Numbers) -> float:
    """Return KL(truth || found) over all cells in nats; infinite where a taken cell is given nothing."""
    shares, guesses = truth / truth.sum(), found / found.sum()
    taken = shares > 0
    with np.errstate(divide="ignore"):
        return float(np.sum(shares[taken] * (np.log(shares[taken]) - np.log(guesses[taken]))))


def list_variations(truth: Numbers, found: Numbers, ways: int = WAYS) -> list[Numbers]:
    """Return the total variation of every marginal of tables of bits: of one column each, then of two, and so on.

    A marginal of k bits is the inverse transform of the 2^k numbers of the whole table's transform at its bits.
    """
    spectrum = transform(found / found.sum() - truth / truth.sum()).ravel()
    bits = truth.ndim
    variations = []
    for way in range(1, min(ways, bits) + 1):
        chosen = np.array(list(combinations(range(bits), way)))
        corners = np.array(list(product((0, 1), repeat=way)))
        masks = (1 << (bits - 1 - chosen)) @ corners.T
        signs = (-1.0) ** (corners @ corners.T)
        variations.append(np.abs(spectrum[masks] @ signs).sum(axis=1) / 2**way / 2)
    return variations


def find_variations(truth: Numbers, found: Numbers, ways: int = WAYS) -> tuple[float, float]:
    """Return the largest and the mean total variation over all marginals of at most so many columns."""
    variations = np.concatenate(list_variations(truth, found, ways))
    return float(variations.max()), float(variations.mean())


def find_distance(truth: Numbers, found: Numbers, ways: int = WAYS) -> float:
    """Return the mean L1 / n over all marginals of exactly so many bits: twice their total variation."""
    return float(2.0 * list_variations(truth, found, ways)[-1].mean())


def find_distance_of(truth: Rows, answer: Callable[[tuple[int, ...]], Numbers], ways: int = WAYS) -> float:
    """Return the mean L1 / n over all marginals of so many columns; `answer` gives one in rows, an axis a column."""
    distances = [
        np.abs(answer(columns) - truth.project(columns)).sum() / truth.total
        for columns in combinations(range(len(truth.sizes)), ways)
    ]
    return float(np.mean(distances))


def check() -> None:
    """Raise where the fast total variations are not those of plain sums."""
    random = np.random.default_rng(0)
    truth, found = random.integers(1, 9, (2,) * 5), random.random((2,) * 5)
    plain = [
        np.abs((found / found.sum() - truth / truth.sum()).sum(axis=tuple(set(range(5)) - set(chosen)))).sum() / 2
        for way in (1, 2, 3)
        for chosen in combinations(range(5), way)
    ]
    np.testing.assert_allclose(np.concatenate(list_variations(truth, found)), plain)
    assert abs(find_distance(truth, found) - 2 * np.mean(plain[-10:])) < 1e-12
    assert find_divergence(truth, truth) == 0.0
