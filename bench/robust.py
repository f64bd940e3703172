"""What robust statistics must show: `python bench/robust.py [RUNS]`, or `... coverage [RUNS] [PART...]` for one row.

The form with `coverage` prints how often every interval covers and every test rejects what is true; PARTS are means,
shares, survival, tables, effects, quantiles, functions, noise and ranks (`robust_coverage.py`).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from robust_coverage import check_parts, show_coverage
from robust_mechanisms import show_calibrations, show_medians, show_unbounded
from robust_ranks import show_people_needed

RUNS = 10_000

SECTIONS: dict[str, Callable[[int, np.random.Generator], bool]] = {
    "median of lognormal incomes: the advised mechanism beside the others": show_medians,
    "thresholds and calibrations against the exact joint supremum": show_calibrations,
    "coverage of every interval, nominal 95 %, and size of every test, nominal 5 %": lambda runs, _: show_coverage(
        runs
    ),
    "Kruskal-Wallis: people needed over the public test's": show_people_needed,
    "unbounded mean beside a bounded mean with bounds 100 times too wide": show_unbounded,
}
"""The rows of what must be shown."""


def main(arguments: list[str]) -> None:
    """Print every section, or the coverage alone."""
    alone = arguments[:1] == ["coverage"]
    rest = arguments[1:] if alone else arguments
    runs = int(rest[0]) if rest and rest[0].isdigit() else RUNS
    if alone:
        parts = rest[1:] if rest and rest[0].isdigit() else rest
        check_parts(parts)
        print("met" if show_coverage(runs, parts) else "MISSED")
        return
    rng = np.random.default_rng(20)
    for title, show in SECTIONS.items():
        print(f"\n## {title}\n")
        start = time.perf_counter()
        met = show(runs, rng)
        print(f"{'met' if met else 'MISSED'}, {runs:,} runs, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
