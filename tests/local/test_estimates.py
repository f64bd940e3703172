from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from discreet.base.errors import ParameterError
from discreet.local.client import DirectResponse, LocalHashing
from discreet.local.estimates import Frequencies, estimate, project_on_simplex
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.oracle import ItemOracle

SIZE = 12
NAMES = [f"item {place}" for place in range(SIZE)]


def ask(mechanism: Any, items: Any, confidence: float = 0.95) -> Frequencies:
    oracle = find_oracle(mechanism)
    assert isinstance(oracle, ItemOracle)
    counts, good = oracle.count(oracle.encode(items))
    return estimate(oracle, NAMES[: mechanism.size], int(good.sum()), counts, confidence)


def test_errors_of_a_pool_of_functions_include_their_collisions() -> None:
    """With 20 functions the pool decides more than coins do: errors without it would be far too small."""
    items = np.zeros(200_000, dtype=np.int64)
    scores = []
    pooled = LocalHashing.calibrate(1.0, SIZE, pool=20)
    found = ask(pooled, items)
    scores = (found.raw[1:] / found.errors[1:]).tolist()
    coins_only = np.sqrt(pooled.variance() / len(items))
    assert found.errors[1] > 5 * coins_only
    assert float(np.square(scores).sum()) < stats.chi2.ppf(1 - 1e-6, SIZE - 1)


def test_a_frequency_at_the_detectable_one_stands_out_half_of_the_times() -> None:
    people = 4000
    mechanism = DirectResponse.calibrate(1.0, SIZE)
    least = ask(mechanism, np.zeros(people, dtype=np.int64)).detectable
    items = np.concatenate([np.zeros(round(least * people), dtype=np.int64), 1 + np.arange(people) % (SIZE - 1)])[
        :people
    ]
    seen = [ask(mechanism, items).raw[0] > least for _ in range(300)]
    assert 0.3 < np.mean(seen) < 0.7


def test_one_malicious_report_moves_an_estimate_by_no_more_than_the_shift() -> None:
    mechanism = DirectResponse.calibrate(1.0, SIZE)
    oracle = find_oracle(mechanism)
    assert isinstance(oracle, ItemOracle)
    counts = oracle.count(oracle.encode(np.arange(2000) % SIZE)).counts
    before = estimate(oracle, NAMES, 2000, counts)
    moved = counts.copy()
    moved[0], moved[1] = moved[0] + 1, moved[1] - 1
    after = estimate(oracle, NAMES, 2000, moved)
    assert np.abs(after.raw - before.raw).max() == pytest.approx(before.shift)


@given(st.lists(st.floats(-2, 2), min_size=1, max_size=30))
def test_the_consistent_version_is_the_nearest_distribution(values: list[float]) -> None:
    raw = np.array(values)
    found = project_on_simplex(raw)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)
    positive = found > 1e-12
    gaps = raw - found
    assert np.ptp(gaps[positive]) < 1e-9
    assert (gaps[~positive] <= gaps[positive].max() + 1e-9).all()


def test_nothing_is_estimated_from_no_reports() -> None:
    oracle = find_oracle(DirectResponse.calibrate(1.0, SIZE))
    assert isinstance(oracle, ItemOracle)
    with pytest.raises(ParameterError, match="at least one"):
        estimate(oracle, NAMES, 0, np.zeros(SIZE, dtype=np.int64))
    with pytest.raises(ParameterError, match="confidence"):
        estimate(oracle, NAMES, 5, np.zeros(SIZE, dtype=np.int64), 1.0)
    silent = find_oracle(DirectResponse(2, 1 << 63))
    assert isinstance(silent, ItemOracle)
    with pytest.raises(ParameterError, match="tells something"):
        estimate(silent, NAMES[:2], 5, np.zeros(2, dtype=np.int64))
