"""Questions that arrive one by one: what is spent, beside a cache of identical questions.

Alone: `.venv/bin/python bench/online.py`. Streams of counts are fixed beforehand. Which way each question is answered
is decided by the code of the route itself (`synthetic/online/ways.py`); only the ledger and the engine are left out,
and noise is drawn here, to count how often an interval misses.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from discreet.mechanisms import Gaussian, Laplace
from discreet.privacy.charges import Charge
from discreet.synthetic.online.book import Book, HistogramTerms
from discreet.synthetic.online.counts import CellCounts, Release
from discreet.synthetic.online.tails import CountNoise
from discreet.synthetic.online.ways import FromHistogram, Inferred, Purchase, choose_way
from timing import markdown

ROWS, ALPHA, BETA = 100_000, 0.05, 0.001
"""A direct answer is within ALPHA * ROWS with probability 1 - BETA."""

POOL = (2, 4, 2, 8)
LENGTHS = (200, 1_000, 5_000, 20_000)
WINDOW_LENGTHS = (1_000, 5_000)
SHORT = 1_000
"""Streams in rho are no longer: most answers are inferred there, some a tenth of a second each, and take minutes."""

Sides = tuple[tuple[int, ...], ...]
"""The values of each column that a question counts; all of them where it does not name the column."""


def make_counts(sizes: tuple[int, ...], sides: Sides) -> CellCounts:
    """Return a question: a column of which all values are counted is not named, so its other rows count as well."""
    shape = tuple(size + 1 for size in sizes)
    cells = np.ones(shape, dtype=bool)
    for axis, (size, side) in enumerate(zip(sizes, sides, strict=True)):
        chosen = np.zeros(size + 1, dtype=bool)
        chosen[list(side)] = True
        chosen[size] = len(side) == size
        cells &= chosen.reshape([-1 if each == axis else 1 for each in range(len(sizes))])
    labels = np.where(cells.ravel(), 0, -1).astype(np.int32)
    return CellCounts(shape, labels, 1)


def draw_subsets(rng: np.random.Generator, length: int, zipf: float) -> Iterator[Sides]:
    """Yield questions of Turbo's pool: a set of values of each column, 34,425 in all, by rank to the power -zipf."""
    choices = [2**size - 1 for size in POOL]
    total = math.prod(choices)
    shares = np.arange(1, total + 1, dtype=float) ** -zipf
    ranked = rng.permutation(total)
    for number in ranked[rng.choice(total, length, p=shares / shares.sum())].tolist():
        sides = []
        for size, count in zip(POOL, choices, strict=True):
            number, mask = divmod(number, count)
            sides.append(tuple(each for each in range(size) if (mask + 1) >> each & 1))
        yield tuple(sides)


