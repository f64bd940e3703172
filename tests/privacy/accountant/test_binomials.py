"""Binomial laws against whole numbers: every mass to ATOM_ERROR, and what is left out is bounded."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.privacy.accountant import binomials
from discreet.privacy.accountant.binomials import CountLaw, choose_edges, find_law, join_counts
from discreet.privacy.accountant.pairs import ATOM_ERROR

HALF = Fraction(1, 2)


def find_mass(trials: int, share: Fraction, count: int) -> Fraction:
    return math.comb(trials, count) * share**count * (1 - share) ** (trials - count)


@pytest.mark.parametrize(
    ("trials", "share"),
    [
        (0, HALF),
        (1, Fraction(1, 3)),
        (7, Fraction(1)),
        (40, Fraction(2, 7)),
        (900, HALF),
        (2000, HALF),
        (1801, Fraction(2, 5)),
        (400, Fraction(1, 100)),
        (400, Fraction(99, 100)),
    ],
)
def test_every_mass_is_right_and_what_is_left_out_is_bounded(trials: int, share: Fraction) -> None:
    law = find_law(trials, share)
    for place in {0, len(law.masses) // 3, len(law.masses) // 2, len(law.masses) - 1}:
        exact = find_mass(trials, share, law.first + place)
        assert abs(Fraction(float(law.masses[place])) / exact - 1) < ATOM_ERROR
    left = [*range(law.first), *range(law.first + len(law.masses), trials + 1)]
    outside = sum(find_mass(trials, share, count) for count in left)
    assert outside <= Fraction(law.outside) * Fraction(1001, 1000)
    assert law.outside < 1e-40


@pytest.mark.parametrize(("trials", "share"), [(2000, HALF), (20_000, Fraction(1, 3)), (100_000, Fraction(3, 100))])
def test_floats_and_whole_numbers_agree(trials: int, share: Fraction) -> None:
    law = find_law(trials, share)
    first, exact = binomials._multiply_ratios(trials, share)
    start = law.first - first
    assert start > 0
    compared = exact[start : start + len(law.masses)]
    assert np.abs(law.masses / compared - 1).max() < ATOM_ERROR


def test_many_trials_keep_mean_and_spread() -> None:
    trials, share = 10**10, Fraction(3, 10)
    law = find_law(trials, share)
    off = np.arange(len(law.masses)) + float(law.first - trials * share)
    assert float(law.masses @ off) == pytest.approx(0, abs=1e-6)
    assert float(law.masses @ off**2) == pytest.approx(float(trials * share * (1 - share)), rel=1e-9)


@pytest.mark.parametrize("blocks", [4, 16, 100, 5000])
def test_blocks_cover_every_count_once_and_keep_mass_and_mean(blocks: int) -> None:
    law = find_law(20_000, Fraction(1, 3))
    joined = join_counts(law, choose_edges(law, blocks))
    assert len(joined) <= max(blocks, 1)
    assert joined[0].least == law.first
    assert sum(block.mass for block in joined) == pytest.approx(1, rel=1e-12)
    mean = sum(block.mass * (block.least + block.excess) for block in joined)
    assert mean == pytest.approx(20_000 / 3, rel=1e-12)


def test_blocks_are_finest_in_the_middle() -> None:
    law = find_law(10**6, HALF)
    edges = np.array(choose_edges(law, 64))
    widths = np.diff(edges)
    assert widths.min() == widths[len(widths) // 2 - 2 : len(widths) // 2 + 2].min()
    assert widths[0] > 5 * widths.min()


def test_few_counts_are_blocks_of_their_own() -> None:
    law = CountLaw(3, np.array([0.25, 0.5, 0.25]), 0.0)
    assert choose_edges(law, 16) == [3, 4, 5, 6]
    assert [block.excess for block in join_counts(law, [3, 4, 6])] == [0.0, pytest.approx(1 / 3)]
