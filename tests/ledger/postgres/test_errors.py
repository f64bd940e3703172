"""Every failure of PostgreSQL has a remedy, and none of its own words is shown."""

from __future__ import annotations

import psycopg
import pytest

from discreet.base.errors import LedgerError
from discreet.ledger import Server
from discreet.ledger.postgres.errors import explain_errors

SERVER = Server("LEDGER_DSN")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (psycopg.errors.LockNotAvailable, r"busy: no turn to write within 2 s"),
        (psycopg.errors.InsufficientPrivilege, "role may not"),
        (psycopg.errors.UndefinedTable, "restore it from a backup"),
        (psycopg.errors.InvalidSchemaName, "restore it from a backup"),
        (psycopg.errors.ReadOnlySqlTransaction, "name the primary"),
        (psycopg.errors.DiskFull, "no room left"),
        (psycopg.errors.DeadlockDetected, "nothing was written. Ask again"),
        (psycopg.errors.AdminShutdown, "connection .* was lost: nothing was written"),
        (psycopg.OperationalError, "connection .* was lost: nothing was written"),
        (psycopg.DataError, "leave out NUL"),
        (psycopg.errors.UniqueViolation, "23505.*--verify"),
        (InterruptedError, "Ask again"),
    ],
)
def test_every_failure_has_a_remedy(error: type[Exception], words: str) -> None:
    with pytest.raises(LedgerError, match=words) as caught, explain_errors(SERVER, 2):
        raise error("secret")
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_the_ledgers_own_errors_pass() -> None:
    with pytest.raises(LedgerError, match="as it is"), explain_errors(SERVER, 2):
        raise LedgerError("as it is")
