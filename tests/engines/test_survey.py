"""How rows fit what is declared about them: every count by hand, in tables of a few rows."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest

from discreet.engines.engines import Engines
from discreet.engines.survey import SurveyedColumn, SurveyedGroups, SurveyedTable
from discreet.policy import loads

POLICY = """\
[budget]
epsilon = 1
[tables.rides]
unit = "rider"
max_groups = 1
max_rows_per_group = 2
unique = ["ride"]
[tables.rides.columns]
fare = { lower = 0.5, upper = 10 }
places = { lower = 1, upper = 4.005 }
kind = { values = ["cash", "card"] }
day = { lower = 2025-01-01, upper = 2025-12-31 }
tip = { lower = 0, upper = 5 }
night = { values = [true] }

[tables.stops]
unit = "whose"
through = "ride -> rides.ride"
max_rows = 2

[tables.kinds]
public = true
"""

RIDES = pa.table(
    {
        "rider": pa.array([1, 1, 1, 2, None], pa.int64()),
        "ride": pa.array([10, 10, 11, 12, 13], pa.int64()),
        "fare": pa.array([0.4, 0.5, float("nan"), 11.0, None], pa.float64()),
        "places": pa.array([Decimal(each) / 100 for each in (99, 400, 401, 100)] + [None], pa.decimal128(9, 2)),
        "kind": pa.array(["cash", "cash", "cash", "coin", "a cheque"], pa.string()),
        "day": pa.array([dt.date(2024, 12, 31), dt.date(2025, 1, 1), None, dt.date(2026, 1, 1), None], pa.date32()),
        "tip": pa.array([-1, 0, 5, 6, 7], pa.int64()),
        "night": pa.array([True, False, True, None, False], pa.bool_()),
    }
)
STOPS = pa.table({"ride": pa.array([10, 10, 10, 12, 13, 99, None], pa.int64())})
KINDS = pa.table({"kind": ["cash"]})


@pytest.fixture
def engines() -> Engines:
    return Engines(loads(POLICY, "owner/policy.toml"), {"rides": RIDES, "stops": STOPS, "kinds": KINDS})


def test_every_value_that_does_not_fit_is_counted(engines: Engines) -> None:
    found = engines.survey("rides")
    assert found.rows == 5
    assert found.columns == (
        SurveyedColumn("rider", 4, 4, 0, 0, 0),
        SurveyedColumn("ride", 5, 5, 0, 0, 0),
        SurveyedColumn("fare", 4, 3, 1, 1, 0),
        SurveyedColumn("places", 4, 4, 1, 1, 0),
        SurveyedColumn("kind", 5, 4, 0, 0, 1),
        SurveyedColumn("day", 3, 3, 1, 1, 0),
        SurveyedColumn("tip", 5, 5, 1, 2, 0),
        SurveyedColumn("night", 4, 4, 0, 0, 2),
    )


def test_units_are_counted_by_their_rows_and_beyond_each_limit(engines: Engines) -> None:
    found = engines.survey("rides")
    assert found.lost == 1
    assert found.rows_of_units == ((1, 1), (3, 1))
    assert found.groups == (
        SurveyedGroups(None, 0, 1),
        SurveyedGroups("kind", 0, 1),
        SurveyedGroups("night", 1, 0),
    )
    assert found.repeated == ((("ride",), 1),)


def test_rows_that_no_unit_reaches_are_lost(engines: Engines) -> None:
    found = engines.survey("stops")
    assert (found.rows, found.lost) == (7, 3)
    assert found.rows_of_units == ((1, 1), (3, 1))


def test_public_tables_have_no_units(engines: Engines) -> None:
    assert engines.survey("kinds") == SurveyedTable(1, (SurveyedColumn("kind", 1, 1, 0, 0, 0),), 0, (), (), ())
