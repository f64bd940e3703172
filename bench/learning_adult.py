"""Adult, as benchmarks of learning take it: its rows, a model that learns from them, and how its scores are judged."""

from __future__ import annotations

import time

import numpy as np

from discreet.gradients.encoding import Encoding, LabelColumn, PlaceFeature
from discreet.gradients.residuals import WEIGHT_STEPS
from discreet.gradients.sums import LinearGradients, find_scores, hold_weights
from discreet.learn.kinds import find_kind
from discreet.learn.linear_learners import find_linear_learner
from discreet.learn.source import MemorySource
from synthetic_data import Numbers, load_adult

ADULT_ERROR = 0.1526
"""The error of logistic regression without privacy that the goals are ratios to."""

ADULT_TRAIN, ADULT_LABEL, BINS = 39_074, 13, 7
ADULT_NUMBERS = (0, 2, 9, 10, 11)


def prepare_adult() -> tuple[Numbers, LinearGradients]:
    """Return Adult's rows, numbers in bins, and the gradients of its logistic regression."""
    rows = load_adult()
    values, features = rows.values.copy(), []
    for place, size in enumerate(rows.sizes[:ADULT_LABEL]):
        if place in ADULT_NUMBERS:
            values[:, place] = values[:, place] * BINS // size
        features.append(PlaceFeature(place, BINS if place in ADULT_NUMBERS else size))
    encoding = Encoding(tuple(features), LabelColumn(ADULT_LABEL, 0, 1, 0, 1))
    return values, find_kind("logistic").make_gradients(encoding, 2)


def learn_adult(method: str, epsilon: float, seed: int) -> tuple[float, float, float]:
    """Return the error on rows held out, the area under the curve, and the seconds that learning took."""
    values, gradients = prepare_adult()
    order = np.random.default_rng(seed).permutation(len(values))
    known, held = values[order[:ADULT_TRAIN]], values[order[ADULT_TRAIN:]]
    learner = find_linear_learner(find_kind("logistic"), method)
    begin = time.perf_counter()
    found = learner.learn(MemorySource(known), gradients, learner.read_allowance(epsilon, 1e-7, None))
    taken = time.perf_counter() - begin
    scores = score_rows(gradients, np.array(found.weights) / WEIGHT_STEPS, held)[:, 0]
    positive = held[:, ADULT_LABEL] == 1
    return float(np.mean((scores > 0) != positive)), find_area(scores, positive), taken


def score_rows(gradients: LinearGradients, weights: Numbers, points: Numbers) -> Numbers:
    """Return the scores of rows of points."""
    encoded = gradients.encoding.encode(points.astype(np.int64))
    return find_scores(gradients, encoded, hold_weights(weights.reshape(gradients.shape)).astype(np.float64))


def find_area(scores: Numbers, positive: Numbers) -> float:
    """Return the area under the curve: how often a positive row scores above a negative one."""
    ranks = np.empty(len(scores))
    ranks[np.argsort(scores, kind="stable")] = np.arange(1, len(scores) + 1)
    ones = int(positive.sum())
    return float((ranks[positive].sum() - ones * (ones + 1) / 2) / (ones * (len(scores) - ones)))
