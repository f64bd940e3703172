"""Oracles of texts, words, numbers and records: bulk reports have the clients' law, and unsound ones do not count."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.local.client import (
    AlphabetWords,
    BoundedNumbers,
    Choices,
    CountMeanSketch,
    HadamardSketch,
    HybridMean,
    LocalHashing,
    Mechanism,
    Metric,
    OneBitMean,
    PiecewiseMean,
    PrefixExtending,
    Randomised,
    Records,
    Sampled,
    Texts,
    ValueDomain,
)
from discreet.local.client.sketch import find_text_bucket
from discreet.local.counting import ReportCounter
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.oracle import Batch
from discreet.local.oracles.sketch import SketchOracle, estimate_squares
from discreet.local.tally import Tally, read_tally
from support.enumerated_coins import find_law
from support.local_cases import Case, make_cases
from support.sampling import chi_square_p

CASES = make_cases(1.0)
RARE = 1e-6
MANY = 100_000


def repeat(case: Case, value: Any, count: int) -> Any:
    """Return one value many times, as the bulk encoder takes them."""
    if case.mechanism.takes in ("text", "record"):
        return [value] * count
    return np.full(count, float(value) if isinstance(value, Fraction) else value)


def list_reports(batch: Batch) -> list[Randomised]:
    return [Randomised(int(seed), payload.tobytes()) for seed, payload in zip(*batch, strict=True)]


def find_fit(law: dict[Randomised, Fraction], reports: list[Randomised]) -> float:
    """Return the p-value of reports against their exact law."""
    places = {told: place for place, told in enumerate(law)}
    observed = np.bincount([places[told] for told in reports], minlength=len(law))
    return chi_square_p(observed, np.array([float(chance) for chance in law.values()]))


@pytest.mark.many
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bulk_reports_have_the_law_of_clients(case: Case) -> None:
    value = case.values[1]
    law = find_law(lambda coins: case.mechanism.randomise(value, coins))
    reports = list_reports(find_oracle(case.mechanism).encode(repeat(case, value, MANY)))
    assert find_fit(law, reports) > RARE
    other = find_law(lambda coins: case.mechanism.randomise(case.values[-1], coins))
    assert find_fit(other, reports) < RARE


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_counts_of_parts_add_up_to_those_of_the_whole_and_none_is_lost(case: Case) -> None:
    oracle = find_oracle(case.mechanism)
    batch = oracle.encode(repeat(case, case.values[2], 300))
    whole = oracle.count(batch)
    assert whole.good.all()
    assert whole.counts.shape == oracle.shape
    parts = [Batch(batch.seeds[part], batch.payloads[part]) for part in (slice(0, 0), slice(0, 7), slice(7, 300))]
    assert np.array_equal(sum(oracle.count(part).counts for part in parts), whole.counts)


BROKEN: dict[str, Any] = {
    "count-mean": lambda payloads: payloads | 8,
    "hadamard-mean": lambda payloads: payloads + 2,
    "puzzle": lambda payloads: payloads + 2,
    "prefix": lambda payloads: payloads + 200,
    "one-bit": lambda payloads: payloads + 2,
    "piecewise": lambda payloads: payloads + 8,
    "hybrid": lambda payloads: payloads + 8,
    "sampled": lambda payloads: payloads + 3,
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_reports_that_no_client_sends_count_as_nothing(case: Case) -> None:
    oracle, mechanism = find_oracle(case.mechanism), case.mechanism
    batch = oracle.encode(repeat(case, case.values[0], 50))
    wrong = [
        Batch(batch.seeds, BROKEN[mechanism.kind](batch.payloads)),
        Batch(batch.seeds - mechanism.seeds, batch.payloads),
        Batch(batch.seeds + mechanism.seeds, batch.payloads),
    ]
    for broken in wrong:
        counts, good = oracle.count(broken)
        assert not good.any()
        assert not counts.any()
        mixed = Batch(np.concatenate([batch.seeds, broken.seeds]), np.vstack([batch.payloads, broken.payloads]))
        counts, good = oracle.count(mixed)
        assert good.tolist() == [True] * 50 + [False] * 50
        assert (counts == oracle.count(batch).counts).all()


@pytest.mark.parametrize("half", [0, 1])
def test_a_puzzle_with_one_unsound_half_counts_with_neither(half: int) -> None:
    case = next(case for case in CASES if case.mechanism.kind == "puzzle")
    oracle = find_oracle(case.mechanism)
    batch = oracle.encode(np.zeros(20, dtype=np.int64))
    broken = batch.payloads.copy()
    broken[:5, half] = 2
    counts, good = oracle.count(Batch(batch.seeds, broken))
    assert good.tolist() == [False] * 5 + [True] * 15
    assert (counts == oracle.count(Batch(batch.seeds[5:], batch.payloads[5:])).counts).all()


def test_a_sampled_report_is_filled_up_with_zeros_only() -> None:
    mechanism = Sampled((OneBitMean.calibrate(1), PiecewiseMean.calibrate(1)))
    oracle = find_oracle(mechanism)
    payloads = np.array([[1, 0], [1, 1], [1, 1]], dtype=np.uint8)
    assert oracle.count(Batch(np.array([0, 0, 1]), payloads)).good.tolist() == [True, False, True]


def test_seeds_of_a_part_with_fewer_of_them_are_refused() -> None:
    mechanism = Sampled((OneBitMean.calibrate(1), HadamardSketch.calibrate(1, 2, 2)))
    good = find_oracle(mechanism).count(Batch(np.arange(8), np.zeros((8, 1), dtype=np.uint8))).good
    assert good.tolist() == [True, False, False, False, True, True, True, True]


@pytest.mark.parametrize("sketch", [CountMeanSketch.calibrate(1, 19, 5), HadamardSketch.calibrate(1, 19, 8)])
def test_client_and_collector_find_the_same_buckets(sketch: Any) -> None:
    oracle = find_oracle(sketch)
    assert isinstance(oracle, SketchOracle)
    texts = [b"apple", b"banana", b"apple", b""]
    functions = np.array([0, 7, 18, 8])
    buckets = [[find_text_bucket(function, text, sketch.buckets) for function in range(19)] for text in texts]
    assert [oracle.find_buckets(text).tolist() for text in texts] == buckets
    own = oracle.find_own_buckets(functions, texts)
    assert own.tolist() == [buckets[place][function] for place, function in enumerate(functions)]


@pytest.mark.parametrize("sketch", [CountMeanSketch.calibrate(3, 40, 16), HadamardSketch.calibrate(3, 40, 16)])
def test_squares_of_frequencies_are_estimated_from_the_sketch_itself(sketch: Any) -> None:
    """Half of the people have one text, and the others one each: the sum is a quarter."""
    oracle = find_oracle(sketch)
    assert isinstance(oracle, SketchOracle)
    found = []
    for run in range(20):
        texts = [f"many {run}".encode()] * 5000 + [f"{place} {run}".encode() for place in range(5000)]
        counts = oracle.count(oracle.encode(texts)).counts
        found.append(oracle.find_squares(oracle.find_table(counts), oracle.find_sizes(counts)))
    assert abs(np.mean(found) - 0.25) < 5 * np.std(found) / np.sqrt(20)
    assert np.std(found) < 0.05


def test_squares_are_at_their_worst_where_nothing_is_known() -> None:
    assert estimate_squares(np.zeros((3, 4), dtype=np.int64), np.array([1, 0, 1]), 0.9, 0.1) == 1.0


@pytest.mark.many
@pytest.mark.parametrize("mechanism", [OneBitMean.calibrate(1), PiecewiseMean.calibrate(2), HybridMean.calibrate(2)])
@pytest.mark.parametrize("value", [-1.0, 0.3, 1.0])
def test_what_numbers_stand_for_has_the_stated_mean_and_variance(mechanism: Mechanism, value: float) -> None:
    """The mean of the values and that of their squares, each within what a normal law allows at a rate of 1e-6."""
    oracle = find_oracle(mechanism)
    stands = oracle.values[np.repeat(np.arange(oracle.shape[0]), oracle.count(oracle.encode([value] * MANY)).counts)]  # type: ignore[attr-defined]
    variance = float(mechanism.variance(Fraction(value)))  # type: ignore[attr-defined]
    assert abs(stands.mean() - value) < 4.9 * np.sqrt(variance / MANY)
    squares = (stands - value) ** 2
    assert abs(squares.mean() - variance) < 4.9 * squares.std() / np.sqrt(MANY) + 1e-12


def test_values_that_are_not_placed_are_refused() -> None:
    with pytest.raises(ParameterError, match="from -1 to 1"):
        find_oracle(OneBitMean.calibrate(1)).encode([1.5])
    with pytest.raises(ParameterError, match="2 columns"):
        find_oracle(Sampled((OneBitMean.calibrate(1),) * 2)).encode([(0.5,)])


def test_a_tally_goes_and_comes_as_bytes() -> None:
    for domain, mechanism, values in (
        (Texts(), HadamardSketch.calibrate(1, 4, 8), [b"apple"] * 30),
        (BoundedNumbers(0, 5), HybridMean.calibrate(1, 16), [0.5] * 30),
    ):
        metric = Metric("x", domain, mechanism, lifetime=1)
        tally, lost = Tally.start(metric).add(find_oracle(mechanism).encode(values))
        assert lost == 0
        assert read_tally(tally.to_bytes()) == tally
        assert (tally + tally).reports == 60


WORDS = AlphabetWords("ab", 2)
DOMAINS: dict[str, ValueDomain] = {
    "text": Texts(),
    "word": WORDS,
    "number": BoundedNumbers(0, 5),
    "record": Records(("number", "fruit", "text"), (BoundedNumbers(0, 5), Choices(("apple", "banana")), Texts())),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_frames_and_lines_of_reports_are_counted_as_their_batch_is(case: Case) -> None:
    domain = DOMAINS[case.mechanism.takes]
    metric = Metric("x", domain, case.mechanism, lifetime=9)
    batch = find_oracle(case.mechanism).encode(repeat(case, case.values[1], 40))
    counter = ReportCounter(metric)
    reports = [metric.wrap(each) for each in list_reports(batch)]
    beyond = reports[0].to_json().replace(f'"seed": {reports[0].seed}', f'"seed": {(1 << 8 * metric.seed_width) - 1}')
    found = [
        counter.count_batch(batch),
        counter.count_frames(counter.write_frames(batch))[0],
        counter.count_lines(report.to_json().encode() for report in reports),
    ]
    assert all(each.tally == found[0].tally and not each.faults for each in found)
    assert found[0].tally.reports == 40
    assert counter.count_lines([beyond.encode()]).tally.reports <= 1


def test_whole_words_of_64_bits_are_told_in_bulk() -> None:
    mechanism = PrefixExtending(64, 8, 8, LocalHashing.calibrate(1, 1 << 64, 4))
    oracle = find_oracle(mechanism)
    words = np.array([0, (1 << 64) - 1] * 50, dtype=np.uint64)
    assert oracle.count(oracle.encode(words)).good.all()
