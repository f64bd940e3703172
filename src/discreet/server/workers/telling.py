"""What analysts are told of errors: the same words whoever else asks, and no number of anybody else's entry."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.base.errors import (
    BudgetError,
    DiscreetError,
    FailedError,
    LedgerError,
    OperationError,
    ParameterError,
    PendingError,
    PolicyError,
    QueryError,
    StoppedError,
    SuspendedError,
)

SUSPENDED = "asking is suspended for you after a question that failed or was late; nothing was charged. Ask the owner"
PENDING = "not done yet. It goes on and will be recorded: ask the same again later, without a new charge"
UNREACHED = "the ledger cannot be reached or written now; what was charged is not lost. Ask the same again later"
UNFIT = "the policy and the data do not fit together any more; nothing was charged. Ask the owner"
BROKEN = "something is wrong with the server; what was charged is not lost. Ask the owner"


class ServerError(DiscreetError):
    """Something is wrong with the server, and not with what was asked."""


class OwnerError(DiscreetError):
    """Something that an owner wanted cannot be done; it says why, in words that are for owners."""


KINDS: dict[str, type[DiscreetError]] = {
    each.__name__: each
    for each in (
        QueryError,
        SuspendedError,
        FailedError,
        StoppedError,
        PendingError,
        OperationError,
        OwnerError,
        ServerError,
    )
}


@dataclass(frozen=True, slots=True)
class ToldError:
    """An error as it travels: the name of its class, its words, and what would fit where a budget refused."""

    kind: str
    words: str
    fits: float | None = None

    def to_error(self) -> DiscreetError:
        """Return the error again."""
        if self.kind == BudgetError.__name__:
            return BudgetError(self.words, self.fits)
        return KINDS.get(self.kind, ServerError)(self.words)


def tell(trouble: BaseException) -> ToldError:
    """Return what whoever asked is told of an error; whatever is not on purpose is told in one sentence."""
    match trouble:
        case BudgetError():
            return ToldError("BudgetError", str(trouble), trouble.fits)
        case ParameterError() | QueryError():
            return ToldError("QueryError", str(trouble))
        case SuspendedError():
            return ToldError("SuspendedError", SUSPENDED)
        case StoppedError() | FailedError() | OperationError():
            return ToldError(type(trouble).__name__, str(trouble))
        case PendingError():
            return ToldError("PendingError", PENDING)
        case LedgerError():
            return ToldError("ServerError", UNREACHED)
        case PolicyError():
            return ToldError("ServerError", UNFIT)
        case _:
            return ToldError("ServerError", BROKEN)


def tell_owner(trouble: BaseException) -> ToldError:
    """Return what an owner is told of an error: all that discreet itself says, which is not for analysts."""
    return (
        ToldError("OwnerError", str(trouble))
        if isinstance(trouble, DiscreetError)
        else ToldError("ServerError", BROKEN)
    )
