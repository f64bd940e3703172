"""Intervals hold as often as they say: each number's own, and all at once, for an oracle of every family."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from discreet.base.grid import Floats
from discreet.local.client import (
    BoundedNumbers,
    CountMeanSketch,
    DirectResponse,
    HadamardBit,
    HadamardSketch,
    HybridMean,
    LocalHashing,
    Mechanism,
    MemoisedHashing,
    MemoisedUnary,
    Metric,
    OneBitMean,
    PiecewiseMean,
    ProjectiveResponse,
    Rappor,
    SubsetSelection,
    Texts,
    UnaryEncoding,
)
from discreet.local.estimates import Estimates, estimate
from discreet.local.means import estimate_mean
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.oracle import Batch, ItemOracle
from discreet.local.rappor.candidates import hash_candidates
from discreet.local.rappor.decoding import decode
from discreet.local.sketches import estimate_texts
from discreet.local.tally import Tally
from support.rappor_counts import draw_counts, fall

SIZE, PEOPLE, AT_ONCE = 12, 2000, 50
EPSILON = 1.5
ITEMS = np.concatenate([np.zeros(600, dtype=np.int64), np.arange(1400) % SIZE])
SHARES = np.bincount(ITEMS, minlength=SIZE) / PEOPLE
NAMES = [f"item {place}" for place in range(SIZE)]


class Run(NamedTuple):
    """The estimates of one simulated collection, and the truth."""

    found: Any
    truth: Floats


def run_items(mechanism: Mechanism, runs: int) -> Iterator[Run]:
    """Yield collections of the same people; reports of many runs are made together."""
    oracle = find_oracle(mechanism)
    assert isinstance(oracle, ItemOracle)
    for _ in range(0, runs, AT_ONCE):
        batch = oracle.encode(np.tile(ITEMS, AT_ONCE))
        for first in range(0, len(batch), PEOPLE):
            part = slice(first, first + PEOPLE)
            counts = oracle.count(Batch(batch.seeds[part], batch.payloads[part])).counts
            yield Run(estimate(oracle, NAMES, PEOPLE, counts), SHARES)


def run_texts(mechanism: Mechanism, runs: int) -> Iterator[Run]:
    """Yield collections of people with texts of their own in each run, so that collisions are drawn anew."""
    metric, oracle = Metric("x", Texts(), mechanism, lifetime=9), find_oracle(mechanism)
    for number in range(runs):
        texts = [f"{number} {name}" for name in NAMES]
        held = [texts[item].encode() for item in ITEMS]
        counts = oracle.count(oracle.encode(held)).counts
        yield Run(estimate_texts(Tally(metric, PEOPLE, counts), texts), SHARES)


def run_numbers(mechanism: Mechanism, runs: int) -> Iterator[Run]:
    """Yield collections of people who are drawn anew from a population: its mean is what intervals hold."""
    metric, oracle = Metric("x", BoundedNumbers(-1, 1), mechanism, lifetime=9), find_oracle(mechanism)
    generator = np.random.default_rng(5)
    for _ in range(0, runs, AT_ONCE):
        batch = oracle.encode(2 * generator.beta(2, 5, PEOPLE * AT_ONCE) - 1)
        for first in range(0, len(batch), PEOPLE):
            part = slice(first, first + PEOPLE)
            counts = oracle.count(Batch(batch.seeds[part], batch.payloads[part])).counts
            mean = estimate_mean(Tally(metric, PEOPLE, counts)).state("mean")
            yield Run(mean, np.array([2 * 2 / 7 - 1]))


def run_rappor(mechanism: Mechanism, runs: int) -> Iterator[Run]:
    """Yield collections of people who are drawn anew from a population, each with one of the candidates."""
    assert isinstance(mechanism, Rappor)
    candidates, generator, truth = hash_candidates(mechanism, NAMES), np.random.default_rng(5), fall(SIZE, SIZE)
    for _ in range(runs):
        yield Run(decode(candidates, draw_counts(candidates, truth, 40 * PEOPLE, generator)), truth)


Runner = Callable[[Mechanism, int], Iterator[Run]]
CASES: dict[str, tuple[Mechanism, Runner]] = {
    "direct": (DirectResponse.calibrate(EPSILON, SIZE), run_items),
    "unary": (UnaryEncoding.calibrate(EPSILON, SIZE), run_items),
    "symmetric": (UnaryEncoding.calibrate(EPSILON, SIZE, symmetric=True), run_items),
    "hashing": (LocalHashing.calibrate(EPSILON, SIZE), run_items),
    "hadamard": (HadamardBit.calibrate(EPSILON, SIZE), run_items),
    "subset": (SubsetSelection.calibrate(EPSILON, SIZE), run_items),
    "projective": (ProjectiveResponse.calibrate(EPSILON, SIZE), run_items),
    "memoised-unary": (MemoisedUnary.calibrate(2 * EPSILON, EPSILON, SIZE), run_items),
    "memoised-hashing": (MemoisedHashing.calibrate(2 * EPSILON, EPSILON, SIZE), run_items),
    "count-mean": (CountMeanSketch.calibrate(EPSILON, 16, 64), run_texts),
    "hadamard-mean": (HadamardSketch.calibrate(EPSILON, 16, 64), run_texts),
    "one-bit": (OneBitMean.calibrate(EPSILON), run_numbers),
    "piecewise": (PiecewiseMean.calibrate(EPSILON), run_numbers),
    "hybrid": (HybridMean.calibrate(EPSILON), run_numbers),
}
RAPPOR = (Rappor.take(32, 2, 32, 0.25, 0.75, 0.5), run_rappor)


def find_coverage(mechanism: Mechanism, run: Runner, runs: int) -> tuple[float, float]:
    """Return how often a number's own interval held it, and how often all held all."""
    each, together = [], []
    for found, truth in run(mechanism, runs):
        each.append(((found.low <= truth) & (truth <= found.high)).mean())
        together.append(bool(((found.all_low <= truth) & (truth <= found.all_high)).all()))
    assert len(each) == runs
    return float(np.mean(each)), float(np.mean(together))


