"""When a histogram is bought, and what its intervals hold for: also for cells that were chosen after a look at it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from discreet.mechanisms import Laplace
from discreet.privacy.charges import Charge
from discreet.synthetic.online.book import PATIENCE, Book, HistogramTerms
from discreet.synthetic.online.counts import CellCounts, Release
from discreet.synthetic.online.ways import FromHistogram, Inferred, Purchase, choose_way

SHAPE = (3, 5, 3, 9)
CELLS = math.prod(SHAPE)
TERMS = HistogramTerms(1, 1, by_rho=False)


def choose(cells: np.ndarray) -> CellCounts:
    return CellCounts(SHAPE, np.where(cells.ravel(), 0, -1).astype(np.int32), 1)


def draw_question(rng: np.random.Generator) -> CellCounts:
    cells = np.ones(SHAPE, dtype=bool)
    for axis, size in enumerate(SHAPE):
        side = np.append(rng.integers(0, 2, size - 1), 0).astype(bool)
        side[rng.integers(0, size - 1)] = True
        cells &= side.reshape([-1 if each == axis else 1 for each in range(4)])
    return choose(cells)


def histogram(scale: float, entry: int, price: Fraction) -> Release:
    cells = CellCounts(SHAPE, np.arange(CELLS, dtype=np.int32), CELLS)
    return Release(cells, Laplace(scale), Charge(price, 0.0), entry, bought=True)


def test_cells_chosen_after_looking_are_covered_and_single_intervals_would_not_be() -> None:
    """The attack: sum the cells whose noise is positive. A 99.9 % interval for one set covered .25 % of these."""
    rng = np.random.default_rng(7)
    noise, covered, alone = Laplace(30.0), 0, 0
    for _ in range(20):
        drawn = np.array(noise.release([0] * CELLS)).reshape(SHAPE)
        attacks = [drawn > 0, drawn > 30 * rng.exponential()]
        best = drawn.sum(axis=(0, 1, 2)) > 0  # a product: areas whose whole column came out too large
        attacks.append(np.broadcast_to(best, SHAPE))
        for cells in attacks:
            if cells.any():
                half = choose(cells).bound(noise, 0.001, 1)[0]
                covered += abs(int(drawn[cells].sum())) > half
        single = 3.3 * 30 * math.sqrt(2 * int((drawn > 0).sum()))
        alone += abs(int(drawn[drawn > 0].sum())) <= single
    assert covered == 0, "all questions to each of these histograms"
    assert alone == 0, "an interval for one question does not cover the chosen one"


@dataclass
class Played:
    """What came of a stream: how often a histogram's intervals missed, and how far off the last inference was."""

    from_histogram: int = 0
    missed: int = 0
    last: float | None = None


def play(rng: np.random.Generator, miss: float, spent: Fraction) -> Played:
    """Answer a stream of questions that was fixed beforehand; the table is empty, so that noise is all there is."""
    sides = [[[0], [1], [0, 1, 2]], [[0], [1], [2], [0, 1], [2, 3], [1, 2, 3], [0, 1, 2, 3, 4]]]
    stream = [(rng.integers(3), rng.integers(7)) for _ in range(25)]
    book, values, direct, played = Book(miss), [np.zeros(1)], Laplace(20.0), Played()
    before = CellCounts((3, 5), np.where(np.arange(15) == 14, 0, -1).astype(np.int32), 1)
    book.releases.append(Release(before, direct, Charge(spent, Fraction(0)), 0))
    for first, second in stream:
        cells = np.zeros((3, 5), dtype=bool)
        cells[np.ix_(sides[0][first], sides[1][second])] = True
        counts = CellCounts((3, 5), np.where(cells.ravel(), 0, -1).astype(np.int32), 1)
        width = float(direct.interval(1 - miss))
        way = choose_way(book, counts, width, TERMS, lambda _: True)
        if isinstance(way, Purchase):
            noise = Laplace(float(1 / way.price))
            every = CellCounts((3, 5), np.arange(15, dtype=np.int32), 15)
            book.releases.append(Release(every, noise, Charge(way.price, 0.0), len(values), bought=True))
            values.append(np.array(noise.release([0] * 15)))
            way = choose_way(book, counts, width, TERMS, lambda _: True)
        if isinstance(way, Inferred):
            total = sum(factor * int(values[place][group]) for place, group, factor in way.inference.terms[0])
            noises = {place: each.noise for place, each in enumerate(book.releases)}
            played.last = abs(float(total)) / way.inference.bound(noises, 0, miss)
        elif isinstance(way, FromHistogram):
            found = int(values[way.release.entry][cells.ravel()].sum())
            played.from_histogram += 1
            played.missed += abs(found) > counts.bound(way.release.noise, miss, way.number)[0]
        else:
            book.releases.append(Release(counts, direct, Charge(Fraction(1, 20), Fraction(0)), len(values)))
            values.append(np.array([direct.release(0)]))
    return played


