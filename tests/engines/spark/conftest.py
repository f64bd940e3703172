"""One cluster and one Spark for all tests here: starting them takes longer than most of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from servers.spark import SMALL, Cluster

if TYPE_CHECKING:
    from discreet.engines.spark.session import Session, Spark


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    cluster = Cluster()
    yield cluster
    cluster.remove()


@pytest.fixture(scope="session")
def place(cluster: Cluster) -> Spark:
    from discreet.engines.spark.session import Spark

    settings = {**SMALL, "spark.sql.warehouse.dir": str(cluster.folder / "warehouse")}
    return Spark(master=cluster.master, settings=settings)


@pytest.fixture(scope="session")
def session(place: Spark) -> Iterator[Session]:
    """The session that starts Spark and stops it at the end; sessions of tests begin and end in between."""
    from discreet.engines.spark.session import connected

    session = connected(place, Path("policy.toml"))
    yield session
    session.close()
