"""What PostgreSQL says, in plain words: what happened to the ledger and what to do, without a value or a secret."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from discreet.base.errors import LedgerError
from discreet.ledger.postgres.connect import load_driver
from discreet.ledger.postgres.server import Server

RIGHTS = "grant it what docs/ledger.md lists, or use the role that ran `discreet init`"


@contextmanager
def explain_errors(server: Server, patience: float) -> Iterator[None]:
    """Turn every failure of the driver into an error with a remedy."""
    psycopg = load_driver()
    try:
        yield
    except psycopg.Error as error:
        raise LedgerError(explain_error(server, error, patience)) from None
    except OSError as error:
        raise LedgerError(f"cannot use the {server}: {error.strerror or type(error).__name__}. Ask again") from None


def explain_error(server: Server, error: Any, patience: float) -> str:
    """Return what a failure means for the ledger."""
    state = error.sqlstate or ""
    if state == "55P03":
        return (
            f"the {server} is busy: no turn to write within {patience:g} s. "
            "See who holds its table `gate` (pg_locks, pg_stat_activity), then ask again"
        )
    if state == "42501":
        return f"the role may not do this in the {server}: {RIGHTS}"
    if state in ("42P01", "3F000", "42703"):
        return f"the {server} is damaged or not a ledger ({state}): restore it from a backup and verify it"
    if state == "25006":
        return f"the {server} takes no writes now: name the primary server"
    if state.startswith("53"):
        return f"the {server} has no room left ({state}): free disk, memory or connections there"
    if state.startswith("40"):
        return f"the {server} gave this turn up ({state}): nothing was written. Ask again"
    if isinstance(error, load_driver().DataError):
        return f"the {server} cannot store a name or value given to it: leave out NUL characters"
    if not state or state.startswith(("08", "57")):
        return f"the connection to the {server} was lost: nothing was written. Ask again"
    return f"the {server} could not be used ({state}): run `discreet ledger --verify`"
