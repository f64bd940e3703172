"""One session for all tests here: starting Spark takes longer than most of the tests."""

from __future__ import annotations

import pytest

from discreet.engines.spark.session import SparkConnection
from discreet.policy.model import DeclaredEngine


@pytest.fixture(scope="session")
def declared(spark_engine: DeclaredEngine) -> DeclaredEngine:
    return spark_engine


@pytest.fixture(scope="session")
def session(spark_session: SparkConnection) -> SparkConnection:
    return spark_session
