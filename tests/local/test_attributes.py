"""One attribute of many: all of epsilon on one errs less than a part of it on each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.local.attributes import split_attributes
from discreet.local.client import (
    BoundedNumbers,
    Choices,
    DirectResponse,
    HadamardSketch,
    Metric,
    OneBitMean,
    Records,
    Sampled,
    Texts,
)
from discreet.local.estimates import estimate
from discreet.local.means import estimate_mean
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.oracle import ItemOracle
from discreet.local.oracles.sampled import SampledOracle
from discreet.local.sketches import estimate_texts
from discreet.local.tally import Tally

EPSILON, COUNT = 1.0, 5
UNIT = BoundedNumbers(-1, 1)


def collect(metric: Metric, columns: Any) -> Tally:
    oracle = find_oracle(metric.mechanism)
    batch = oracle.encode_columns(columns) if isinstance(oracle, SampledOracle) else oracle.encode(columns)
    tally, lost = Tally.start(metric).add(batch)
    assert lost == 0
    return tally


def test_attributes_of_all_kinds_are_estimated_from_one_tally() -> None:
    domain = Records(("fruit", "age", "word"), (Choices(("apple", "banana")), BoundedNumbers(0, 10), Texts()))
    parts = (DirectResponse.calibrate(3, 3), OneBitMean.calibrate(3), HadamardSketch.calibrate(3, 64, 64))
    people = 30_000
    fruit = np.arange(people) % 10 // 5
    ages, words = np.where(fruit == 0, 0.2, -0.6), [b"some" if place % 4 == 0 else b"more" for place in range(people)]
    tally = collect(Metric("all", domain, Sampled(parts), lifetime=3), [fruit, ages, words])
    found = split_attributes(tally)
    assert list(found) == ["fruit", "age", "word"]
    assert sum(each.reports for each in found.values()) == people
    oracle = find_oracle(parts[0])
    assert isinstance(oracle, ItemOracle)
    fruits = found["fruit"]
    shares = estimate(oracle, ["apple", "banana", "other"], fruits.reports, fruits.counts, people=people)
    assert (np.abs(shares.raw - [0.5, 0.5, 0.0]) < 5 * shares.errors).all()
    mean = estimate_mean(found["age"])
    assert abs(mean.value - 4.0) < 5 * mean.error
    texts = estimate_texts(found["word"], ["some", "none"], people=people)
    assert (np.abs(texts.raw - [0.25, 0.0]) < 5 * texts.errors).all()


def test_one_attribute_at_all_of_epsilon_errs_less_than_each_at_a_part() -> None:
    """Five numbers at epsilon 1: five times the variance by sampling, some twenty times by splitting."""
    people, runs = 500, 200
    numbers = np.linspace(-0.5, 0.5, people)
    one = OneBitMean.calibrate(EPSILON)
    records = Records(tuple("abcde"), (UNIT,) * COUNT)
    sampled = Metric("all", records, Sampled((one,) * COUNT), lifetime=1)
    part = Metric("each", UNIT, OneBitMean.calibrate(EPSILON / COUNT), lifetime=1)
    by_sampling = [estimate_mean(split_attributes(collect(sampled, [numbers] * COUNT))["a"]).value for _ in range(runs)]
    by_splitting = [estimate_mean(collect(part, numbers)).value for _ in range(runs)]
    assert sampled.mechanism.epsilon == one.epsilon
    assert np.var(by_sampling) < 0.5 * np.var(by_splitting)
    expected = COUNT * float(one.find_value(1)) ** 2 / people
    assert 0.6 < np.var(by_sampling) / expected < 1.6


def test_errors_with_all_people_include_the_draw_of_those_who_told() -> None:
    """At a high epsilon the coins err little, and what is left is who was drawn."""
    response, people = DirectResponse.calibrate(12, 2), 1000
    domain = Records(("a", "b"), (Choices(("x",)),) * 2)
    metric = Metric("all", domain, Sampled((response,) * 2), lifetime=12)
    oracle, items = find_oracle(response), np.arange(people) % 2
    assert isinstance(oracle, ItemOracle)
    scores, given = [], []
    for _ in range(400):
        tally = split_attributes(collect(metric, [items, items]))["a"]
        found = estimate(oracle, ["x", "other"], tally.reports, tally.counts, people=people)
        scores.append((found.raw[0] - 0.5) / found.errors[0])
        given.append(estimate(oracle, ["x", "other"], tally.reports, tally.counts).errors[0] / found.errors[0])
    assert abs(np.var(scores) - 1) < 4.9 * np.sqrt(2 / 400)
    assert max(given) < 0.5


def test_other_tallies_have_no_attributes() -> None:
    with pytest.raises(ParameterError, match="records"):
        split_attributes(Tally.start(Metric("x", UNIT, OneBitMean.calibrate(1), lifetime=1)))
