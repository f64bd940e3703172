"""One session for all tests here: starting Spark takes longer than most of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from discreet.engines.spark.session import Session, connected
from discreet.policy.model import Engine, Kind
from servers.spark import SMALL, Cluster


@pytest.fixture(scope="session")
def declared(spark_cluster: Cluster) -> Engine:
    settings = {**SMALL, "spark.sql.warehouse.dir": str(spark_cluster.folder / "warehouse")}
    return Engine("engine", Kind.SPARK, master=spark_cluster.master, settings=tuple(settings.items()))


@pytest.fixture(scope="session")
def session(declared: Engine) -> Iterator[Session]:
    """The session that starts Spark and stops it at the end; sessions of tests begin and end in between."""
    session = connected(declared, Path("policy.toml"))
    yield session
    session.close()
