"""The family of errors. Each message names what was wrong and what to write instead."""

from __future__ import annotations


class DiscreetError(Exception):
    """Every error this package raises on purpose is one of these."""


class ParameterError(DiscreetError, ValueError):
    """An argument is outside what it may be; raised before any randomness is drawn."""

    def __init__(self, name: str, value: object, allowed: str) -> None:
        self.name = name
        self.allowed = allowed
        super().__init__(f"{name} must be {allowed}; got {_shown(value)}")

    @classmethod
    def of_data(cls, name: str, data: object, allowed: str) -> ParameterError:
        """Complain about the type of some data without quoting any of it."""
        kind = getattr(data, "dtype", None)
        return cls(name, _Word(f"{type(data).__name__}" + (f" of {kind}" if kind is not None else "")), allowed)


class BudgetError(DiscreetError):
    """A loss does not fit into what is left of a budget.

    `fits` is the largest epsilon (or rho, if that was asked for) at which the question would; None where none does.
    """

    def __init__(self, message: str, fits: float | None = None) -> None:
        self.fits = fits
        super().__init__(message)


class PolicyError(DiscreetError):
    """The owner's policy is wrong or does not fit the data; the message names the file, the key and the remedy."""


class QueryError(DiscreetError):
    """A question cannot be answered privately; raised before anything is charged."""


class LedgerError(DiscreetError):
    """The ledger is missing, damaged, busy, or belongs to another policy."""


class FailedError(DiscreetError):
    """A question failed after its charge. The message is the same whatever happened; the charge stays."""


class SuspendedError(DiscreetError):
    """Whoever asks is suspended after a failure, until the operator resumes them; nothing was charged."""


class StoppedError(FailedError):
    """A question was stopped by hand after its charge; the charge stays."""


class OperationError(DiscreetError):
    """An operation asks its desk for more than it declared, or for something else than in its first run."""


class PendingError(DiscreetError):
    """The answer is still being computed: it will be recorded, and asking again finds it without a new charge."""


class LostLeaseError(LedgerError):
    """Somebody else runs this charge now. That is no failure of the data: the charge stays, and nobody is suspended."""


class TakenError(LedgerError):
    """Somebody else was first to pay for what is paid for once; nothing was charged."""


class ExhaustedError(DiscreetError):
    """A mechanism that answers a limited number of times was asked once more."""


class _Word(str):
    """A description, shown without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:60]}... ({len(text)} characters)"
