"""How often intervals cover and tests reject what is true: `python bench/robust.py coverage [RUNS] [PART...]`.

Everything that is measured is the function that runs on what the curator recorded, on arrays with an element for each
run (`tests/robust/test_cores.py` shows that the door tells the same of the same released numbers). Samples of people
and their noise are generated. The truth is that of clamped values. Each line is printed as it comes. A part is a name,
as `ranks`, or a name and how its kinds of data begin, as `ranks:lognormal`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from zlib import crc32

import numpy as np

from robust_effects import list_effects
from robust_intervals import list_means, list_shares, list_survival
from robust_line import CoverageLine, MeasureCase
from robust_noise import list_noise
from robust_quantiles import list_quantiles
from robust_ranks import list_ranks
from robust_regression import list_functions
from robust_tables import list_tables

PARTS: dict[str, Callable[[], dict[str, MeasureCase]]] = {
    "means": list_means,
    "shares": list_shares,
    "survival": list_survival,
    "tables": list_tables,
    "effects": list_effects,
    "ranks": list_ranks,
    "quantiles": list_quantiles,
    "functions": list_functions,
    "noise": list_noise,
}
"""Each with its kinds of data."""


def show_coverage(runs: int, parts: list[str] | None = None) -> bool:
    """Print every line of some parts and say whether all are as good as asked: of two of the same, the second."""
    lines: dict[tuple[str, str, int, float, bool], CoverageLine] = {}
    begun = time.process_time()
    print("| | data | people | epsilon | share | runs | standard error | width | told | asked | |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for line in measure_parts(runs, parts or list(PARTS)):
        print(line, flush=True)
        lines[line.what, line.data, line.people, line.epsilon, line.test] = line
    least = min((line.share for line in lines.values() if not line.test), default=1.0)
    most = max((line.share for line in lines.values() if line.test), default=0.0)
    missed = sum(not line.met for line in lines.values())
    print(f"\nof {len(lines)} least coverage {least:.2%}, largest size {most:.2%}, {missed} missed", end="")
    print(f"; {time.process_time() - begun:.0f} CPU seconds")
    return not missed


def measure_parts(runs: int, parts: list[str]) -> Iterator[CoverageLine]:
    """Return the lines of some parts, each with random numbers of its own: a part alone has the lines of the whole."""
    for part in parts:
        name, _, wanted = part.partition(":")
        for data, measure in PARTS[name]().items():
            if data.startswith(wanted):
                yield from measure(runs, np.random.default_rng([20, crc32(f"{name}:{data}".encode())]))


def check_parts(parts: list[str]) -> None:
    """Refuse names that no part has."""
    wrong = [part for part in parts if part.partition(":")[0] not in PARTS]
    if wrong:
        raise SystemExit(f"no such part: {', '.join(wrong)}; there are {', '.join(PARTS)}")
