"""Linear regression on diamonds: R^2 lost by ours and by AdaSSP as published, at several epsilons.

`python bench/learning_regression.py FOLDER-OR-CSV [seeds]`. The table (53,940 diamonds) comes with the package
`plotnine`, which is installed in an environment of its own and is no dependency: give the path of its `diamonds.csv`,
or nothing where plotnine can be imported. A fifth is held out. Both get the same features, scaled by the same public
bounds (those that the data's documentation states): six numbers, three categories one-hot, an intercept: 27 columns.

AdaSSP is Algorithm 2 of Wang (2018), with rho = .05, on rows divided by their longest public length and labels between
-1 and 1. R^2 lost is that of least squares without privacy, less the private one, both on rows held out.
"""

from __future__ import annotations

import csv
import math
import sys
import time
from pathlib import Path

import numpy as np

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.gradients.encoding import (
    FEATURE_STEPS,
    EncodedRows,
    Encoding,
    Feature,
    LabelColumn,
    NumberFeature,
    PlaceFeature,
)
from discreet.learn.allowance import read_gaussian_allowance
from discreet.learn.regression import fit_regression
from discreet.learn.source import MemorySource

EPSILONS = (0.1, 0.5, 1.0, 3.0)
GOALS = (0.1, 0.1, 0.1, 0.2)
DELTA = 1e-7
FINE = 1000
NUMBERS = {"carat": (0.2, 5.01), "depth": (43, 79), "table": (43, 95), "x": (0, 10.74), "y": (0, 58.9), "z": (0, 31.8)}
CATEGORIES = {
    "cut": ["Fair", "Good", "Very Good", "Premium", "Ideal"],
    "color": list("DEFGHIJ"),
    "clarity": ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"],
}
PRICES = (326, 18823)
FEATURES: tuple[Feature, ...] = (
    *(NumberFeature(at, round(low * FINE), round(high * FINE)) for at, (low, high) in enumerate(NUMBERS.values())),
    *(PlaceFeature(len(NUMBERS) + at, len(values)) for at, values in enumerate(CATEGORIES.values())),
)
LABEL = LabelColumn(len(FEATURES), *PRICES, -FEATURE_STEPS, FEATURE_STEPS)
ENCODING = Encoding(FEATURES, LABEL)


def find_table() -> Path:
    """Return where the table is: as given, or in the installed package."""
    if len(sys.argv) > 1:
        given = Path(sys.argv[1])
        return given / "diamonds.csv" if given.is_dir() else given
    from importlib.util import find_spec

    spec = find_spec("plotnine")
    if spec is None or spec.origin is None:
        raise SystemExit("give the path of diamonds.csv, or install plotnine in this environment")
    return Path(spec.origin).parent / "data" / "diamonds.csv"


def read_points(path: Path) -> Ints:
    """Return the table as grid points."""
    with path.open(encoding="utf-8") as file:
        return np.array(
            [
                [
                    *(round(float(line[name]) * FINE) for name in NUMBERS),
                    *(values.index(line[name]) for name, values in CATEGORIES.items()),
                    int(line["price"]),
                ]
                for line in csv.DictReader(file)
            ],
            dtype=np.int64,
        )


def expand(rows: EncodedRows) -> tuple[Floats, Floats]:
    """Return all features as a matrix, the intercept last, and labels between -1 and 1."""
    columns = [rows.numbers / FEATURE_STEPS]
    for places, values in zip(rows.places, CATEGORIES.values(), strict=True):
        columns.append(np.eye(len(values))[places])
    return np.hstack([*columns, np.ones((len(rows), 1))]), rows.labels / FEATURE_STEPS


def fit_adassp(x: Floats, y: Floats, longest: float, epsilon: float, rng: np.random.Generator) -> Floats:
    """Return the weights of AdaSSP (Wang 2018, Algorithm 2), with noise of numpy's: it is measured, not released."""
    width = x.shape[1]
    x = x / longest
    gram, products = x.T @ x, x.T @ y
    log, part, rho = math.log(6 / DELTA), epsilon / 3, 0.05
    least = max(0.0, float(np.linalg.eigvalsh(gram)[0]) + math.sqrt(log) / part * rng.normal() - log / part)
    ridge = max(0.0, math.sqrt(width * log * math.log(2 * width**2 / rho)) / part - least)
    upper = np.triu(rng.normal(size=gram.shape))
    noisy = gram + math.sqrt(log) / part * (upper + np.triu(upper, 1).T)
    aimed = products + math.sqrt(log) / part * rng.normal(size=width)
    return np.asarray(np.linalg.solve(noisy + ridge * np.eye(width), aimed) / longest)


def score(x: Floats, y: Floats, weights: Floats) -> float:
    """Return R^2."""
    return 1 - float(((y - x @ weights) ** 2).mean() / y.var())


def main() -> None:
    """Print a table of what is lost."""
    points = read_points(find_table())
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    lost: dict[float, list[tuple[float, float]]] = {epsilon: [] for epsilon in EPSILONS}
    plain, seconds = [], 0.0
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(points))
        held, kept = order[: len(points) // 5], order[len(points) // 5 :]
        train, (x, y) = expand(ENCODING.encode(points[kept])), expand(ENCODING.encode(points[held]))
        best = score(x, y, np.asarray(np.linalg.lstsq(*train, rcond=None)[0], dtype=np.float64))
        plain.append(best)
        source = MemorySource(points[kept])
        for epsilon in EPSILONS:
            start = time.perf_counter()
            ours = fit_regression(source, ENCODING, read_gaussian_allowance(epsilon, DELTA)).weights
            seconds += time.perf_counter() - start
            theirs = fit_adassp(*train, ENCODING.longest / FEATURE_STEPS, epsilon, rng)
            lost[epsilon].append((best - score(x, y, ours), best - score(x, y, theirs)))
    print(f"diamonds, {len(points):,} rows, {seeds} seeds, delta {DELTA:g}: R^2 of least squares {np.mean(plain):.4f}")
    print("| epsilon | ours loses | AdaSSP loses | ratio | goal |")
    print("|---|---|---|---|---|")
    for epsilon, goal in zip(EPSILONS, GOALS, strict=True):
        ours, theirs = np.mean(lost[epsilon], axis=0)
        print(f"| {epsilon} | {ours:.4f} | {theirs:.4f} | {ours / theirs:.3f} | {goal} |")
    print(f"seconds for one fit: {seconds / seeds / len(EPSILONS):.2f}")


if __name__ == "__main__":
    main()
