"""A choice among settings, paid for, beside no choice: wrong predictions on rows held out, of generated data.

`python bench/learning_choice.py [seeds]`. Two tables of 10,000 rows (and as many held out) with six numbers: in one the
chance of the label follows a line through them, in the other it bends. Four settings: the numbers as they are (what
`fit` does by itself), 8 bins of each, 30 bins of each, and a quarter of the usual patience. `fit_best` tries each two
times, half of the tries count, and epsilon pays for all of it. The last columns are what each setting by itself would
reach for the same epsilon: nobody knows before which of them is the best.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.curator.door.tries import toss_coins
from discreet.gradients.encoding import Encoding, Feature, LabelColumn, NumberFeature, PlaceFeature
from discreet.gradients.residuals import LogisticResidual
from discreet.gradients.sums import LinearGradients, find_scores
from discreet.learn.allowance import read_gaussian_allowance, read_try_allowance
from discreet.learn.choosing import CHANCE, try_training
from discreet.learn.descent import Trained, train
from discreet.learn.kinds import find_kind
from discreet.learn.source import MemorySource

EPSILONS = (0.1, 0.3, 1.0, 3.0)
DELTA = 1e-6
ROWS, NUMBERS, FINE = 10_000, 6, 1000
BINS = (8, 30)
SETTINGS = (("as usual", 0, 1.0), ("8 bins", 8, 1.0), ("30 bins", 30, 1.0), ("a quarter of patience", 0, 0.25))
LABEL = LabelColumn(NUMBERS * (1 + len(BINS)), 0, 1, 0, 1)


def make_gradients(bins: int) -> LinearGradients:
    """Return the gradients of a logistic model of the numbers, or of bins of them."""
    features: tuple[Feature, ...] = tuple(NumberFeature(at, 0, FINE) for at in range(NUMBERS))
    if bins:
        first = NUMBERS * (1 + BINS.index(bins))
        features = tuple(PlaceFeature(first + at, bins) for at in range(NUMBERS))
    return find_kind("logistic").make_gradients(Encoding(features, LABEL), 2)


def draw_rows(bent: bool, rng: np.random.Generator) -> Ints:
    """Return rows: numbers, their bins, and the label."""
    numbers = rng.integers(0, FINE, size=(ROWS, NUMBERS))
    scaled: Floats = numbers / FINE * 2 - 1
    slopes = np.array([3.0, -2.0, 1.5, 1.0, 0.5, 0.0])
    scores = (np.cos(2 * np.pi * scaled) if bent else scaled) @ slopes
    labels = rng.random(ROWS) < 1 / (1 + np.exp(-1.5 * scores))
    return np.hstack([numbers, *(numbers * each // FINE for each in BINS), labels[:, None]]).astype(np.int64)


def measure(trained: Trained, gradients: LinearGradients, rows: Ints) -> float:
    """Return the share of wrong predictions."""
    encoded = gradients.encoding.encode(rows)
    weights = np.array(trained.weights, dtype=np.float64).reshape(gradients.shape)
    return float(np.mean((find_scores(gradients, encoded, weights)[:, 0] > 0) != encoded.labels))


def choose(source: MemorySource, epsilon: float) -> tuple[Trained, int]:
    """Return what `fit_best` would, and which setting won."""
    allowance, loss = read_try_allowance(epsilon, DELTA, None, 2 * len(SETTINGS), CHANCE)
    found = []
    for at, counts in enumerate(toss_coins(loss)):
        place = at % len(SETTINGS)
        _, bins, patience = SETTINGS[place]
        trained, error = try_training(source, make_gradients(bins), "logistic", allowance, patience)
        if counts:
            found.append((error, at, trained, place))
    _, _, trained, place = min(found, key=lambda each: each[:2])
    return trained, place


def main() -> None:
    """Print a line for each table and epsilon: means over seeds."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    start = time.monotonic()
    assert isinstance(make_gradients(0).residual, LogisticResidual)
    print("| table | epsilon | best of 8 tries | " + " | ".join(name for name, _, _ in SETTINGS) + " | chosen |")
    print("| --- " * (len(SETTINGS) + 4) + "|")
    for bent in (False, True):
        for epsilon in EPSILONS:
            best, alone, chosen = [], [], []
            for seed in range(seeds):
                rng = np.random.default_rng(seed)
                source, held = MemorySource(draw_rows(bent, rng)), draw_rows(bent, rng)
                trained, place = choose(source, epsilon)
                chosen.append(SETTINGS[place][0])
                best.append(measure(trained, make_gradients(SETTINGS[place][1]), held))
                allowance = read_gaussian_allowance(epsilon, DELTA)
                errors = []
                for _, bins, patience in SETTINGS:
                    single = train(source, make_gradients(bins), "logistic", allowance, patience=patience)
                    errors.append(measure(single, make_gradients(bins), held))
                alone.append(errors)
            means = [np.mean(best), *np.mean(alone, axis=0)]
            shown = " | ".join(f"{each:.3f}" for each in means)
            print(f"| {'bent' if bent else 'straight'} | {epsilon:g} | {shown} | {', '.join(chosen)} |", flush=True)
    print(f"\n{seeds} runs each, delta {DELTA:g}; {time.monotonic() - start:.0f} s.")


if __name__ == "__main__":
    main()
