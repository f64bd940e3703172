"""What stands below an answer, and text that cannot disturb a terminal."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from discreet.answers import CLAMPED, SELECTED, Receipt
from discreet.answers.words import describe, describe_charge, describe_intervals, to_one_line
from discreet.privacy.charges import Charge
from support.answers import RECEIPT, cities


@given(st.text(), st.sampled_from(["utf-8", "ascii", "cp437", "latin-1"]))
def test_any_text_is_one_printable_line_in_any_encoding(text: str, encoding: str) -> None:
    line = to_one_line(text, encoding)
    assert line.isprintable()
    line.encode(encoding)


def test_ordinary_text_stays_as_it_is() -> None:
    assert to_one_line("Zürich, 東京") == "Zürich, 東京"
    assert to_one_line("Zürich", "no such encoding") == "Z\\xfcrich"


def test_the_words_say_how_intervals_are_made() -> None:
    assert describe_intervals(cities().sheet(0.95, False)) == (
        "95 % intervals, each on its own: n exact; income conservative: two noisy sums"
    )
    assert describe_intervals(cities().sheet(0.9, True)).startswith("90 % intervals, all at once: ")


def test_the_cost_is_named_in_every_currency_that_it_has() -> None:
    def told(receipt: Receipt) -> str:
        return describe_charge(receipt)

    assert told(RECEIPT) == "epsilon 0.2, rho 0.02; charged (alice)"
    gauss = Charge(float("inf"), Fraction(1, 8), 1e-9)
    assert told(replace(RECEIPT, charge=gauss, analyst=None, paid="free")) == "rho 0.125, delta 1e-9; free"


def test_everything_is_said_in_order() -> None:
    answer = replace(cities(), notes=(CLAMPED, SELECTED))
    assert [label for label, _ in describe(answer.sheet(0.95, False))] == [
        "",
        "guarantee",
        "cost",
        "receipt",
        "note",
        "note",
    ]
    assert "bias" in CLAMPED
    assert "simultaneous=True" in SELECTED
