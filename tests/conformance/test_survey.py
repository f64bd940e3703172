"""How rows fit what is declared, on every engine: the same counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.data import World, worlds
from conformance.placing import in_duckdb, placed

WORLDS = {each.name: each for each in worlds() if each.name in ("hospital", "readings", "shop")}


@pytest.mark.many
@pytest.mark.parametrize("engine", ["postgres", pytest.param("spark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_every_engine_counts_the_same(
    world: World, engine: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    request.param = engine
    here = in_duckdb(world)
    with placed(world, request, tmp_path) as there:
        for table in world.tables:
            assert there.survey(table) == here.survey(table), table
