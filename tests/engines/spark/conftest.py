"""One session for all tests here: starting Spark takes longer than most of the tests."""

from __future__ import annotations

import pytest

from discreet.engines.spark.session import Session
from discreet.policy.model import Engine


@pytest.fixture(scope="session")
def declared(spark_engine: Engine) -> Engine:
    return spark_engine


@pytest.fixture(scope="session")
def session(spark_session: Session) -> Session:
    return spark_session
