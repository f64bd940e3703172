"""Inference from earlier releases: no bias whatever the table holds, the least variance, and nothing in doubt."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.mechanisms import Gaussian, Laplace
from discreet.privacy.charges import Charge
from discreet.synthetic.online.book import Book
from discreet.synthetic.online.counts import CellCounts, Release
from discreet.synthetic.online.inference import Inference
from discreet.synthetic.online.tails import CountNoise

CHARGE = Charge(Fraction(1, 10), Fraction(1, 200))


def counted(labels: list[int]) -> CellCounts:
    return CellCounts((len(labels),), np.array(labels, dtype=np.int32), max(labels) + 1)


def released(labels: list[int], noise: CountNoise, entry: int, **more: bool) -> Release:
    return Release(counted(labels), noise, CHARGE, entry, **more)


def test_a_part_is_the_whole_less_the_rest() -> None:
    book = Book(0.05, [released([0, 0, 0, 0], Laplace(3.0), 1), released([0, -1, -1, 0], Laplace(4.0), 2)])
    found = book.infer(counted([-1, 0, 0, -1]), math.inf)
    assert found == Inference((((0, 0, Fraction(1)), (1, 0, Fraction(-1))),)) or found == Inference(
        (((1, 0, Fraction(-1)), (0, 0, Fraction(1))),)
    )


def test_groups_add_up_and_every_group_of_a_question_is_inferred() -> None:
    book = Book(0.05, [released([0, 1, 2, 2, -1], Laplace(3.0), 1)])
    found = book.infer(counted([0, 1, 1, 1, -1]), math.inf)
    assert found is not None
    assert [sorted(terms) for terms in found.terms] == [
        [(0, 0, Fraction(1))],
        [(0, 1, Fraction(1)), (0, 2, Fraction(1))],
    ]
    assert found.used == (0,)


def test_several_estimates_are_weighed_by_their_variances_and_still_add_up_exactly() -> None:
    scales = (3.0, 5.0, 11.0)
    book = Book(0.05, [released([0, 0, -1], Laplace(scale), place) for place, scale in enumerate(scales)])
    found = book.infer(counted([0, 0, -1]), math.inf)
    assert found is not None
    factors = {place: factor for place, _, factor in found.terms[0]}
    assert sum(factors.values()) == 1, "exactly, or counts of billions would be off"
    total = sum(scale**-2 for scale in scales)
    for place, scale in enumerate(scales):
        assert float(factors[place]) == pytest.approx(scale**-2 / total, rel=1e-4)


def test_what_is_inferred_is_exact_for_every_table() -> None:
    """Random releases of random partitions with random noises: factors always give the wanted set, in fractions."""
    rng = np.random.default_rng(9)
    inferred = 0
    for _ in range(15):
        book = Book(0.05)
        for place in range(12):
            labels = rng.integers(-1, 3, 8)
            labels[0] = 0
            noise: CountNoise = Laplace(float(rng.uniform(1, 20))) if place % 3 else Gaussian(float(rng.uniform(1, 9)))
            book.releases.append(released(labels.tolist(), noise, place))
        wanted = rng.integers(-1, 1, 8)
        wanted[0] = 0
        found = book.infer(counted(wanted.tolist()), math.inf)
        if found is None:
            continue
        inferred += 1
        for cell in range(8):
            hits = [
                factor for place, group, factor in found.terms[0] if book.releases[place].counts.labels[cell] == group
            ]
            assert sum(hits, Fraction(0)) == (wanted[cell] == 0)
    assert inferred >= 8


def test_what_does_not_follow_is_not_inferred() -> None:
    book = Book(0.05, [released([0, 0, -1, -1], Laplace(3.0), 1), released([-1, 0, 0, -1], Laplace(3.0), 2)])
    assert book.infer(counted([0, -1, -1, -1]), math.inf) is None
    assert book.infer(counted([0, 0, 0, 0]), math.inf) is None


def test_wider_than_a_direct_answer_is_not_used_and_nor_is_what_was_not_recorded() -> None:
    whole = released([0, 0], Laplace(3.0), 1)
    part = counted([0, 0])
    direct = float(Laplace(3.0).interval(0.95))
    assert Book(0.05, [whole]).infer(part, 2 * direct) is not None
    assert Book(0.05, [whole]).infer(part, 0.5 * direct) is None
    assert Book(0.05, [released([0, 0], Laplace(3.0), 1, recorded=False)]).infer(part, 2 * direct) is None


def test_half_widths_hold_for_questions_that_were_chosen_beforehand() -> None:
    rng = np.random.default_rng(11)
    noises: list[CountNoise] = [Laplace(20.0), Laplace(35.0), Gaussian(30.0)]
    rows = [[0, 0, -1], [-1, 0, 0], [-1, 0, -1]]
    book = Book(
        0.05, [released(row, noise, place) for place, (row, noise) in enumerate(zip(rows, noises, strict=True))]
    )
    found = book.infer(counted([0, 0, 0]), math.inf)
    assert found is not None
    half = found.bound(dict(enumerate(noises)), 0, 0.05)
    drawn = [
        rng.laplace(0, each.scale, 100_000) if isinstance(each, Laplace) else rng.normal(0, each.sigma, 100_000)
        for each in noises
    ]
    off = sum(float(factor) * drawn[place] for place, _, factor in found.terms[0])
    assert np.mean(np.abs(off) > half) <= 0.05


def test_an_inference_is_used_up_to_the_half_width_of_a_direct_answer_and_no_further() -> None:
    book = Book(0.05, [released([0, 1], Laplace(30.0), 1)])
    asked = counted([0, 0])
    found = book.infer(asked, math.inf)
    assert found is not None
    half = found.bound({0: Laplace(30.0)}, 0, 0.05)
    assert book.infer(asked, half) is not None
    assert book.infer(asked, half * 0.999) is None
