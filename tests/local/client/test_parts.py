"""Mechanisms that are made of others: what they need of their parts, and how they travel."""

from __future__ import annotations

import json
from typing import Any

import pytest

from discreet.local.client import (
    AlphabetWords,
    BoundedNumbers,
    ClientError,
    DirectResponse,
    FragmentPuzzle,
    HadamardBit,
    HadamardSketch,
    HybridMean,
    LocalHashing,
    Metric,
    OneBitMean,
    PiecewiseMean,
    PrefixExtending,
    Records,
    Sampled,
    read_json_report,
    read_metric,
    read_report,
)
from discreet.local.client.puzzle import find_piece

LETTERS = AlphabetWords("abcdefghijklmnopqrstuvwxyz", 10)
AGES = BoundedNumbers(0, 120)
PUZZLE = FragmentPuzzle.calibrate(4, LETTERS.bits, 10)
METRICS = [
    Metric("words", LETTERS, PUZZLE, lifetime=8),
    Metric("words", LETTERS, PrefixExtending.calibrate(4, LETTERS.bits), lifetime=8),
    Metric("age", BoundedNumbers(0, 120), OneBitMean.calibrate(1), lifetime=8),
    Metric("age", BoundedNumbers(0, 120), PiecewiseMean.calibrate(1), lifetime=8),
    Metric("age", BoundedNumbers(0, 120), HybridMean.calibrate(1), lifetime=8),
    Metric(
        "both",
        Records(("word", "age"), (LETTERS, BoundedNumbers(0, 120))),
        Sampled((PUZZLE, HybridMean.calibrate(4))),
        lifetime=8,
    ),
]
VALUES = {"words": "hello", "age": 33.3, "both": {"word": "hello", "age": 7}}


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.mechanism.kind)
def test_metrics_and_reports_go_and_come(metric: Metric) -> None:
    assert read_metric(metric.to_json()) == metric
    sizes = set()
    for value in (VALUES[metric.name], None, "", 5, {"age": "x"}):
        report = metric.encode(value)
        assert read_report(report.to_bytes()) == report
        assert read_json_report(report.to_json()) == report
        sizes.add(len(report.to_bytes()))
    assert len(sizes) == 1


def change(metric: Metric, **fields: Any) -> str:
    form = json.loads(metric.to_json())
    form["mechanism"] |= fields
    return json.dumps(form)


@pytest.mark.parametrize(
    "fields",
    [
        {"fragment": 3},
        {"fragment": {"kind": "direct", "size": 8, "truth": 5}},
        {"whole": {"kind": "hadamard", "size": 8, "truth": 5}},
        {"whole": {"kind": []}},
        {"whole": [{"kind": "hadamard-mean", "functions": 2, "buckets": 2, "truth": 5}]},
        {"pieces": 255},
        {"span": 7},
    ],
    ids=str,
)
def test_parts_of_another_kind_or_size_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ClientError):
        read_metric(change(METRICS[0], **fields))


def test_mechanisms_are_nested_no_deeper_than_they_need_to_be() -> None:
    form: dict[str, Any] = OneBitMean.calibrate(1).describe()
    for _ in range(4):
        form = {"kind": "sampled", "parts": [form]}
    with pytest.raises(ClientError):
        read_metric(change(METRICS[-1], parts=[form]))


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: FragmentPuzzle.calibrate(4, 50, 7), "divides"),
        (lambda: FragmentPuzzle.calibrate(4, 50, 10, share=1), "share"),
        (lambda: FragmentPuzzle(4, 2, 2, HadamardBit.calibrate(1, 9), HadamardSketch.calibrate(1, 2, 2)), "size"),
        (lambda: PrefixExtending(8, 4, 2, LocalHashing.calibrate(1, 16, 4)), "size"),
        (lambda: PrefixExtending.calibrate(1, 65), "bits"),
        (lambda: PrefixExtending.calibrate(1, 64, pool=1 << 30), "counts"),
        (lambda: OneBitMean(1 << 63), "truth"),
        (lambda: PiecewiseMean(4, 4, 1 << 63), "likelier"),
        (lambda: PiecewiseMean.calibrate(1, 1), "cells"),
        (lambda: HybridMean.calibrate(1, 1 << 16), "outputs"),
        (lambda: HybridMean(OneBitMean.calibrate(1), OneBitMean.calibrate(1), 5), "PiecewiseMean"),  # type: ignore[arg-type]
        (lambda: Sampled(()), "parts"),
        (lambda: Sampled((1,)), "tuple of mechanisms"),  # type: ignore[arg-type]
        (lambda: Sampled((Sampled((OneBitMean.calibrate(1),)),)), "sampled itself"),
        (lambda: Metric("x", AlphabetWords("ab", 3), PUZZLE, lifetime=1), "make them equal"),
        (lambda: Metric("x", Records(("a",), (LETTERS,)), Sampled((PUZZLE, PUZZLE)), lifetime=1), "2 mechanisms"),
        (
            lambda: Metric("x", Records(("a",), (BoundedNumbers(0, 1),)), Sampled((PUZZLE,)), lifetime=1),
            "choose another",
        ),
        (lambda: Metric("x", AGES, DirectResponse.calibrate(1, 3), lifetime=1), "choose another"),
    ],
)
def test_what_does_not_fit_together_is_refused_with_a_word(make: Any, word: str) -> None:
    with pytest.raises(ClientError, match=word):
        make()


def test_fragments_are_put_side_by_side_from_the_first_letter_on() -> None:
    word = LETTERS.place("hello")
    items = [PUZZLE.find_item(word, position) for position in range(PUZZLE.positions)]
    assert {item >> 10 for item in items} == {find_piece(word, 256)}
    joined = 0
    for item in items:
        joined = joined << 10 | item & 1023
    assert joined == word


def test_groups_tell_longer_and_longer_prefixes_up_to_the_whole_word() -> None:
    assert PrefixExtending.calibrate(1, 50).lengths == (12, 18, 24, 30, 36, 42, 48, 50)
    assert PrefixExtending.calibrate(1, 8).lengths == (8,)
