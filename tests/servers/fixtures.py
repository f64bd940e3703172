"""Servers that tests ask for by name: started once in each test process, when the first test wants one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from discreet.policy.model import DeclaredEngine, EngineKind
from servers.missing import missing

if TYPE_CHECKING:
    from discreet.engines.spark.session import SparkConnection
    from servers.postgres import Cluster
    from servers.spark import Cluster as SparkCluster


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A running PostgreSQL. A test that stops it starts it again."""
    try:
        from servers.postgres import Cluster
    except ImportError:
        missing("PostgreSQL", "its driver is not installed: pip install 'psycopg[binary]'")
    cluster = Cluster()
    yield cluster
    cluster.remove()


@pytest.fixture(scope="session")
def common_database(postgres: Cluster) -> str:
    """The name of a database that tests share, each in schemas of its own."""
    return postgres.database()


@pytest.fixture
def database(postgres: Cluster) -> str:
    """The name of an empty database for one test."""
    return postgres.database()


@pytest.fixture(scope="session")
def spark_cluster() -> Iterator[SparkCluster]:
    """A running Spark of a master and two workers. A test that ends a worker starts another."""
    from servers.spark import Cluster

    cluster = Cluster()
    yield cluster
    cluster.remove()


@pytest.fixture(scope="session")
def spark_engine(spark_cluster: SparkCluster) -> DeclaredEngine:
    """What a policy says of that cluster."""
    settings = tuple(spark_cluster.get_settings().items())
    return DeclaredEngine("engine", EngineKind.SPARK, master=spark_cluster.master, settings=settings)


@pytest.fixture(scope="session")
def spark_session(spark_engine: DeclaredEngine) -> Iterator[SparkConnection]:
    """The session that starts Spark and stops it at the end; sessions of tests begin and end in between."""
    from discreet.engines.spark.session import connect

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # what executors run; they are on this computer
    session = connect(spark_engine, Path("policy.toml"))
    yield session
    session.close()
