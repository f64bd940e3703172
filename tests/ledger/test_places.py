"""A place is a file or a server's schema, and only creating makes a ledger there."""

from __future__ import annotations

import contextlib

import pytest

from discreet.base.errors import LedgerError
from discreet.ledger import Server
from discreet.ledger.files.store import SqliteStore
from discreet.ledger.places import create_store, open_store
from discreet.ledger.postgres.store import PostgresStore
from support.ledger import Home, place


def test_a_place_opens_the_store_of_its_kind(home: Home) -> None:
    with pytest.raises(LedgerError, match="there is no ledger"):
        open_store(place(home))
    create_store(place(home), lambda db: None)
    with contextlib.closing(open_store(place(home))) as opened, opened.reading() as db:
        assert isinstance(opened, PostgresStore if isinstance(home, Server) else SqliteStore)
        assert db.execute("SELECT count(*) FROM entries").fetchone() == (0,)
    with pytest.raises(LedgerError, match="exists already"):
        create_store(place(home), lambda db: None)
