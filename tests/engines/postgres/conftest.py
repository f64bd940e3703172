"""What tests of PostgreSQL share: a connection as sessions set it up, and a database for each test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from discreet.engines.postgres.session import PIN, settings
from engines.postgres.placed import VARIABLE, Placed
from servers.postgres import Cluster


@pytest.fixture(scope="session")
def server(postgres: Cluster, common_database: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection under the settings of sessions, that may make tables of its own."""
    with postgres.connect(common_database) as connection:
        connection.execute(PIN.replace("true", "false"), settings(connection.info.server_version))
        yield connection


@pytest.fixture
def placed(postgres: Cluster, database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Placed]:
    """An empty database, the only one that policies of the test know the address of."""
    monkeypatch.setenv(VARIABLE, postgres.dsn(database))
    with postgres.connect(database) as owner:
        yield Placed(postgres, database, owner)
