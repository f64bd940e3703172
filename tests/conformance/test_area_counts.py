"""A census on every engine: the same people are counted in the same areas and cells, before any noise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from conformance.data import World
from conformance.placing import in_duckdb, placed
from discreet.curator.door.levels import AreaCodes, AreaCounts, place_rows
from discreet.engines.engines import Engines
from discreet.topdown.measure.area_codes import AreaColumn, TextAreas, WholeAreas
from discreet.topdown.measure.people import write_people
from support.hospital import rows_of
from support.teaching import wait
from topdown.measure.small_census import (
    ADULT,
    BLOCKS,
    DETAIL,
    GEOGRAPHY,
    ODD,
    PEOPLE,
    SCHEMA,
    SEX_AGE,
    TOTAL,
    count_exactly,
    make_tables,
    write_policy,
)

AREAS: list[AreaColumn] = [TextAreas("block", BLOCKS), WholeAreas("number", tuple(range(0, 70, 10)))]
TWICE = [*PEOPLE, *ODD, *((number, *rest) for number, *rest in PEOPLE[:7])]
"""Some people have two equal rows, of which one is kept."""

TABLES: dict[str, pa.Table] = make_tables(TWICE)  # type: ignore[arg-type]
WORLD = World("census", write_policy(), TABLES)


@pytest.fixture(params=["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.long)])
def engines(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engines]:
    with placed(WORLD, request, tmp_path) as found:
        yield found


@pytest.mark.parametrize("areas", AREAS, ids=["texts", "numbers"])
def test_every_engine_counts_the_same_people_in_the_same_places(engines: Engines, areas: AreaColumn) -> None:
    text, parameters = write_people("people", areas, SCHEMA)
    plan = rows_of(engines, text, parameters)
    assert plan == rows_of(in_duckdb(WORLD), text, parameters)
    held = engines.hold(plan, wait)
    try:
        rows = place_rows(held.tally(), AreaCodes(areas.list_codes()))
    finally:
        held.close()
    for level in range(3):
        for query in (TOTAL, ADULT, SEX_AGE, DETAIL):
            counted = AreaCounts(AreaCodes(areas.list_codes()), GEOGRAPHY.ancestors[level], query.places)
            found = np.concatenate([counted.count(rows, *run) for run in counted.split()])
            assert np.array_equal(found, count_exactly(level, query)), (level, query.name)
