"""How mechanisms compare with one another, exactly where a formula says it, and in time where it matters.

Run by `make bench`; alone: `.venv-peers/bin/python bench/mechanisms.py`.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.mechanisms import CountingQueries, Exponential, Laplace, Staircase
from timing import alternate, markdown


def staircase() -> str:
    """Compare expected errors of the staircase and the Laplace mechanism at the same epsilon."""
    rows = []
    for epsilon in (0.1, 1.0, 3.0, 5.0, 8.0):
        stairs = Staircase.calibrate(epsilon, sensitivity=100)
        q = math.exp(-1 / Laplace.calibrate(epsilon, sensitivity=100).scale)
        laplace = 2 * q / (1 - q * q)
        error = stairs.expected_error()
        rows.append(
            [f"{epsilon:g}", f"{stairs.tread}", f"{error:.3g}", f"{laplace:.3g}", f"**{laplace / error:.2f} x**"]
        )
    return markdown(["epsilon", "tread", "staircase", "Laplace", "Laplace / staircase"], rows)


def huge_ranges() -> str:
    """Time the choice among more and more integers with the same number of pieces."""
    mechanism = Exponential.calibrate(epsilon=1.0)
    rows = []
    for pieces in (100, 1_000, 10_000):
        scores = -np.abs(np.arange(pieces) - pieces // 2)
        cells = [f"{pieces:,}"]
        for bits in (20, 64, 200):
            edges = [2**bits * piece // pieces for piece in range(pieces + 1)]
            seconds = alternate({"ours": lambda e=edges, s=scores: mechanism.release_from(e, s)})["ours"]  # type: ignore[misc]
            cells.append(f"{seconds * 1e3:.1f} ms")
        rows.append(cells)
    return markdown(["pieces", "2^20 integers", "2^64 integers", "2^200 integers"], rows)


def vectors() -> str:
    """Show which noise k counting queries get, and their simultaneous 95 % interval."""
    rows = []
    for queries in (1, 5, 20, 100, 1000):
        chosen = CountingQueries.calibrate(1.0, queries, delta=1e-9)
        pure = CountingQueries.calibrate(1.0, queries)
        rows.append(
            [
                f"{queries:,}",
                type(chosen.noise).__name__,
                f"± {chosen.interval(0.95, simultaneous=True):,}",
                f"± {pure.interval(0.95, simultaneous=True):,}",
            ]
        )
    return markdown(["queries", "chosen noise", "its interval", "Laplace's interval"], rows)


def report() -> str:
    """Return this file's part of the results."""
    return (
        "## Mechanisms\n\n"
        f"Expected absolute error on an integer of sensitivity 100, from the exact probabilities:\n\n{staircase()}\n\n"
        f"The exponential mechanism over a range cut into pieces of equal score, one choice:\n\n{huge_ranges()}\n\n"
        f"Counting queries at epsilon = 1, delta = 1e-9 (all within the interval at once, at 95 %):\n\n{vectors()}\n"
    )


if __name__ == "__main__":
    print(report())
