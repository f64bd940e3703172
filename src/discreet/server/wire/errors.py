"""Errors as PostgreSQL's clients read them: an SQLSTATE, a message, and what to do about it."""

from __future__ import annotations

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

PRICE = "say how much privacy to spend, such as\n"
"""How the error of a question without a price begins; the price list follows."""

PRICE_HINT = "SET discreet.epsilon = 0.1, or write /* epsilon = 0.1 */ in the question. EXPLAIN SELECT ... is free."
GENERIC = "the server failed; its log says how, and the operator can read it"


class WireError(Exception):
    """What a client is told. A fatal one ends the connection."""

    def __init__(self, code: str, message: str, *, detail: str = "", hint: str = "", fatal: bool = False) -> None:
        super().__init__(message)
        self.code, self.message, self.detail, self.hint, self.fatal = code, message, detail, hint, fatal

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """The fields of an ErrorResponse."""
        severity = "FATAL" if self.fatal else "ERROR"
        told = [("S", severity), ("V", severity), ("C", self.code), ("M", self.message)]
        told += [(key, text) for key, text in (("D", self.detail), ("H", self.hint)) if text]
        return tuple(told)


def violate(message: str, *, fatal: bool = False) -> WireError:
    """Return the error for bytes that the protocol does not allow."""
    return WireError("08P01", message, fatal=fatal)


def refuse(message: str, hint: str = "") -> WireError:
    """Return the error for a statement that is never answered; it is free."""
    return WireError("0A000", message, hint=hint)


def translate_error(error: BaseException) -> WireError | None:
    """Return what a client is told of an error; None where it is none of ours, and nothing may be told of it."""
    if isinstance(error, WireError):
        return error
    if not isinstance(error, DiscreetError):
        return None
    text = str(error)
    if isinstance(error, QueryError) and text.startswith(PRICE):
        return WireError("55000", "this question has no price", detail=text.removeprefix(PRICE), hint=PRICE_HINT)
    message, _, rest = text.partition("\n")
    return WireError(_find_code(error, text), message, detail=rest)


def _find_code(error: DiscreetError, text: str) -> str:
    if isinstance(error, QueryError):
        for words, code in QUERY_CODES.items():
            if words in text:
                return code
        return "0A000"
    return next((code for kind, code in CODES.items() if isinstance(error, kind)), "58000")


QUERY_CODES = {
    "there is no table": "42P01",
    "has no column": "42703",
    "is not SQL that can be read": "42601",
    "statements were given": "42601",
    "the question is empty": "42601",
    "there is no column": "42703",
    "the question has no $": "42P02",
    "characters; at most": "54000",
    "nested": "54001",
}
"""What a refused question's message holds, and the SQLSTATE that says so to programs."""

CODES: dict[type[DiscreetError], str] = {
    BudgetError: "53400",
    ParameterError: "22023",
    StoppedError: "57014",
    FailedError: "58000",
    SuspendedError: "42501",
    PendingError: "55P03",
    LedgerError: "58000",
}
"""The SQLSTATEs of the family, the more special class first."""
