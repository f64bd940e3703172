"""Oracles count what clients send, and estimate frequencies with the variance that they state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from discreet.local.client import (
    DirectResponse,
    HadamardBit,
    ItemMechanism,
    LocalHashing,
    MemoisedHashing,
    MemoisedUnary,
    ProjectiveResponse,
    SubsetSelection,
    SystemCoins,
    UnaryEncoding,
)
from discreet.local.client.hashing import find_bucket
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.hashing import find_buckets
from discreet.local.oracles.oracle import Batch, ItemOracle, sum_bits, toss

SIZE = 9
KINDS = [DirectResponse, UnaryEncoding, LocalHashing, HadamardBit, SubsetSelection, ProjectiveResponse]
MECHANISMS: list[ItemMechanism] = [
    *(kind.calibrate(1.0, SIZE) for kind in KINDS),  # type: ignore[attr-defined]
    LocalHashing.calibrate(1.0, SIZE, pool=50),
    UnaryEncoding.calibrate(1.0, SIZE, symmetric=True),
    MemoisedUnary.calibrate(2.0, 1.0, SIZE),
    MemoisedHashing.calibrate(2.0, 1.0, SIZE),
]
RARE = 1e-6


def name(mechanism: ItemMechanism) -> str:
    return f"{mechanism.kind}-{mechanism.seeds}"


def find(mechanism: ItemMechanism) -> ItemOracle[Any]:
    found = find_oracle(mechanism)
    assert isinstance(found, ItemOracle)
    return found


def encode_one_by_one(mechanism: ItemMechanism, items: list[int]) -> Batch:
    coins = SystemCoins()
    reports = [mechanism.randomise(item, coins) for item in items]
    payloads = np.frombuffer(b"".join(report.payload for report in reports), dtype=np.uint8)
    return Batch(np.array([report.seed for report in reports]), payloads.reshape(len(items), -1))


@pytest.mark.many
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
def test_bulk_reports_have_the_law_of_clients(mechanism: ItemMechanism) -> None:
    """Supports of an item, of its neighbour and of both together occur as often in bulk as from clients."""
    oracle, many = find(mechanism), 4000
    seen = []
    for batch in (oracle.encode(np.full(many, 2)), encode_one_by_one(mechanism, [2] * many)):
        ones = [Batch(batch.seeds[place : place + 1], batch.payloads[place : place + 1]) for place in range(many)]
        parts = [oracle.find_supports(oracle.count(one).counts) for one in ones]
        seen.append(np.bincount([2 * int(part[2]) + int(part[3]) for part in parts], minlength=4))
    kept = np.array(seen)[:, np.array(seen).sum(axis=0) > 0]
    assert stats.chi2_contingency(kept).pvalue > RARE


@pytest.mark.many
@pytest.mark.parametrize("frequency", [0.0, 0.3])
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
def test_the_measured_variance_is_the_stated_one(mechanism: ItemMechanism, frequency: float) -> None:
    runs, people = 400, 500
    own = round(people * frequency)
    items = np.concatenate([np.full(own, 4), 5 + np.arange(people - own) % 3])
    oracle = find(mechanism)
    supports = np.array([oracle.find_supports(oracle.count(oracle.encode(items)).counts)[4] for _ in range(runs)])
    chance, stray = float(mechanism.supported), float(mechanism.strayed)
    estimates = (supports / people - stray) / (chance - stray)
    variance = mechanism.variance(frequency) / people
    if not (isinstance(mechanism, LocalHashing) and mechanism.pool < 1000):
        assert abs(estimates.mean() - frequency) < 5 * np.sqrt(variance / runs)
    spread = runs * estimates.var() / variance
    assert stats.chi2.ppf(RARE / 2, runs - 1) < spread < stats.chi2.ppf(1 - RARE / 2, runs - 1)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
def test_counts_of_parts_add_up_to_those_of_the_whole(mechanism: ItemMechanism) -> None:
    oracle = find(mechanism)
    batch = oracle.encode(np.arange(300) % SIZE)
    parts = [Batch(batch.seeds[part], batch.payloads[part]) for part in (slice(0, 7), slice(7, 260), slice(260, 300))]
    whole = oracle.count(batch)
    assert whole.good.all()
    assert whole.counts.shape == oracle.shape
    assert np.array_equal(np.sum([oracle.count(part).counts for part in parts], axis=0), whole.counts)


BROKEN = {
    "direct": lambda batch: Batch(batch.seeds, np.full_like(batch.payloads, SIZE)),
    "unary": lambda batch: Batch(batch.seeds, batch.payloads | 128),
    "hashing": lambda batch: Batch(batch.seeds, np.full_like(batch.payloads, 200)),
    "hadamard": lambda batch: Batch(batch.seeds, batch.payloads + 2),
    "subset": lambda batch: Batch(batch.seeds, np.zeros_like(batch.payloads)),
    "projective": lambda batch: Batch(batch.seeds, np.full_like(batch.payloads, 255)),
}


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
def test_reports_that_no_client_sends_count_as_nothing(mechanism: ItemMechanism) -> None:
    oracle = find(mechanism)
    batch = oracle.encode(np.zeros(20, dtype=np.int64))
    for broken in (
        BROKEN[mechanism.kind.removeprefix("memoised-")](batch),
        Batch(batch.seeds - mechanism.seeds, batch.payloads),
    ):
        counts, good = oracle.count(broken)
        assert not good.any()
        assert not counts.any()
    beyond = Batch(batch.seeds + mechanism.seeds, batch.payloads)
    assert not oracle.count(beyond).good.any()


def test_a_set_of_another_size_is_no_report() -> None:
    oracle = find(SubsetSelection(SIZE, 3, 1 << 63))
    payloads = np.array([[0b111, 0], [0b11, 0], [0b1111, 0], [0b11, 0b1], [0b11, 0b10]], dtype=np.uint8)
    assert oracle.count(Batch(np.zeros(5, dtype=np.int64), payloads)).good.tolist() == [True, False, False, True, False]


def test_client_and_collector_find_the_same_buckets() -> None:
    seeds = np.array([0, 1, 77, (1 << 32) - 1])
    keys = np.array([0, 1, 5, 1 << 33, (1 << 64) - 1], dtype=np.uint64)
    found = find_buckets(seeds[:, None], keys, 5)
    assert found.tolist() == [[find_bucket(int(seed), int(key), 5) for key in keys] for seed in seeds]


def test_two_keys_share_a_bucket_as_often_as_chance_says() -> None:
    seeds = np.arange(200_000)
    for first, second in ((0, 1), (3, 1000), (1 << 32, 1 << 40)):
        shared = find_buckets(seeds, np.uint64(first), 4) == find_buckets(seeds, np.uint64(second), 4)  # type: ignore[arg-type]
        assert stats.binomtest(int(shared.sum()), len(seeds), 0.25).pvalue > RARE


def test_a_coin_of_the_bulk_is_exact_in_all_its_bits() -> None:
    """Of a chance of 2^-8 - 2^-9 the first byte alone decides nothing; a chance of 1 - 2^-64 is all but certain."""
    assert toss((1 << 64) - 1, 10_000).all()
    assert not toss(1, 10_000).any()
    heads = int(toss((1 << 56) - (1 << 55), 1_000_000).sum())
    assert stats.binomtest(heads, 1_000_000, 2.0**-9).pvalue > RARE
    assert toss(1 << 64, 5).all()


def test_bits_are_summed_beyond_what_a_byte_holds() -> None:
    payloads = np.full((70_000, 2), 255, dtype=np.uint8)
    payloads[:, 1] = 1
    assert sum_bits(payloads, 10).tolist() == [70_000] * 9 + [0]
