"""Logistic regression on Adult beside diffprivlib's, and its area under the curve beside DP-EBM's, in one run.

    python -m venv .venv-learning && .venv-learning/bin/pip install -r bench/learning.txt -e .
    DISCREET_DATA=folder .venv-learning/bin/python bench/learning.py --seeds 2 peers accounting

All see the same rows: 39,074 to train, the rest held out. diffprivlib gets one-hot rows of norm 1 and the better of
two regularisations, which it does not pay for; it has pure epsilon. DP-EBM gets the columns as they are, and the exact
number of rows. Ours has delta 1e-7 and pays for all it knows.
"""

from __future__ import annotations

import importlib
import warnings

import numpy as np

from discreet.gradients.encoding import Encoding, LabelColumn, PlaceFeature
from discreet.gradients.residuals import WEIGHT_STEPS
from discreet.learn.allowance import read_gaussian_allowance
from discreet.learn.descent import train
from discreet.learn.kinds import find_kind
from discreet.learn.source import MemorySource
from learning_adult import ADULT_ERROR, ADULT_LABEL, ADULT_NUMBERS, ADULT_TRAIN, BINS, find_area, score_rows
from synthetic_data import Numbers, load_adult
from timing import markdown

EPSILONS = (0.5, 1.0)
PENALTIES = (1.0, 100.0)
DELTA = 1e-7
MOST_EXCESS, AREA_SLACK = 0.25, 0.002


def encode(values: Numbers, sizes: list[int]) -> Numbers:
    """Return one-hot rows of norm 1."""
    hot = np.concatenate([np.eye(size)[values[:, place]] for place, size in enumerate(sizes)], axis=1)
    return np.asarray(hot / np.sqrt(len(sizes)))


def compare_peers(seeds: int) -> str:
    """Return a table of errors and areas."""
    warnings.simplefilter("ignore")
    models = importlib.import_module("diffprivlib.models")
    boosting = importlib.import_module("interpret.privacy")
    rows = load_adult()
    values, sizes = rows.values.copy(), list(rows.sizes[:ADULT_LABEL])
    for place in ADULT_NUMBERS:
        values[:, place] = values[:, place] * BINS // sizes[place]
        sizes[place] = BINS
    features = tuple(PlaceFeature(place, size) for place, size in enumerate(sizes))
    gradients = find_kind("logistic").make_gradients(Encoding(features, LabelColumn(ADULT_LABEL, 0, 1, 0, 1)), 2)
    lines = []
    for epsilon in EPSILONS:
        ours, theirs, areas, boosted = [], [], [], []
        for seed in range(seeds):
            order = np.random.default_rng(seed).permutation(len(values))
            known, held = values[order[:ADULT_TRAIN]], values[order[ADULT_TRAIN:]]
            answers, truth = known[:, ADULT_LABEL], held[:, ADULT_LABEL]
            trained = train(MemorySource(known), gradients, "logistic", read_gaussian_allowance(epsilon, DELTA))
            scores = score_rows(gradients, np.array(trained.weights) / WEIGHT_STEPS, held)[:, 0]
            ours.append(float(np.mean((scores > 0) != (truth == 1))))
            areas.append(find_area(scores, truth == 1))
            fitted = [
                models.LogisticRegression(epsilon=epsilon, data_norm=1.0, C=penalty, max_iter=1000).fit(
                    encode(known[:, :ADULT_LABEL], sizes), answers
                )
                for penalty in PENALTIES
            ]
            theirs.append([1 - each.score(encode(held[:, :ADULT_LABEL], sizes), truth) for each in fitted])
            bounds = {place: (0, size - 1) for place, size in enumerate(sizes)}
            boosted_model = boosting.DPExplainableBoostingClassifier(
                epsilon=epsilon, delta=DELTA, privacy_bounds=bounds
            ).fit(known[:, :ADULT_LABEL].astype(float), answers)
            chance = boosted_model.predict_proba(held[:, :ADULT_LABEL].astype(float))[:, 1]
            boosted.append(find_area(chance, truth == 1))
        mine, best = float(np.mean(ours)), float(np.min(np.mean(theirs, axis=0)))
        excess = (mine - ADULT_ERROR) / (best - ADULT_ERROR)
        met = excess <= MOST_EXCESS and np.mean(areas) >= np.mean(boosted) - AREA_SLACK
        numbers = [f"{mine:.4f}", f"{best:.4f}", f"{excess:.2f}", f"{np.mean(areas):.4f}", f"{np.mean(boosted):.4f}"]
        lines.append([f"{epsilon:g}", *numbers, "met" if met else "MISSED"])
    header = [
        f"epsilon ({seeds} runs)",
        "error",
        "diffprivlib",
        f"excess over its (asked {MOST_EXCESS})",
        "area",
        "DP-EBM",
        "",
    ]
    return markdown(header, lines)
