"""The connection string is in the environment, is read when it is used, and is in no message."""

from __future__ import annotations

import pytest

from discreet.base.errors import LedgerError
from discreet.ledger import Server

SERVER = Server("LEDGER_DSN", "clinic")


def test_the_connection_string_is_read_when_it_is_used_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for secret in ("host=a password=hunter2", "host=b password=hunter3"):
        monkeypatch.setenv("LEDGER_DSN", secret)
        assert SERVER.dsn == secret
        assert "hunter" not in f"{SERVER} {SERVER!r}"


@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_variable_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.delenv("LEDGER_DSN", raising=False)
    if value is not None:
        monkeypatch.setenv("LEDGER_DSN", value)
    with pytest.raises(LedgerError, match="environment variable LEDGER_DSN is not set"):
        _ = SERVER.dsn


def test_a_server_says_which_schema_and_which_variable() -> None:
    assert str(SERVER) == "schema clinic of the PostgreSQL database in $LEDGER_DSN"
