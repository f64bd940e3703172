"""Receipts name a place in the ledger's chain, exactly, and come back from JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answered import HEAD, RECEIPT
from discreet.answers import Mark, Receipt
from discreet.base.errors import ParameterError
from discreet.privacy.charges import Charge

AMOUNTS = st.fractions(min_value=0) | st.floats(min_value=0, allow_nan=False)


@given(st.integers(1, 10**18 - 1), AMOUNTS, AMOUNTS, st.none() | st.text(), st.sampled_from(["charged", "free"]))
def test_a_receipt_comes_back_from_json(entry: int, epsilon: float, rho: float, analyst: str | None, paid: str) -> None:
    receipt = Receipt(Mark(entry, HEAD), analyst, Charge(epsilon, rho), paid)
    assert Receipt.from_dict(json.loads(json.dumps(receipt.to_dict()))) == receipt


def test_a_receipt_is_read_as_it_is_printed() -> None:
    assert Mark.parse(f" {RECEIPT}\n") == RECEIPT.mark
    assert (RECEIPT.entry, RECEIPT.head) == (7, HEAD)


@pytest.mark.parametrize("text", ["", "7", f"0:{HEAD}", f"07:{HEAD}", f"7:{HEAD[1:]}", f"7:{HEAD.upper()}", None])
def test_anything_else_is_no_receipt(text: str) -> None:
    with pytest.raises(ParameterError, match="64 hexadecimal digits"):
        Mark.parse(text)


def test_who_paid_is_one_of_three_words() -> None:
    with pytest.raises(ParameterError, match="paid must be one of"):
        Receipt(RECEIPT.mark, None, RECEIPT.charge, "gratis")
