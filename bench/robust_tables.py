"""Sizes of tests on tables of counts: fit of public shares, and independence."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from discreet.mechanisms import Laplace
from discreet.robust.testing.contingency import explain_fit, explain_independence
from robust_line import (
    ALL_FEWER,
    EPSILONS,
    MISS,
    PEOPLE,
    SIMULATED,
    USUAL,
    CoverageLine,
    MeasureCase,
    count_rejected,
    spare,
)
from robust_samples import draw_cells

FITS = {"3 cells": (0.2, 0.3, 0.5), "4 cells, some rare": (0.01, 0.04, 0.15, 0.8)}

TABLES = {
    "2 by 3 cells": ((0.5, 0.5), (0.2, 0.3, 0.5)),
    "2 by 2 cells, some rare": ((0.1, 0.9), (0.05, 0.95)),
    "3 by 4 cells": ((0.2, 0.3, 0.5), (0.1, 0.2, 0.3, 0.4)),
}


def list_tables() -> dict[str, MeasureCase]:
    """Return both as one case."""
    return {"cells": measure_tables}


def measure_tables(runs: int, rng: np.random.Generator) -> Iterator[CoverageLine]:
    """Measure both."""
    for people in PEOPLE:
        for epsilon in EPSILONS:
            noise = Laplace(1 / epsilon)
            for name, shares in FITS.items():
                cells = draw_cells(people, np.array(shares), runs, noise, rng)
                yield count_rejected(
                    "chi-square of fit", name, people, epsilon, explain_fit(cells, shares, noise) <= MISS
                )
            for name, (down, across) in TABLES.items():
                cells = draw_cells(people, np.outer(down, across), runs, noise, rng)
                found = explain_independence(cells, noise, SIMULATED)
                yield count_rejected("chi-square of independence", name, people, epsilon, found <= MISS)
    name, (down, across) = next(iter(TABLES.items()))
    for people in PEOPLE:
        cells = draw_cells(people, np.outer(down, across), spare(runs, ALL_FEWER), Laplace(1 / USUAL), rng)
        found = explain_independence(cells, Laplace(1 / USUAL))
        yield count_rejected("the same with 9,999 simulations", name, people, USUAL, found <= MISS)
