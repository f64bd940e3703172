"""Which way a question is answered: inferred, from a histogram, by buying one, or directly. The order is the rule.

A cheaper way answers only where its half-width is no larger than what the price that was asked for gives directly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from discreet.synthetic.online.book import Book, HistogramTerms
from discreet.synthetic.online.counts import CellCounts, Release
from discreet.synthetic.online.inference import Inference


@dataclass(frozen=True)
class Inferred:
    """Earlier releases add up to the answer."""

    inference: Inference


@dataclass(frozen=True)
class FromHistogram:
    """Cells of a histogram add up to the answer; `number` says which of those that were bought."""

    number: int
    release: Release


@dataclass(frozen=True)
class Awaited:
    """A histogram that answers it was paid for and is not recorded: it is waited for, or run again where a run died."""

    release: Release


@dataclass(frozen=True)
class Purchase:
    """A histogram at this price answers it, and is worth it."""

    price: Fraction


Way = Inferred | FromHistogram | Awaited | Purchase | None
"""None: the question is answered directly."""

Fits = Callable[[tuple[int, ...]], bool]
"""Whether the asker's own cap has room for what these releases cost, each once."""


def choose_way(book: Book, counts: CellCounts, width: float, terms: HistogramTerms | None, fits: Fits) -> Way:
    """Return how to answer counts for which a direct answer has this half-width; nothing is bought without terms."""
    inference = book.infer(counts, width)
    if inference is not None and fits(tuple(book.releases[place].entry for place in inference.used)):
        return Inferred(inference)
    found = book.find_histogram(counts, width)
    if found is not None and fits((found[1].entry,)):
        return FromHistogram(*found)
    begun = book.find_histogram(counts, width, recorded=False)
    if begun is not None and fits((begun[1].entry,)):
        return Awaited(begun[1])
    price = None if terms is None else book.choose_price(counts, width, terms)
    return None if price is None else Purchase(price)
