"""Receipts: what is printed can be given back, and says what was paid."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.answers.receipt import PAID, Mark, Receipt
from discreet.base.errors import ParameterError
from discreet.privacy.charges import Charge

HEAD = "0123456789abcdef" * 4
marks = st.builds(Mark, st.integers(1, 10**17), st.binary(min_size=32, max_size=32).map(bytes.hex))
numbers = st.fractions(min_value=0) | st.just(math.inf)
receipts = st.builds(
    Receipt,
    marks,
    st.none() | st.text(min_size=1),
    st.builds(Charge, numbers, numbers, st.fractions(0, 1)),
    st.sampled_from(PAID),
)


@given(marks)
def test_a_mark_comes_back_from_its_text(mark: Mark) -> None:
    assert Mark.parse(str(mark)) == mark
    assert Mark.parse(f"  {mark}\n") == mark


@given(receipts)
def test_a_receipt_comes_back_from_json_with_exact_numbers(receipt: Receipt) -> None:
    assert Receipt.from_dict(json.loads(json.dumps(receipt.to_dict()))) == receipt


def test_a_receipt_prints_its_place_in_the_chain() -> None:
    receipt = Receipt(Mark(7, HEAD), "ann", Charge(Fraction(1, 10), Fraction(1, 200)), "charged")
    assert str(receipt) == f"7:{HEAD}"
    assert (receipt.entry, receipt.head) == (7, HEAD)
    assert receipt.to_dict() == {
        "receipt": f"7:{HEAD}",
        "analyst": "ann",
        "paid": "charged",
        "epsilon": "1/10",
        "rho": "1/200",
        "delta": "0",
    }


@pytest.mark.parametrize(
    "text", ["", "7", f"0:{HEAD}", f"7:{HEAD[:-1]}", f"7:{HEAD.upper()}", f"-7:{HEAD}", f"x:{HEAD}"]
)
def test_a_text_that_is_no_receipt_is_refused_with_what_one_looks_like(text: str) -> None:
    with pytest.raises(ParameterError, match="64 hexadecimal digits"):
        Mark.parse(text)


def test_a_mark_and_what_was_paid_are_checked_when_made() -> None:
    with pytest.raises(ParameterError, match="receipt"):
        Mark(0, HEAD)
    with pytest.raises(ParameterError, match="paid"):
        Receipt(Mark(1, HEAD), None, Charge(1, 1), "perhaps")
