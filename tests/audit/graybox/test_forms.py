"""Results as forms: what looks alike is equal, what a person could tell apart is not, and words quote neither."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.answers.receipt import CHARGED, FREE, Mark, Receipt
from discreet.audit.graybox.forms import find_difference, write_form
from discreet.privacy.charges import Charge


@dataclass(frozen=True)
class Told:
    value: Any
    words: str = ""


class Plain:
    def __init__(self, value: Any) -> None:
        self.value = value


def receipt(entry: int = 7, digit: str = "a", paid: str = CHARGED) -> Receipt:
    return Receipt(Mark(entry, digit * 64), None, Charge(Fraction(1), Fraction(1)), paid)


ALIKE: list[tuple[Any, Any]] = [
    (math.nan, math.nan),
    (np.arange(3), np.arange(3)),
    (Told(Plain([1])), Told(Plain([1]))),
    ({1, 2, 3}, {3, 2, 1}),
    (receipt(digit="a"), receipt(digit="b")),
    (f"paid, receipt 7:{'a' * 64}.", f"paid, receipt 7:{'b' * 64}."),
    (ValueError("no"), ValueError("no")),
    (object(), object()),
]

DIFFERENT: list[tuple[Any, Any]] = [
    (1, 1.0),
    (0.0, -0.0),
    (True, "True"),
    (np.arange(3), np.arange(3.0)),
    (np.zeros((2, 3)), np.zeros((3, 2))),
    (Told(Plain([1])), Told(Plain([2]))),
    (Told(1), Plain(1)),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ([1, 2], [1, 2, 3]),
    (receipt(7), receipt(8)),
    (receipt(paid=CHARGED), receipt(paid=FREE)),
    (f"receipt 7:{'a' * 64}", f"receipt 8:{'a' * 64}"),
    (ValueError("no"), ValueError("yes")),
    (ValueError("no"), TypeError("no")),
    (10**30, 10**30 + 1),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_what_looks_alike_is_equal(one: Any, other: Any) -> None:
    assert find_difference(write_form(one), write_form(other)) is None


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_could_be_told_apart_is_not(one: Any, other: Any) -> None:
    assert find_difference(write_form([one]), write_form([other])) is not None


def test_words_say_where_results_differ_and_quote_neither() -> None:
    one, other = ({"name": "x", "cost": {"high": 41_234}}, {"name": "x", "cost": {"high": 51_234}})
    told = find_difference(write_form(one), write_form(other))
    assert told is not None
    assert "cost" in told
    assert "high" in told
    assert "1_234" not in told
    assert "1234" not in told
