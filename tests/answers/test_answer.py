"""An answer gives its values, its intervals at any confidence, what it cost and how to prove it."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest

from discreet.answers import Bounds
from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.types import Type
from support.answers import RECEIPT, answered, cities, key, noisy


def test_the_cost_is_the_receipts_charge() -> None:
    assert cities().cost is RECEIPT.charge
    assert cities().receipt.entry == 7


def test_one_value_is_had_by_name() -> None:
    assert answered(noisy(), rows=[(5,)]).value == 5
    with pytest.raises(DiscreetError, match="this has 3 and 3"):
        cities().value  # noqa: B018


def test_intervals_stand_beside_every_noisy_number() -> None:
    table = cities().intervals()
    assert table.names == ("city", "n", "n_low", "n_high", "income", "income_low", "income_high")
    assert table.rows[0] == ("Bern", 1200, 1197, 1203, 34.25, 31.25, 37.25)
    assert [field.type for field in table.fields[1:4]] == [Type.INTEGER] * 3


def test_simultaneous_intervals_are_asked_for() -> None:
    assert cities().intervals(simultaneous=True)["n_low"] == [1194, 824, 58]
    assert cities().to_csv(simultaneous=True).splitlines()[1].startswith("Bern,1200,1194,1206,")


def test_the_bounds_are_asked_at_the_confidence_given() -> None:
    asked: list[tuple[float, bool]] = []

    def bounds(confidence: float, simultaneous: bool) -> tuple[Bounds, ...]:
        asked.append((confidence, simultaneous))
        return (((1, 2),),)

    answer = answered(noisy(), rows=[(1,)], bounds=bounds)
    answer.intervals()
    answer.intervals(0.5, True)
    answer.text(80, 0.8)
    answer.to_json(0.7)
    answer.intervals(Fraction(2, 3))  # type: ignore[arg-type]
    assert asked[:4] == [(0.95, False), (0.5, True), (0.8, False), (0.7, False)]
    assert asked[4][0] >= Fraction(2, 3)


@pytest.mark.parametrize("confidence", [0, 1, 95, -0.5, math.nan, "95%", None, 1 - Fraction(1, 10**30)])
def test_a_confidence_lies_between_0_and_1(confidence: float) -> None:
    for show in (cities().intervals, cities().plot, cities().to_json, cities().to_csv):
        with pytest.raises(ParameterError, match="confidence"):
            show(confidence=confidence)


def test_the_ends_are_of_the_type_they_were_given_in_and_rounded_outwards() -> None:
    def kinds(*pairs: tuple[object, object] | None) -> tuple[Type, list[object], list[object]]:
        table = answered(noisy(), rows=[(0,)] * len(pairs), bounds=lambda c, s: tuple((p,) for p in pairs)).intervals()
        return table.fields[1].type, table["n_low"], table["n_high"]

    assert kinds(None) == (Type.INTEGER, [None], [None])
    assert kinds((-(2**70), 2**70 + 1))[1:] == ([-(2**70)], [2**70 + 1])
    assert kinds((Decimal("0.1"), 1)) == (Type.DECIMAL, [Decimal("0.1")], [1])
    kind, low, high = kinds((2**53 + 1, 2**53 + 1), (0.5, 1.0), (Decimal("0.1"), Decimal("0.1")))
    assert kind is Type.FLOAT
    assert (low, high) == ([2.0**53, 0.5, math.nextafter(0.1, 0)], [2.0**53 + 2, 1.0, 0.1])


def test_names_that_are_taken_get_a_line_below() -> None:
    answer = answered(noisy(), key("n_low"), rows=[(5, "x")])
    assert answer.intervals().names == ("n", "n_low_", "n_high", "n_low")


def test_noisy_texts_and_answers_without_bounds_have_no_ends() -> None:
    answer = answered(noisy("top", Type.TEXT, "none: a choice"), noisy(), rows=[("a", 1)], bounds=lambda c, s: ())
    assert answer.intervals().names == ("top", "n", "n_low", "n_high")
    assert answer.intervals().rows == (("a", 1, None, None),)


def test_answers_are_equal_by_what_they_say() -> None:
    assert cities() == cities()
    assert "bounds" not in repr(cities())


def test_printing_shows_the_table() -> None:
    assert "1,200 ± 3" in str(cities()) or "1,200 +- 3" in str(cities())
    assert "n_high" in str(cities().intervals())
