"""What is told of errors: on-purpose words for what was asked, one sentence for all that tells of others."""

from __future__ import annotations

import pytest

from discreet.base.errors import (
    BudgetError,
    FailedError,
    LedgerError,
    LostLeaseError,
    ParameterError,
    PendingError,
    PolicyError,
    QueryError,
    StoppedError,
    SuspendedError,
)
from discreet.server.workers.telling import BROKEN, PENDING, SUSPENDED, UNFIT, UNREACHED, ServerError, tell


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (SuspendedError("entry 17 failed"), SUSPENDED),
        (PendingError("entry 17, the same question, is still being run"), PENDING),
        (LedgerError("/secret/ledger.db is busy"), UNREACHED),
        (LostLeaseError("the lease on entry 17 was lost"), UNREACHED),
        (PolicyError("/secret/policy.toml: wrong"), UNFIT),
        (ValueError("row 17 of Ann"), BROKEN),
        (KeyboardInterrupt(), BROKEN),
    ],
)
def test_what_may_tell_of_others_is_told_in_one_sentence(trouble: BaseException, words: str) -> None:
    assert str(tell(trouble).to_error()) == words


@pytest.mark.parametrize("trouble", [QueryError("q"), FailedError("f"), StoppedError("s"), BudgetError("b", 0.5)])
def test_what_was_said_on_purpose_comes_back_as_it_was(trouble: Exception) -> None:
    again = tell(trouble).to_error()
    assert (type(again), str(again)) == (type(trouble), str(trouble))
    assert getattr(again, "fits", None) == getattr(trouble, "fits", None)


def test_a_wrong_parameter_is_a_question_to_write_anew() -> None:
    assert isinstance(tell(ParameterError("confidence", 2, "below 1")).to_error(), QueryError)
    assert isinstance(tell(LedgerError("x")).to_error(), ServerError)
