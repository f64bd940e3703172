"""Results as forms: what looks alike is equal, what a person could tell apart is not, and words quote neither."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from discreet.answers.receipt import CHARGED, FREE, Mark, Receipt
from discreet.audit.graybox.recording import forms
from discreet.audit.graybox.recording.forms import find_difference, write_form, write_result
from discreet.privacy.charges import Charge


@dataclass(frozen=True)
class Told:
    value: Any
    words: str = ""


class Plain:
    def __init__(self, value: Any) -> None:
        self.value = value


class Slotted:
    __slots__ = ("__hidden", "value")

    def __init__(self, value: Any, hidden: Any = None) -> None:
        self.value, self.__hidden = value, hidden

    def tell(self) -> Any:
        return self.value, self.__hidden


class Wider(Slotted):
    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.same = 1


class Listed(list[Any]):
    def __init__(self, value: Any, note: Any) -> None:
        super().__init__(value)
        self.note = note


class Counted(int):
    note: Any = None


def count(value: int, note: Any) -> Counted:
    counted = Counted(value)
    counted.note = note
    return counted


def tell_more(error: Exception, more: Any) -> Exception:
    error.more = more  # type: ignore[attr-defined]
    return error


def nest(value: Any, depth: int) -> Any:
    return nest([value], depth - 1) if depth else value


def hold(value: Any) -> Callable[[], Any]:
    return lambda: value


def offer(value: Any) -> Callable[[Any], Any]:
    def tell(other: Any = value) -> Any:
        return other

    return tell


def make_circle(value: Any) -> list[Any]:
    circle = [value]
    circle.append(circle)
    return circle


def receipt(entry: int = 7, digit: str = "a", paid: str = CHARGED) -> Receipt:
    return Receipt(Mark(entry, digit * 64), None, Charge(Fraction(1), Fraction(1)), paid)


def name_receipt(digit: str) -> pa.Table:
    return pa.table({"a": [1]}).replace_schema_metadata({"receipt": f"7:{digit * 64}"})


ALIKE: list[tuple[Any, Any]] = [
    (math.nan, math.nan),
    (np.arange(3), np.arange(3)),
    (Told(Plain([1])), Told(Plain([1]))),
    ({1, 2, 3}, {3, 2, 1}),
    (receipt(digit="a"), receipt(digit="b")),
    (f"paid, receipt 7:{'a' * 64}.", f"paid, receipt 7:{'b' * 64}."),
    (f"receipt 7:{'a' * 64}".encode(), f"receipt 7:{'b' * 64}".encode()),
    (name_receipt("a"), name_receipt("b")),
    (ValueError("no"), ValueError("no")),
    (object(), object()),
    (Slotted(1, 2), Slotted(1, 2)),
    (random.Random(1), random.Random(1)),
    (np.random.default_rng(1), np.random.default_rng(1)),
    (hold([1]), hold([1])),
    (Slotted(1).tell, Slotted(1).tell),
    (partial(max, 1), partial(max, 1)),
    (make_circle(1), make_circle(1)),
    (pa.table({"a": [1, None]}), pa.table({"a": [1, None]})),
    (memoryview(b"ab"), memoryview(b"ab")),
    ([1] * 3, [1] * 3),
    (pd.DataFrame({"a": [1], "b": ["x"]}), pd.DataFrame({"a": [1], "b": ["x"]})),
    (re.compile("a"), re.compile("a")),
    (pa.array([1, 2])[1:], pa.array([0, 2])[1:]),
    (deque([1], 3), deque([1], 3)),
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
    (1, True),
    ([1], (1,)),
    ({1: 2}, [(1, 2)]),
    ({1, 2}, {1, 3}),
    ({(1, 2)}, {(1, 3)}),
    (Slotted(1), Slotted(2)),
    (Slotted(1, 2), Slotted(1, 3)),
    (Wider(1), Wider(2)),
    (random.Random(1), random.Random(2)),
    (np.random.default_rng(1), np.random.default_rng(2)),
    (hold([1]), hold([2])),
    (offer(1), offer(2)),
    (Slotted(1).tell, Slotted(2).tell),
    ([1].count, [2].count),
    (partial(max, 1), partial(max, 2)),
    (partial(int, base=2), partial(int, base=3)),
    (make_circle(1), make_circle(2)),
    (pa.table({"a": [1, None]}), pa.table({"a": [1, 0]})),
    (pa.table({"a": [1]}), pa.table({"b": [1]})),
    (pa.array([1, 2]), pa.array([1, 3])),
    (memoryview(b"ab"), memoryview(b"ac")),
    (np.ma.masked_array([1, 2], [False, True]), np.ma.masked_array([1, 2], [True, False])),
    (np.array([1, None], dtype=object), np.array([1, 2], dtype=object)),
    (1.5, "1.5"),
    (1, np.int64(1)),
    (np.float32(1), np.float64(1)),
    (Listed([1], 1), Listed([1], 2)),
    (count(1, 1), count(1, 2)),
    (tell_more(ValueError("no"), 1), tell_more(ValueError("no"), 2)),
    (KeyError("no"), ValueError("'no'")),
    (deque([[1]]), deque([[2]])),
    ({"a": np.zeros(2000)}.values(), {"a": np.eye(2000)[1000]}.values()),
    (nest(1, 100), nest(2, 100)),
    (re.compile("a" * 300), re.compile("a" * 300 + "b")),
    (lambda: 1, lambda: 2),
    (pa.table([[1], [1]], names=["a", "a"]), pa.table([[2], [1]], names=["a", "a"])),
    (pa.table({"a": [1]}), pa.table({"a": [1]}).replace_schema_metadata({"b": "c"})),
    (pa.array(["x"]).dictionary_encode(), pa.array(["x", "y"]).dictionary_encode()[:1]),
    (pd.Series([1, 1], index=["a", "b"]), pd.Series([1, 1], index=["a", "c"])),
    (pd.Series([1], name="a"), pd.Series([1], name="b")),
    (pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [1.0]})),
    (pd.Series(pd.Categorical(["x"], ["x", "y"])), pd.Series(pd.Categorical(["x"], ["x", "z"]))),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_what_looks_alike_is_equal(one: Any, other: Any) -> None:
    assert find_difference(write_form(one), write_form(other)) is None


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_could_be_told_apart_is_not(one: Any, other: Any) -> None:
    assert find_difference(write_form([one]), write_form([other])) is not None


def test_an_iterator_is_read_in_results_alone_and_no_farther_than_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "LONGEST", 100)
    assert len(write_result(iter(int, 1))) == 101
    assert write_result(itertools.count(3)) == write_result(itertools.count(3)) != write_result(itertools.count(4))
    held = iter([1, 2])
    write_form(held)
    assert list(held) == [1, 2]


def count_parts(form: Any) -> int:
    return sum(map(count_parts, form)) if isinstance(form, tuple) else 1


def test_what_is_shared_is_written_once_and_circles_end() -> None:
    def share(value: Any) -> Any:
        shared = [value]
        for _ in range(12):
            shared = [shared, shared]
        return shared

    class Node:
        def __init__(self, value: Any) -> None:
            self.value, self.peers = value, list[Node]()

    def connect(value: Any) -> list[Node]:
        nodes = [Node(value) for _ in range(6)]
        for each in nodes:
            each.peers = nodes
        return nodes

    for make in (share, connect):
        assert write_form(make(1)) == write_form(make(1)) != write_form(make(2))
        assert count_parts(write_form(make(1))) < 100


def test_what_cannot_be_shown_is_compared_by_its_kind() -> None:
    class Shy:
        __slots__ = ()

        def __repr__(self) -> str:
            raise ValueError("no")

    assert write_form(Shy()) == write_form(Shy())


def test_words_say_where_results_differ_and_quote_neither() -> None:
    one, other = ({"name": "x", "cost": {"high": 41_234}}, {"name": "x", "cost": {"high": 51_234}})
    told = find_difference(write_form(one), write_form(other))
    assert told is not None
    assert "cost" in told
    assert "high" in told
    assert "1_234" not in told
    assert "1234" not in told


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        (1.5, 2.5, "the result differs"),
        (np.int64(1), np.int64(2), "the result differs"),
        ([1.5], [2.5], "the result[0] differs"),
        ([1, 2], [1, 2, 3], "the result has 3 parts, and had 2"),
        (1, 1.0, "the result differs"),
        ({"a": 1.5}, {"a": 2.5}, "the result, a differs"),
    ],
)
def test_words_name_parts_of_lists_and_none_of_numbers(one: Any, other: Any, words: str) -> None:
    assert find_difference(write_form(one), write_form(other)) == words
