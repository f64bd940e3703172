"""Step functions and naive Bayes on Adult: the area under the curve, error and log loss at several epsilons.

`python bench/learning_stumps.py FOLDER [seeds]`, with a folder that holds `adult.csv` and `adult-domain.json` (the
discretised table of the papers). A fifth is held out; delta is 1e-7. Every coded column is a feature; those that are
numbers have bins with an order.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.gradients.encoding import Encoding, Feature, LabelColumn, NumberFeature, PlaceFeature
from discreet.learn.allowance import read_gaussian_allowance
from discreet.learn.naive_bayes import fit_naive_bayes
from discreet.learn.source import MemorySource
from discreet.learn.stumps import fit_stumps

EPSILONS = (0.1, 0.5, 1.0, 3.0)
DELTA = 1e-7
NUMBERS = {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}


def find_area(scores: Floats, labels: Ints) -> float:
    """Return the area under the curve, ties counted half."""
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks = ((ends - counts + 1 + ends) / 2)[places]
    yes = int(labels.sum())
    return float((ranks[labels == 1].sum() - yes * (yes + 1) / 2) / (yes * (len(labels) - yes)))


def rate(scores: Floats, labels: Ints) -> tuple[float, float, float]:
    """Return area, error and log loss of log odds."""
    chance = np.clip(1 / (1 + np.exp(-np.clip(scores, -50, 50))), 1e-9, 1 - 1e-9)
    loss = -np.log(np.where(labels, chance, 1 - chance)).mean()
    return find_area(scores, labels), float(((scores > 0) != labels).mean()), float(loss)


def main() -> None:
    """Print a table."""
    folder, seeds = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    domain = json.loads((folder / "adult-domain.json").read_text())
    table = np.loadtxt(folder / "adult.csv", delimiter=",", skiprows=1, dtype=np.int64)
    names, label = list(domain)[:-1], LabelColumn(len(domain) - 1, 0, 1, 0, 1)
    placed: list[Feature] = [PlaceFeature(at, domain[name]) for at, name in enumerate(names)]
    mixed = [NumberFeature(at, 0, domain[name] - 1) if name in NUMBERS else placed[at] for at, name in enumerate(names)]
    bins, plain = Encoding(tuple(placed), label), Encoding(tuple(mixed), label)
    ordered = [domain[name] if name in NUMBERS else 0 for name in names]
    found: dict[tuple[str, float], list[tuple[float, float, float]]] = {}
    seconds = []
    for seed in range(seeds):
        order = np.random.default_rng(seed).permutation(len(table))
        held, kept = table[order[: len(table) // 5]], table[order[len(table) // 5 :]]
        source = MemorySource(kept)
        for epsilon in EPSILONS:
            allowance = read_gaussian_allowance(epsilon, DELTA)
            start = time.perf_counter()
            steps = fit_stumps(source, bins, ordered, allowance)
            seconds.append(time.perf_counter() - start)
            bayes = fit_naive_bayes(source, plain, 2, allowance).find_scores(plain.encode(held))
            for name, scores in (("steps", steps.find_scores(bins.encode(held))), ("naive Bayes", bayes @ [-1.0, 1.0])):
                found.setdefault((name, epsilon), []).append(rate(scores, held[:, -1]))
    print(f"Adult, {len(table):,} rows, {seeds} seeds, delta {DELTA:g}")
    print("| model | epsilon | area under the curve | error | log loss |")
    print("|---|---|---|---|---|")
    for (name, epsilon), rated in sorted(found.items()):
        area, error, loss = np.mean(rated, axis=0)
        print(f"| {name} | {epsilon} | {area:.4f} | {error:.4f} | {loss:.4f} |")
    print(f"seconds for one fit of steps: {np.mean(seconds):.2f}")


if __name__ == "__main__":
    main()
