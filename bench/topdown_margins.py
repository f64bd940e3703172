"""How often intervals and margins of census releases hold the truth, in releases made again and again from one truth.

Part of `bench/topdown.py`. Only answers that public facts leave open are counted: where nobody can be, any interval
holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import reduce
from typing import Any

import numpy as np
from scipy.special import ndtr

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.noise.coin import Bools
from discreet.topdown.estimate.tree_fit import TreeFit
from discreet.topdown.estimate.tree_model import TreeModel
from discreet.topdown.running.counts import SparseCounts
from discreet.topdown.running.error_sums import EDGES, ErrorKey, Z, class_sizes
from discreet.topdown.running.intervals import bound_answers, find_intervals
from discreet.topdown.running.problem import CensusProblem
from discreet.topdown.spec.queries import Query

ASKED = 0.94


@dataclass(frozen=True, eq=False)
class HeldTally:
    """Sums over the open answers of one query at one level, for each class of true size."""

    cells: Floats
    held: Floats
    """True counts in their intervals."""
    least_squares: Floats
    """True counts within the margin of the unbiased estimate."""
    widths: Floats
    """Half the widths of intervals."""
    known: Floats
    """The margins of unbiased estimates."""
    squares: Floats
    """Of the number held in each replication: how far chance carries them."""
    counted: Floats
    """Answers in releases that were solved for whole numbers: of these is what follows."""
    outside: Floats
    """Released counts that are not in their intervals."""
    near: Floats
    """True counts within the margin around the released count."""
    margins: Floats
    """These margins."""
    beside: Floats
    """The margins of the unbiased estimates of these."""

    def add(self, other: HeldTally) -> HeldTally:
        """Return both together."""
        return HeldTally(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


Tallies = dict[ErrorKey, HeldTally]


@dataclass(frozen=True, eq=False)
class OpenAnswers:
    """The answers of a query at a level that public facts leave open and noise leaves uncertain, all areas together."""

    level: int
    query: Query
    kept: Bools
    truth: Ints
    classes: Ints
    deviations: Floats
    least: Floats
    most: Floats

    def tally(self, final: Floats, counts: SparseCounts | None) -> HeldTally:
        """Return how one release does, from the unbiased estimates of all cells, and whole numbers where there are."""
        estimates = self.query.answer(final)[self.kept]
        around = find_intervals(estimates, self.deviations, self.least, self.most)
        ones, known = np.ones(len(self.truth)), Z * self.deviations
        held = (around.low <= self.truth) & (self.truth <= around.high)
        numbers: list[Any] = [
            ones,
            held,
            np.abs(estimates - self.truth) <= known,
            (around.high - around.low) / 2,
            known,
        ]
        sums = [self._add(each) for each in numbers]
        sums.append(sums[1] ** 2)
        if counts is not None:
            here = counts.answer(self.query)[self.kept]
            margins, outside = around.find_margins(here), (here < around.low) | (here > around.high)
            sums += [self._add(each) for each in (ones, outside, np.abs(here - self.truth) <= margins, margins, known)]
        return HeldTally(*sums, *[np.zeros(len(EDGES))] * (len(fields(HeldTally)) - len(sums)))

    def _add(self, weights: Any) -> Floats:
        return np.bincount(self.classes, weights=weights, minlength=len(EDGES)).astype(np.float64)


def list_open(problem: CensusProblem, model: TreeModel, truth: Sequence[SparseCounts]) -> dict[ErrorKey, OpenAnswers]:
    """Return the open answers of all levels and queries."""
    found = {}
    for level, areas in enumerate(problem.geography.levels):
        for query in problem.queries:
            variances = model.variances(level, query)
            least, most = bound_answers(problem, level, query, slice(None))
            kept = np.isfinite(variances) & (variances > 1e-9) & (least < most)
            true = truth[level].answer(query)[kept]
            given = np.sqrt(variances[kept]), least[kept], most[kept]
            found[areas.name, query.name] = OpenAnswers(level, query, kept, true, class_sizes(true), *given)
    return found


def tally_once(answers: dict[ErrorKey, OpenAnswers], fit: TreeFit, counts: Sequence[SparseCounts] | None) -> Tallies:
    """Return the tallies of one release."""
    finals = {each.level: fit.final(each.level) for each in answers.values()}
    return {
        key: each.tally(finals[each.level], None if counts is None else counts[each.level])
        for key, each in answers.items()
    }


def join_tallies(parts: Sequence[Tallies]) -> Tallies:
    """Return the sums by level and query."""
    keys = dict.fromkeys(key for each in parts for key in each)
    return {key: reduce(HeldTally.add, (each[key] for each in parts if key in each)) for key in keys}


def tell_levels(tallies: Tallies, levels: Sequence[str]) -> list[list[str]]:
    """Return a line for each level and class of true size: all queries together, and the worst of them."""
    rows = []
    for level in levels:
        queries = [each for key, each in tallies.items() if key[0] == level]
        whole = reduce(HeldTally.add, queries)
        least = np.min([_divide(each.held, each.cells, 1.0) for each in queries], axis=0)
        widest = np.max([_divide(each.widths, each.known, 0.0) for each in queries], axis=0)
        for place in np.flatnonzero(whole.cells):
            cells, known = whole.cells[place], whole.known[place]
            counted, beside = max(whole.counted[place], 1), max(whole.beside[place], 1e-9)
            rows.append(
                [
                    level,
                    f"{EDGES[place]:,}",
                    f"{int(cells):,}",
                    f"{whole.held[place] / cells:.1%}",
                    f"{least[place]:.1%}",
                    f"{whole.widths[place] / known:.2f}",
                    f"{widest[place]:.2f}",
                    f"{whole.least_squares[place] / cells:.1%}",
                    f"{whole.outside[place] / counted:.1%}",
                    f"{whole.near[place] / counted:.1%}",
                    f"{whole.margins[place] / beside:.2f}",
                ]
            )
    return rows


def _divide(one: Floats, other: Floats, otherwise: float) -> Floats:
    return np.where(other > 0, one / np.where(other > 0, other, 1.0), otherwise)


HEADER = [
    "level",
    "true size, from",
    "answers",
    "held",
    "least of a query",
    "width over GLS's",
    "most of a query",
    "GLS holds",
    "counts outside",
    "count +- margin holds",
    "margin over GLS's",
]


@dataclass(frozen=True)
class ClassesBelow:
    """Classes of one level, query and true size that are held less often than asked."""

    rows: list[list[str]]
    classes: int
    """How many there are in all."""
    expected: float
    """How many of them chance would put there, if each were held with 95 % exactly."""
    worst: float
    """How many deviations of chance the worst of all is off."""


def tell_queries(tallies: Tallies, replications: int) -> ClassesBelow:
    """Return the classes that are held less often than asked, and what chance has to do with it.

    Chance is that of whole replications, since errors within one go together; at least that of as many throws.
    """
    rows, offs, chances = [], [], []
    for (level, query), each in tallies.items():
        for place in np.flatnonzero(each.cells):
            cells, share = each.cells[place], each.held[place] / each.cells[place]
            times = each.held[place] / replications
            spread = max(each.squares[place] / replications - times**2, 0.0) / replications
            error = max(np.sqrt(spread) * replications, np.sqrt(0.95 * 0.05 * cells)) / cells
            offs.append((share - 0.95) / error)
            chances.append(ndtr((ASKED - 0.95) / error))
            if share < ASKED:
                rows.append([level, query, f"{EDGES[place]:,}", f"{int(cells):,}", f"{share:.1%}", f"{offs[-1]:.1f}"])
    return ClassesBelow(rows, len(offs), round(sum(chances), 1), min(offs))
