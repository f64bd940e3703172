"""What the tests of the ledger on PostgreSQL share."""

from __future__ import annotations

import itertools

import pytest

from discreet.ledger import Server
from ledger_support import DSN
from servers.postgres import Cluster

NUMBERS = itertools.count(1)


@pytest.fixture
def server(postgres: Cluster, common_database: str, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A schema that nobody has made yet, and how to connect to its database in the environment."""
    monkeypatch.setenv(DSN, postgres.dsn(common_database))
    return Server(DSN, f"schema_{next(NUMBERS)}")
