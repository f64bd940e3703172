"""Errors as clients read them: codes that programs know, and nothing that is not ours to tell."""

from __future__ import annotations

import pytest

from discreet.base.errors import (
    BudgetError,
    DiscreetError,
    FailedError,
    LedgerError,
    ParameterError,
    PendingError,
    QueryError,
    StoppedError,
    SuspendedError,
)
from discreet.server.wire.errors import PRICE, WireError, translate_error


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (QueryError("there is no table 'x'; these exist: y"), "42P01"),
        (QueryError("'visits' has no column 'x'; did you mean 'y'?"), "42703"),
        (QueryError("this is not SQL that can be read: line 1"), "42601"),
        (QueryError("window functions look at other people's rows"), "0A000"),
        (BudgetError("does not fit"), "53400"),
        (ParameterError("epsilon", -1, "above 0"), "22023"),
        (StoppedError("stopped"), "57014"),
        (FailedError("failed"), "58000"),
        (SuspendedError("suspended"), "42501"),
        (PendingError("later"), "55P03"),
        (LedgerError("busy"), "58000"),
        (DiscreetError("any other"), "58000"),
        (WireError("XX001", "ours"), "XX001"),
    ],
)
def test_every_error_of_the_family_has_a_code_and_its_own_words(error: Exception, code: str) -> None:
    told = translate_error(error)
    assert told is not None
    assert told.code == code
    assert str(error).startswith(told.message)


def test_the_price_list_is_the_detail_of_a_question_without_a_price() -> None:
    told = translate_error(QueryError(f"{PRICE}  epsilon=0.05: +- 7\n  epsilon=1.0: +- 1"))
    assert told is not None
    assert (told.code, told.detail) == ("55000", "  epsilon=0.05: +- 7\n  epsilon=1.0: +- 1")
    assert "SET discreet.epsilon" in told.hint


def test_the_words_for_a_missing_price_are_those_of_the_curator() -> None:
    from pathlib import Path

    import discreet.curator.asking.pricing as pricing

    assert PRICE.rstrip("\n") in Path(pricing.__file__).read_text()


@pytest.mark.parametrize("error", [ValueError("row 7 is secret"), KeyError("x"), MemoryError(), OSError("/data")])
def test_nothing_is_told_of_other_errors(error: Exception) -> None:
    assert translate_error(error) is None