@pytest.mark.many
@pytest.mark.parametrize("name", CASES)
def test_intervals_hold_as_often_as_they_say(name: str) -> None:
    """Over 200 runs, within five standard deviations; a single number's coverage varies most."""
    each, together = find_coverage(*CASES[name], 200)
    allowed = 5 * np.sqrt(0.95 * 0.05 / 200)
    assert 0.95 - allowed < each < 0.999
    assert together > 0.95 - allowed


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_intervals_hold_as_often_as_they_say_over_many_runs(name: str) -> None:
    """Those of all at once hold oftener where numbers depend on one another; noise is normal only nearly, far out.

    A single number has one interval in a run, so its coverage is seen less sharply: it gets twice the runs.
    """
    each, together = find_coverage(*CASES[name], 40_000 if CASES[name][1] is run_numbers else 20_000)
    print(f"{name}: {each:.4f} each, {together:.4f} all at once")
    assert 0.944 <= each <= 0.956
    assert 0.94 <= together <= 0.97


@pytest.mark.long
def test_intervals_of_rappor_hold_a_little_oftener_than_they_say() -> None:
    """Their errors are the larger of what noise explains and of what a candidate's own rows show."""
    each, together = find_coverage(*RAPPOR, 2000)
    print(f"rappor: {each:.4f} each, {together:.4f} all at once")
    assert 0.944 <= each <= 0.965
    assert 0.92 <= together <= 0.98


def test_intervals_that_are_too_narrow_are_noticed() -> None:
    """The same look at intervals that are a fifth too narrow."""
    mechanism, run = CASES["unary"]
    held = []
    for found, truth in run(mechanism, 400):
        assert isinstance(found, Estimates)
        half = 0.8 * (found.high - found.low) / 2
        held.append((np.abs(found.raw - truth) <= half).mean())
    assert np.mean(held) < 0.925
