"""Counts of reports, cohort by cohort."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.local.client import Metric, Rappor, SystemCoins, Texts
from discreet.local.oracles.oracle import Batch
from discreet.local.rappor.oracle import RapporOracle, choose_cohorts, unpack
from discreet.local.tally import Tally

SMALL = Rappor.take(16, 2, 2, 0.5, 0.75, 0.5)


def pack(cohorts: list[int], texts: list[str]) -> Batch:
    payloads = [np.frombuffer(int(text, 2).to_bytes(2, "little"), dtype=np.uint8) for text in texts]
    return Batch(np.array(cohorts), np.array(payloads))


def test_counts_are_those_of_the_reference() -> None:
    """Its test of sums: two reports of cohort 1, whose last bits stand first."""
    counted = RapporOracle(SMALL).count(pack([1, 1], ["0000111100001111", "0000000000111100"]))
    assert counted.counts.tolist() == [[0] * 17, [2, 1, 1, 2, 2, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0]]


def test_cohorts_out_of_range_and_bits_beyond_the_last_are_not_counted() -> None:
    oracle = RapporOracle(Rappor.take(12, 2, 2, 0.5, 0.75, 0.5))
    counted = oracle.count(pack([0, 2, -1, 1], ["0" * 16, "1", "1", "1" + "0" * 15]))
    assert counted.good.tolist() == [True, False, False, False]
    assert counted.counts.sum() == 1


def test_tallies_of_clients_reports_add_up() -> None:
    metric = Metric("page", Texts(), SMALL, lifetime=5.0)
    reports = [metric.encode(f"page {number % 7}") for number in range(300)]
    payloads = np.array([np.frombuffer(each.payload, dtype=np.uint8) for each in reports])
    batch = Batch(np.array([each.seed for each in reports]), payloads)
    whole, _ = Tally.start(metric).add(batch)
    parts = [
        Tally.start(metric).add(Batch(batch.seeds[part], batch.payloads[part]))[0]
        for part in (slice(0, 100), slice(100, 300))
    ]
    assert parts[1] + parts[0] == whole
    assert whole.counts[:, 0].sum() == 300


@pytest.mark.parametrize("f", [0, 0.5])
def test_reports_at_once_have_the_law_of_the_clients(f: float) -> None:
    """Each bit of 40,000 reports is set as often as q* or p* says: within 5.5 standard deviations, all of them."""
    mechanism = Rappor.take(12, 2, 3, 0.25, 0.75, f)
    batch = RapporOracle(mechanism).encode([b"text"] * 40_000)
    assert set(np.unique(batch.seeds)) == {0, 1, 2}
    for cohort in range(3):
        bits = unpack(mechanism, Batch(batch.seeds, batch.payloads))[batch.seeds == cohort]
        own = np.isin(np.arange(12), mechanism.find_places(b"text", cohort))
        chances = np.where(own, float(mechanism.set_if_true), float(mechanism.set_if_false))
        assert (np.abs(bits.mean(axis=0) - chances) < 5.5 * np.sqrt(chances * (1 - chances) / len(bits))).all()


def test_one_client_and_many_set_the_same_bits_where_nothing_is_noise() -> None:
    mechanism = Rappor(16, 3, 1, 1, (1 << 64) - 1, 0)
    batch = RapporOracle(mechanism).encode([b"some text"] * 5)
    single = mechanism.randomise(b"some text", SystemCoins())
    assert {line.tobytes() for line in batch.payloads} == {single.payload}


def test_cohorts_are_chosen_evenly() -> None:
    counts = np.bincount(choose_cohorts(5, 100_000), minlength=5)
    assert (np.abs(counts - 20_000) < 6 * np.sqrt(16_000)).all()
