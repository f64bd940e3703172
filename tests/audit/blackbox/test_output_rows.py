"""Outputs become rows of numbers one by one: what else was drawn with an output never changes how it is written."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet import audit
from discreet.audit.blackbox.output_rows import find_code, name_output, read_rows
from discreet.audit.blackbox.outputs import BatchMechanism
from discreet.base.grid import Floats

OUTPUTS = [
    *(0.25, 3, -7, True, 2**64, Fraction(1, 3), Decimal("1.5"), np.float32(0.1), np.int8(5), np.array([1, 2])),
    *(None, "yes", "no", np.str_("maybe"), b"raw", [0.5, 0.25], (1, 2), [1, 2**64], ["a", "b"], ("a", 1), [[1], [2]]),
    *([[1], [2, 3]], [], {"a": 1}, np.array([1.0, 2.0, 3.0]), range(2), np.datetime64("2020-01-01"), 1j),
]
"""What mechanisms may give, and what is easily taken for something else beside others."""

TRIES, MOST = 10, 3
"""Of ten bounds at 95 % more than three are wrong once in a thousand times."""


def read(outputs: Any, width: int | None = None) -> Floats:
    rows = read_rows(outputs, width)
    assert rows is not None
    return rows


@pytest.mark.parametrize("width", [1, 2, 3])
def test_an_output_is_written_alike_alone_and_among_any_others(width: int) -> None:
    alone = [read([each], width) for each in OUTPUTS]
    assert [row.shape for row in alone] == [(1, width)] * len(OUTPUTS)
    np.testing.assert_array_equal(read(OUTPUTS, width), np.concatenate(alone))
    for number, each in enumerate(OUTPUTS):
        np.testing.assert_array_equal(read([each, each], width), np.repeat(alone[number], 2, axis=0))
        for other in OUTPUTS:
            np.testing.assert_array_equal(read([other, each], width)[1], alone[number][0])


def test_an_array_and_a_list_say_the_same() -> None:
    for outputs in ([0.5, 2.0], ["yes", "no"], [[1, 2], [3, 4]], [["a", "b"], ["c", "d"]], [True, False]):
        width = read(outputs).shape[1]
        np.testing.assert_array_equal(read(np.array(outputs)), read(outputs, width))
        np.testing.assert_array_equal(read(np.array([*outputs, None], dtype=object)[:-1], width), read(outputs, width))


def test_numbers_of_all_kinds_stay_numbers() -> None:
    given = [0.25, 3, True, 2**64, Fraction(1, 4), Decimal("1.5"), 10**400, -(10**400), None]
    found = read(given)[:-1, 0].tolist()
    assert found == [0.25, 3.0, 1.0, 2.0**64, 0.25, 1.5, math.inf, -math.inf]


def test_what_is_no_number_is_told_apart_and_is_larger_than_numbers() -> None:
    codes = read([f"kind {number}" for number in range(20_000)])
    assert len(np.unique(codes)) == 20_000
    assert codes.min() > 1e75
    assert np.array_equal(codes, np.rint(codes))
    assert name_output("1") != name_output(1) != name_output(None)


def test_rows_are_as_wide_as_most_and_others_have_a_code() -> None:
    rows = read([[1, 2], [3, 4], [5]])
    assert rows.tolist() == [[1, 2], [3, 4], [find_code("(5.0)"), 0]]
    assert read([[1], "a", "b"], None).tolist() == [[1], [find_code("'a'")], [find_code("'b'")]]
    assert read(np.zeros((3, 4)), 2).shape == (3, 4), "whose width differs is for the reader to say"
    assert read([[0, 0, 0]] * 3, 2)[:, 0].tolist() == [find_code("(0.0, 0.0, 0.0)")] * 3


def test_nan_is_found_wherever_it_hides() -> None:
    rows = read([float("nan"), ("a", math.nan), ["b", ["c", np.float64("nan")]], Decimal("nan"), "nan"])
    assert np.isnan(rows[:, 0]).tolist() == [True, True, True, True, False]


def test_a_single_output_is_none() -> None:
    assert all(read_rows(each) is None for each in (1.0, "abc", None, {1, 2}))


class Unreadable:
    """Something that does not even say what it is."""

    def __repr__(self) -> str:
        raise RuntimeError("nobody knows")


@pytest.mark.parametrize("output", [Unreadable(), Decimal("sNaN")], ids=["no repr", "a signal"])
def test_what_cannot_be_read_is_a_finding_and_no_crash(output: Any) -> None:
    found = audit.lower_bound(lambda given, count: [output] * count, 0, 1, samples=2_000)
    assert found.fault is not None
    assert found.fault.what.startswith("it gave what cannot be read")


def give_rarely(special: Any, usual: Callable[[float], Any]) -> BatchMechanism:
    """Return a mechanism with epsilon 3, by an output that is rare enough to be missing in most small batches."""
    generator = np.random.default_rng()

    def draw(given: int, count: int) -> list[Any]:
        rare = generator.random(count) < math.exp(-3 * given) / 500
        return [special if each else usual(x) for each, x in zip(rare, generator.integers(0, 50, count), strict=True)]

    return draw


@pytest.mark.many
@pytest.mark.parametrize(
    ("special", "usual"),
    [(None, float), (None, lambda x: "yes" if x < 25 else "no"), ([0], lambda x: [x, 1]), (2**64, int)],
    ids=["none among numbers", "none among texts", "a shorter list", "a larger number"],
)
def test_a_rare_output_of_another_kind_refutes_no_claim_that_holds(special: Any, usual: Callable[[float], Any]) -> None:
    found = [audit.lower_bound(give_rarely(special, usual), 0, 1, samples=5_000) for _ in range(TRIES)]
    assert [each.fault for each in found] == [None] * TRIES
    assert sum(each.refutes(3.0) for each in found) <= MOST
