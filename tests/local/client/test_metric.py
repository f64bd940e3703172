from __future__ import annotations

import json
import math
import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest

from discreet.local.client import (
    OTHER,
    BoundedNumbers,
    Choices,
    ClientError,
    DirectResponse,
    LocalHashing,
    Metric,
    Texts,
    UnaryEncoding,
    read_metric,
)

FRUIT = Choices(("apple", "banana"))


def test_a_metric_goes_and_comes_as_json_with_the_same_hash() -> None:
    for mechanism in (DirectResponse.calibrate(1, 3), UnaryEncoding.calibrate(0.3, 3), LocalHashing.calibrate(2, 3)):
        metric = Metric("fruit", FRUIT, mechanism, lifetime=8, daily=2)
        again = read_metric(metric.to_json())
        assert again == metric
        assert again.parameters == metric.parameters


def test_whatever_changes_a_metric_changes_its_hash() -> None:
    response = DirectResponse.calibrate(1, 3)
    metrics = [
        Metric("fruit", FRUIT, response, lifetime=8),
        Metric("fruits", FRUIT, response, lifetime=8),
        Metric("fruit", Choices(("apple", "cherry")), response, lifetime=8),
        Metric("fruit", FRUIT, DirectResponse.calibrate(1.01, 3), lifetime=8),
        Metric("fruit", FRUIT, response, lifetime=9),
        Metric("fruit", FRUIT, response, lifetime=8, daily=1),
        Metric("fruit", FRUIT, response, lifetime=8, version=2),
    ]
    assert len({metric.parameters for metric in metrics}) == len(metrics)


@pytest.mark.parametrize("cap", [None, 0, -1, math.inf, math.nan, True, "8", pytest.param(10**400, id="huge")])
def test_a_metric_without_a_cap_for_a_lifetime_does_not_start(cap: Any) -> None:
    with pytest.raises(ClientError, match="lifetime"):
        Metric("fruit", FRUIT, DirectResponse.calibrate(1, 3), lifetime=cap)


def test_values_that_were_not_listed_are_one_more_item() -> None:
    assert FRUIT.names == ("apple", "banana", OTHER)
    assert [FRUIT.place(value) for value in ("apple", "banana", "Apple", "", None, 1, math.nan)] == [
        0,
        1,
        2,
        2,
        2,
        2,
        2,
    ]


def test_texts_are_cut_and_never_raise() -> None:
    texts = Texts(3)
    assert [texts.place(value) for value in ("abcd", "é", "\ud800", None, 5)] == [b"abc", b"\xc3\xa9", b"?", b"", b""]


class Hostile(str):
    """A text that cannot even be looked up."""

    def __hash__(self) -> int:
        raise RuntimeError(str(self))


def test_a_value_that_cannot_be_looked_at_counts_as_none() -> None:
    metric = Metric("fruit", FRUIT, DirectResponse.calibrate(1, 3), lifetime=8)
    assert metric.place(Hostile("apple")) == metric.place(None) == 2
    assert len(metric.encode(Hostile("apple")).payload) == 1


def test_numbers_are_placed_between_their_bounds() -> None:
    ages = BoundedNumbers(0, 100)
    values = [0, 50, 100, -5, 1e308, math.inf, -math.inf, math.nan, None, "7", True]
    assert [ages.place(value) for value in values] == [-1, 0, 1, -1, 1, 1, -1, 0, 0, 0, 0]
    assert ages.place(0.1) == 2 * Fraction(0.1) / 100 - 1


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: Choices(()), "at least one"),
        (lambda: Choices(("a", "a")), "once"),
        (lambda: Choices(("a", OTHER)), "added"),
        (lambda: BoundedNumbers(1, 1), "lower first"),
        (lambda: BoundedNumbers(0, math.inf), "lower first"),
        (lambda: BoundedNumbers(0, 10**400), "lower first"),
        (lambda: BoundedNumbers(2**53, 2**53 + 1), "differ as floats"),
        (lambda: Metric("\ud800", FRUIT, DirectResponse.calibrate(1, 3), lifetime=1), "name"),
        (lambda: Texts(0), "letters"),
        (lambda: Metric("", FRUIT, DirectResponse.calibrate(1, 3), lifetime=1), "name"),
        (lambda: Metric("x" * 101, FRUIT, DirectResponse.calibrate(1, 3), lifetime=1), "name"),
        (lambda: Metric("x", FRUIT, DirectResponse.calibrate(1, 4), lifetime=1), "make them equal"),
        (lambda: Metric("x", Texts(), DirectResponse.calibrate(1, 4), lifetime=1), "choose another"),
        (lambda: Metric("x", FRUIT, DirectResponse.calibrate(1, 3), lifetime=1, version=0), "version"),
        (lambda: DirectResponse.calibrate(1, 1), "size"),
        (lambda: LocalHashing.calibrate(1, 3, pool=0), "pool"),
    ],
)
def test_what_cannot_be_collected_is_refused_with_a_word(make: Any, word: str) -> None:
    with pytest.raises(ClientError, match=word):
        make()


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"domain": None},
        {"domain": {"kind": "choices", "values": "ab"}},
        {"mechanism": {"kind": "truth"}},
        {"mechanism": {"kind": "direct", "size": 3}},
        {"mechanism": {"kind": "direct", "size": 3, "truth": "1e9"}},
        {"mechanism": {"kind": "direct", "size": 3, "truth": 0.5}},
        {"more": 1},
    ],
    ids=str,
)
def test_a_metric_that_was_changed_by_hand_is_refused(change: dict[str, object]) -> None:
    form = json.loads(Metric("fruit", FRUIT, DirectResponse.calibrate(1, 3), lifetime=8).to_json())
    with pytest.raises(ClientError):
        read_metric(json.dumps(form | change))
    with pytest.raises(ClientError):
        read_metric("{")


def test_the_client_needs_nothing_but_the_standard_library() -> None:
    code = (
        "import sys; import discreet.local.client as client;"
        "metric = client.Metric('x', client.Choices(('a',)), client.HadamardBit.calibrate(1, 2), lifetime=1);"
        "metric.encode('a').to_bytes();"
        "known = set(sys.stdlib_module_names) | {'discreet'};"
        "print(sorted({name.split('.')[0] for name in sys.modules if not name.startswith('_')} - known))"
    )
    run = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert run.stdout.strip() == "[]"
