"""Readings in files: the same numbers, as narrow as they fit, and noise of the right deviation."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from discreet.topdown.running.counts import SparseCounts
from discreet.topdown.running.held_readings import HeldReading, simulate_readings
from topdown.estimate.dense import ask, ask_all, make_schema

SCHEMA = make_schema(2, 3)


def test_simulated_readings_are_the_truth_with_noise_of_that_deviation(tmp_path: Path) -> None:
    truth = SparseCounts.of_dense(np.random.default_rng(1).integers(0, 9, (4000, 6)))
    plan = HeldReading(0, ask_all(SCHEMA), 9 + 1 / 12, 3.0, Path())
    (found,) = simulate_readings([plan], [truth], tmp_path, np.random.default_rng(2))
    off = found.open().values - truth.to_dense()
    assert abs(off.mean()) < 0.1
    assert abs(off.var() / found.variance - 1) < 0.05
    assert found.open().values.dtype == np.int16


def test_large_numbers_are_kept_whole(tmp_path: Path) -> None:
    for size, kind in ((1000, np.int16), (100_000, np.int32), (2**40, np.int64)):
        truth = SparseCounts.of_dense(np.full((3, 6), size, dtype=np.int64))
        plan = HeldReading(0, ask(SCHEMA), 1.0, 1e-6, Path())
        (found,) = simulate_readings([plan], [truth], tmp_path, np.random.default_rng(2))
        assert found.open().values.tolist() == [[6 * size]] * 3
        assert found.open().values.dtype == kind


def test_the_same_seed_draws_the_same_and_another_draws_anew(tmp_path: Path) -> None:
    truth = SparseCounts.of_dense(np.zeros((50, 6), dtype=np.int64))
    plan = HeldReading(0, ask_all(SCHEMA), 9.0, 3.0, Path())
    drawn = []
    for seed in (1, 1, 2):
        (found,) = simulate_readings([plan], [truth], tmp_path, np.random.default_rng(seed))
        drawn.append(np.array(found.open().values))
    assert np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])