@pytest.mark.slow
def test_answers_to_streams_that_were_fixed_beforehand_miss_at_most_as_often_as_promised() -> None:
    """All of a histogram's answers together, and each inference. Half-widths of half the length would be noticed."""
    miss, rng = 0.05, np.random.default_rng(11)
    played = [play(rng, miss, spent) for _ in range(150) for spent in (Fraction(0), Fraction(5))]
    inferred = [each.last for each in played if each.last is not None]
    served = [each for each in played if each.from_histogram]
    assert len(inferred) > 120
    assert len(served) > 120
    assert sum(each.missed > 0 for each in served) <= binom.isf(1e-9, len(served), miss)
    assert sum(last > 1 for last in inferred) <= binom.isf(1e-9, len(inferred), miss)
    assert sum(last > 0.5 for last in inferred) > binom.isf(1e-9, len(inferred), miss)


def test_the_probability_is_shared_among_histograms_too() -> None:
    counts = draw_question(np.random.default_rng(1))
    widths = [counts.bound(Laplace(10.0), 0.05, number)[0] for number in (1, 2, 5, 50)]
    assert widths == sorted(set(widths))


def test_histograms_never_cost_more_than_a_tenth_of_direct_answers() -> None:
    rng, book, direct = np.random.default_rng(4), Book(0.001), Laplace(100.0)
    width = float(direct.interval(0.999))
    for number in range(140):
        counts = draw_question(rng)
        way = choose_way(book, counts, width, TERMS, lambda _: True)
        if isinstance(way, Purchase):
            book.releases.append(histogram(float(1 / way.price), number, way.price))
            found = choose_way(book, counts, width, TERMS, lambda _: True)
            assert isinstance(found, FromHistogram), "what was bought answers what it was bought for"
        elif way is None:
            book.releases.append(Release(counts, direct, Charge(Fraction(1, 100), Fraction(0)), number))
        spent = sum(Fraction(each.charge.epsilon) for each in book.releases if not each.bought)
        paid = sum(Fraction(each.charge.epsilon) for each in book.releases if each.bought)
        assert paid <= spent / PATIENCE
    assert book.histograms


def test_a_histogram_answers_only_within_the_half_width_of_a_direct_answer() -> None:
    counts = draw_question(np.random.default_rng(1))
    book = Book(0.05, [histogram(10.0, 1, Fraction(1, 10))])
    widest = counts.bound(Laplace(10.0), 0.05, 1)[0]
    assert book.find_histogram(counts, widest) is not None
    assert book.find_histogram(counts, widest - 1) is None


def test_one_very_precise_question_does_not_keep_all_others_from_a_histogram() -> None:
    rng = np.random.default_rng(8)
    book = Book(0.05, [Release(draw_question(rng), Laplace(0.5), Charge(Fraction(2), Fraction(2)), 0)])
    usual = [draw_question(rng) for _ in range(5)]
    for number in range(1, 300):
        charge = Charge(Fraction(1, 10), Fraction(0))
        book.releases.append(Release(usual[number % 5], Laplace(10.0), charge, number))
    assert book.choose_price(draw_question(rng), 0.5, TERMS) is None
    price = book.choose_price(draw_question(rng), 1e4, TERMS)
    assert price is not None
    assert price <= book.find_allowance(TERMS)


def test_prices_are_compared_in_the_currency_that_binds() -> None:
    rng, by_rho = np.random.default_rng(8), HistogramTerms(1, 1, by_rho=True)
    book = Book(0.05)
    usual = draw_question(rng)
    for number in range(800):
        charge = Charge(math.inf, Fraction(1, 20_000))
        book.releases.append(Release(usual, Laplace(100.0), charge, number))
    assert book.find_allowance(by_rho) == Fraction(800, 20_000) / PATIENCE
    assert book.find_allowance(TERMS) == 0, "no epsilon was paid that could be compared"
    assert book.choose_price(draw_question(rng), 1e3, TERMS) is None
    assert book.choose_price(draw_question(rng), 1e3, by_rho) is not None


def test_what_may_be_bought_is_a_tenth_of_direct_answers_less_what_was_bought_whenever_it_is_asked() -> None:
    counts, book = draw_question(np.random.default_rng(2)), Book(0.05)
    for number in range(30):
        bought = number % 7 == 6
        charge = Charge(0.3 if number % 2 else Fraction(1, 10), Fraction(1, 7))
        book.releases.append(
            histogram(10.0, number, Fraction(1, 50)) if bought else Release(counts, Laplace(9.0), charge, number)
        )
        if number % 3 == 0:
            book.find_allowance(TERMS)
        spent = sum((Fraction(each.charge.epsilon) for each in book.releases if not each.bought), Fraction(0))
        paid = Fraction(len(book.histograms), 50)
        assert book.find_allowance(TERMS) == spent / PATIENCE - paid, "exactly, floats and fractions alike"
