"""Releases that several tests look at: each is made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.topdown.making import run
from discreet.topdown.release.census_release import CensusRelease
from topdown.small_release import SmallCensus, write_small_census


@pytest.fixture(scope="session")
def small_census(tmp_path_factory: pytest.TempPathFactory) -> SmallCensus:
    return write_small_census(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="session")
def regrouped_census(tmp_path_factory: pytest.TempPathFactory) -> SmallCensus:
    return write_small_census(tmp_path_factory.mktemp("regrouped"), regroup=True)


@pytest.fixture(scope="session")
def small_release(small_census: SmallCensus) -> CensusRelease:
    return run(small_census.path, workers=1, replications=20)


@pytest.fixture(scope="session")
def regrouped_release(regrouped_census: SmallCensus) -> CensusRelease:
    return run(regrouped_census.path, Path(regrouped_census.folder / "out"), workers=2, replications=20)
