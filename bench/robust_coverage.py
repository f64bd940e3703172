"""How often intervals cover and tests reject what is true: `python bench/robust.py coverage [RUNS] [PART...]`.

Everything that is measured is the function that runs on what the curator recorded, on arrays with an element for each
run (`tests/robust/test_cores.py` shows that the door tells the same of the same released numbers). Samples of people
and their noise are generated. The truth is that of clamped values. Each line is printed as it comes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from robust_effects import measure_effects
from robust_intervals import measure_means, measure_shares, measure_survival
from robust_line import CoverageLine
from robust_noise import measure_noise
from robust_quantiles import measure_quantiles
from robust_ranks import measure_ranks
from robust_regression import measure_functions
from robust_tables import measure_tables

PARTS: dict[str, Callable[[int, np.random.Generator], Iterator[CoverageLine]]] = {
    "means": measure_means,
    "shares": measure_shares,
    "survival": measure_survival,
    "tables": measure_tables,
    "effects": measure_effects,
    "quantiles": measure_quantiles,
    "functions": measure_functions,
    "noise": measure_noise,
    "ranks": measure_ranks,
}


def show_coverage(runs: int, parts: list[str] | None = None) -> bool:
    """Print every line of some parts and say whether all are as good as asked."""
    least, most, missed, begun = 1.0, 0.0, 0, time.process_time()
    print("| | data | people | epsilon | share | runs | standard error | width | asked | |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for place, (name, measure) in enumerate(PARTS.items()):
        if parts and name not in parts:
            continue
        start = time.process_time()
        for line in measure(runs, np.random.default_rng([20, place])):
            print(line, flush=True)
            least, most = (least, max(most, line.share)) if line.test else (min(least, line.share), most)
            missed += not line.met
        print(f"<!-- {name}: {time.process_time() - start:.0f} CPU seconds -->", flush=True)
    print(f"\nleast coverage {least:.2%}, largest size {most:.2%}, {missed} lines missed", end="")
    print(f"; {time.process_time() - begun:.0f} CPU seconds")
    return not missed


def check_parts(parts: list[str]) -> None:
    """Refuse names that no part has."""
    wrong = [part for part in parts if part not in PARTS]
    if wrong:
        raise SystemExit(f"no such part: {', '.join(wrong)}; there are {', '.join(PARTS)}")
