"""What tests of PostgreSQL share: both engines side by side, and a database with a few tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sides import Sides

from discreet.engines.duck.connection import connect
from discreet.engines.postgres.session import SETTINGS
from servers.postgres import Cluster


@pytest.fixture(scope="session")
def sides(postgres: Cluster, common_database: str) -> Iterator[Sides]:
    """DuckDB and PostgreSQL with the same tables of the worst values."""
    with postgres.connect(common_database) as server:
        for name, value in SETTINGS.items():
            server.execute("SELECT set_config(%s, %s, false)", (name, value))
        yield Sides(server, connect())
