"""What the tests of the ledger on PostgreSQL share."""

from __future__ import annotations

import itertools

import pytest

from discreet.ledger import Server
from servers.postgres import Cluster
from support.ledger import DSN

NUMBERS = itertools.count(1)


@pytest.fixture
def server(postgres: Cluster, common_database: str, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A schema that nobody has made yet, and how to connect to its database in the environment."""
    monkeypatch.setenv(DSN, postgres.dsn(common_database))
    return Server(DSN, f"schema_{next(NUMBERS)}")
