"""How OpenDP answers the cases of `cases.py`: its own measurements, built once, on exact answers.

The scales are those that its Polars interface states (`summarize`) for the same bounds: a count and a sum have the
whole epsilon, a mean is a sum and a count with half each, a median its noisy minimum over all candidates. It has no
variance under add-remove neighbours: here it is made from three of its sums, centred, with a third each. With a delta
it may also use Gaussian noise, composed in zCDP and converted, and takes whichever errs less.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import opendp.prelude as dp

from cases import Case

dp.enable_features("contrib")
LIST = dp.vector_domain(dp.atom_domain(T=int))


def releases(case: Case, times: int) -> dict[str, np.ndarray]:
    """Return noisy answers by the kind of noise, one row a release and one column a key."""
    make = _median if case.aggregate == "median" else _sums
    found = {"laplace": make(case, times, False)}
    if case.delta and not case.private:
        found["gaussian"] = make(case, times, True)
    return found


def kept(case: Case, times: int) -> dict[str, np.ndarray]:
    """Return whether each key is kept by a question for keys and counts at the whole price."""
    space = dp.map_domain(dp.atom_domain(T=int), dp.atom_domain(T=int)), dp.l01inf_distance(dp.absolute_distance(T=int))
    scale = case.groups / case.epsilon

    def measurement(threshold: int) -> Any:
        return dp.m.make_laplace_threshold(*space, scale=scale, threshold=threshold)

    limits = (case.groups, case.groups, 1)
    threshold = dp.binary_search(lambda t: measurement(t).map(limits)[1] <= case.delta, bounds=(1, 10**6))
    chosen, units = measurement(threshold), {key: int(n) for key, n in zip(case.keys, case.units, strict=True)}
    assert chosen.map(limits)[0] <= case.epsilon * (1 + 1e-9)
    turns = [set(chosen(units)) for _ in range(times)]
    return {"laplace": np.array([[key in turn for key in case.keys] for turn in turns])}


def _share(case: Case) -> float:
    """Return the epsilon for values: private keys come with a noisy count, which takes half where there is none."""
    return case.epsilon / (2 if case.private and case.aggregate in ("sum", "median") else 1)


def _sums(case: Case, times: int, gaussian: bool) -> np.ndarray:
    middle = case.upper // 2 if case.aggregate == "variance" else 0
    counts = np.array([len(part) for part in case.parts])
    sums = np.array([int(np.sum(part - middle)) for part in case.parts])
    squares = np.array([int(np.sum((part - middle) ** 2)) for part in case.parts])
    reach = max(middle, case.upper - middle)
    if case.aggregate == "count":
        return _noisy(case, counts, 1, 1, gaussian, times)
    if case.aggregate == "sum":
        return _noisy(case, sums, reach, 1, gaussian, times)
    parts = 2 if case.aggregate == "mean" else 3
    number = np.maximum(_noisy(case, counts, 1, parts, gaussian, times), 1)
    mean = _noisy(case, sums, reach, parts, gaussian, times) / number
    if case.aggregate == "mean":
        return np.asarray(np.clip(mean, 0, case.upper))
    spread = _noisy(case, squares, reach**2, parts, gaussian, times) / number - mean**2
    return np.asarray(np.clip(spread, 0, (case.upper / 2) ** 2))


def _noisy(case: Case, values: np.ndarray, reach: int, parts: int, gaussian: bool, times: int) -> np.ndarray:
    """Add noise to a vector over the keys, at one of so many equal parts of the price."""
    if gaussian:
        scale = _unit_sigma(case.epsilon, case.delta) * math.sqrt(parts * case.groups) * case.rows * reach
        measurement = dp.m.make_gaussian(LIST, dp.l2_distance(T=float), scale=scale)
    else:
        bound = case.groups * case.rows * reach
        scale = bound * parts / _share(case)
        measurement = dp.m.make_laplace(LIST, dp.l1_distance(T=int), scale=scale)
        assert measurement.map(bound) <= _share(case) / parts * (1 + 1e-9)
    exact = [int(value) for value in values]
    return np.array([measurement(exact) for _ in range(times)], dtype=float)


@cache
def _unit_sigma(epsilon: float, delta: float) -> float:
    """Return the sigma that gives a sensitivity of 1 this price."""

    def measurement(sigma: float) -> Any:
        return _converted(dp.m.make_gaussian(LIST, dp.l2_distance(T=float), scale=sigma), delta)

    return float(dp.binary_search_param(measurement, 1.0, (epsilon, delta), T=float))


def _converted(measurement: Any, delta: float) -> Any:
    return dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(measurement), delta)


def _median(case: Case, times: int, gaussian: bool) -> np.ndarray:
    scoring = dp.t.make_quantile_score_candidates(LIST, dp.symmetric_distance(), list(range(case.upper + 1)), 0.5)
    space = scoring.output_domain, scoring.output_metric
    moved = scoring.map(case.rows)
    measure = dp.zero_concentrated_divergence() if gaussian else dp.max_divergence()

    def measurement(scale: float) -> Any:
        return dp.m.make_noisy_max(*space, measure, scale, negate=True)

    each = (1 / (2 * _unit_sigma(case.epsilon, case.delta) ** 2) if gaussian else _share(case)) / case.groups
    chosen: Callable[[Any], Any] = dp.binary_search_chain(measurement, moved, each, T=float)
    scores = [scoring([int(value) for value in part]) for part in case.parts]
    return np.array([[chosen(each) for each in scores] for _ in range(times)], dtype=float)