def draw_windows(rng: np.random.Generator, length: int, sizes: tuple[int, int]) -> Iterator[Sides]:
    """Yield windows that slide over both columns: 4 to 32 values of the first, 8 to 64 of the second."""
    for _ in range(length):
        sides = []
        for size in sizes:
            wide = int(rng.integers(size // 16, size // 2 + 1))
            first = int(rng.integers(0, size - wide + 1))
            sides.append(tuple(range(first, first + wide)))
        yield tuple(sides)


@dataclass
class Run:
    """What one stream came to."""

    cache: float = 0.0
    spent: float = 0.0
    ways: dict[str, int] = field(default_factory=dict)
    missed: int = 0
    answered: int = 0


def play(sizes: tuple[int, ...], stream: Iterator[Sides], rng: np.random.Generator, *, by_rho: bool) -> Run:
    """Answer a stream of questions, every one as precisely as a direct answer would be."""
    width = ALPHA * ROWS
    direct: CountNoise = _direct(width, by_rho=by_rho)
    terms = HistogramTerms(1, 1, by_rho)
    price = Fraction(terms.price(_scale(direct)))
    truth = rng.multinomial(ROWS, rng.dirichlet(np.full(math.prod(sizes), 0.3))).reshape(sizes)
    table = np.zeros(tuple(size + 1 for size in sizes))
    table[tuple(slice(size) for size in sizes)] = truth
    known: dict[Sides, None] = {}
    book, values, run = Book(BETA), [], Run()
    for sides in stream:
        if sides in known:
            run.ways["the ledger"] = run.ways.get("the ledger", 0) + 1
            continue
        known[sides] = None
        run.cache += float(price)
        counts = make_counts(sizes, sides)
        exact = float(table.ravel()[counts.labels == 0].sum())
        way = choose_way(book, counts, float(direct.interval(1 - BETA)), terms, lambda _: True)
        if isinstance(way, Purchase):
            noise = _bought(float(way.price), by_rho=by_rho)
            labels = np.arange(table.size, dtype=np.int32)
            charge = Charge(math.inf if by_rho else way.price, way.price if by_rho else Fraction(0))
            cells = CellCounts(counts.shape, labels, table.size)
            book.releases.append(Release(cells, noise, charge, len(book.releases), bought=True))
            values.append(np.array(noise.release(table.ravel().astype(np.int64))))
            run.spent += float(way.price)
            run.ways["bought"] = run.ways.get("bought", 0) + 1
            way = FromHistogram(*(book.find_histogram(counts, float(direct.interval(1 - BETA))) or ()))
        if isinstance(way, FromHistogram):
            place = book.releases.index(way.release)
            found = values[place][counts.labels == 0].sum()
            half = float(counts.bound(way.release.noise, BETA, way.number)[0])
        elif isinstance(way, Inferred):
            terms_ = way.inference.terms[0]
            found = float(sum(factor * int(values[place][group]) for place, group, factor in terms_))
            half = way.inference.bound({place: each.noise for place, each in enumerate(book.releases)}, 0, BETA)
        else:
            charge = Charge(math.inf if by_rho else price, price if by_rho else Fraction(0))
            book.releases.append(Release(counts, direct, charge, len(book.releases)))
            values.append(np.array([direct.release(int(exact))]))
            found, half = values[-1][0], float(direct.interval(1 - BETA))
            run.spent += float(price)
        name = {FromHistogram: "histogram", Inferred: "inferred"}.get(type(way), "direct")
        run.ways[name] = run.ways.get(name, 0) + 1
        run.answered += 1
        run.missed += abs(float(found) - exact) > half
    return run


def _direct(width: float, *, by_rho: bool) -> CountNoise:
    return Gaussian(width / 3.2906) if by_rho else Laplace(width / math.log(1 / BETA))


def _bought(price: float, *, by_rho: bool) -> CountNoise:
    return Gaussian(math.sqrt(1 / (2 * price))) if by_rho else Laplace(1 / price)


def _scale(noise: CountNoise) -> float:
    return noise.scale if isinstance(noise, Laplace) else noise.sigma


NEVER, BEYOND, WINDOWS = 1 / 1.1, 1.7, 4.0
"""What a cache of identical questions spends, relative to the route: at least, beyond 1,000 questions, at windows."""

HEADER = ["stream", "questions", "paid in", "cache / ours", "goal", "met", "direct", "inferred", "histogram", "bought"]

ASKED = """What a cache of identical questions spends, over what the route spends. A direct answer is within {} of {:,}
rows with probability 1 - {}. Goals: at least {:.2f} always (at most 1.1 times the cache), {} beyond 1,000 questions,
{:g} at 5,000 windows. Misses are intervals that do not hold the truth, of all questions that were not in the ledger."""

WHY = """A histogram is bought when ten times its price was spent, and its intervals hold for all sets of cells at once.
In epsilon its price grows with the root of the cells that a question adds up, about; in rho with their number. For the
median question it is so many prices of a direct answer: {}.
So where rho binds, a histogram of all cells is worth it only after tens of thousands of questions about 64 x 128."""


def report(lengths: tuple[int, ...] = LENGTHS, windows: tuple[int, ...] = WINDOW_LENGTHS) -> str:
    """Return what every stream spent, relative to a cache of identical questions, and whether goals were met."""
    rows: list[list[str]] = []
    for by_rho in (False, True):
        most = SHORT if by_rho else math.inf
        for zipf in (0.0, 1.0):
            for length in (each for each in lengths if each <= most):
                rng = np.random.default_rng(length)
                goal = BEYOND if length > 1_000 else NEVER
                rows.append(
                    _row(f"128 cells, Zipf {zipf:g}", length, goal, POOL, draw_subsets(rng, length, zipf), rng, by_rho)
                )
        for length in (each for each in windows if each <= most):
            rng = np.random.default_rng(length)
            goal = WINDOWS if length >= 5_000 else NEVER
            stream = draw_windows(rng, length, (64, 128))
            rows.append(_row("64 x 128 windows", length, goal, (64, 128), stream, rng, by_rho))
    table = markdown([*HEADER, "misses", "CPU s"], rows)
    asked = ASKED.format(ALPHA, ROWS, BETA, NEVER, BEYOND, WINDOWS)
    return f"## Questions one by one\n\n{asked}\n\n{table}\n\n{WHY.format(_describe_needs())}\n"


def _describe_needs() -> str:
    """Return the median price of a histogram for one question, in prices of direct answers, by stream and currency."""
    found = []
    for name, sizes, draw in (("the pool", POOL, draw_subsets), ("windows", (64, 128), draw_windows)):
        rng = np.random.default_rng(3)
        stream = draw(rng, 100, 0.0) if draw is draw_subsets else draw_windows(rng, 100, (64, 128))
        asked = [make_counts(sizes, sides) for sides in stream]
        for by_rho in (False, True):
            direct, terms = _direct(ALPHA * ROWS, by_rho=by_rho), HistogramTerms(1, 1, by_rho)
            width, price = float(direct.interval(1 - BETA)), terms.price(_scale(direct))
            needs = [terms.price(width / each.find_widest(not by_rho, BETA, 1)) / price for each in asked]
            found.append(f"{np.median(needs):,.0f} ({name}, {'rho' if by_rho else 'epsilon'})")
    return ", ".join(found)


def _row(
    name: str,
    length: int,
    goal: float,
    sizes: tuple[int, ...],
    stream: Iterator[Sides],
    rng: np.random.Generator,
    by_rho: bool,
) -> list[str]:
    start = time.process_time()
    run = play(sizes, stream, rng, by_rho=by_rho)
    ratio = run.cache / run.spent
    counted = [str(run.ways.get(way, 0)) for way in ("direct", "inferred", "histogram", "bought")]
    judged = [f"{ratio:.2f}", f"{goal:.2f}", "yes" if ratio >= goal else "MISSED"]
    misses = f"{run.missed} of {run.answered:,}"
    currency, seconds = "rho" if by_rho else "epsilon", f"{time.process_time() - start:.0f}"
    row = [name, f"{length:,}", currency, *judged, *counted, misses, seconds]
    print(row, file=sys.stderr, flush=True)
    return row


if __name__ == "__main__":
    print(report())
