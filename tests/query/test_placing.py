"""Places of values: the same in Arrow as in SQL, and of whatever a question names."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

from discreet.base.errors import ParameterError
from discreet.base.types import Type
from discreet.query.placed_columns import BinnedColumn, ListedColumn, ListedWhole, PlacedColumn
from discreet.query.placing import choose_places, locate_values

NAN = float("nan")
WARD = ListedColumn("ward", Type.TEXT, ("north", "it's", "$x", ""))
AGE = ListedWhole.between("age", -2, 5)
WEIGHT = BinnedColumn("weight", Type.FLOAT, (Fraction(1, 2), Fraction(1), Fraction(5, 2)))
DAY = BinnedColumn("day", Type.DATE, (dt.date(2024, 1, 1), dt.date(2024, 7, 1), dt.date(2024, 12, 31)))
AT = BinnedColumn("at", Type.TIMESTAMP, (dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 12), dt.datetime(2024, 1, 2)))
SICK = ListedColumn("sick", Type.BOOLEAN, (False, True))


@pytest.mark.parametrize(
    ("column", "values", "places"),
    [
        (WARD, pa.array([None, "north", "it's", "$x", "", "attic", "north "]), [0, 1, 2, 3, 4, 5, 0]),
        (AGE, pa.array([None, -2, 5, 0, -3, 6, 2**63 - 1, -(2**63)]), [0, 1, 8, 3, 1, 8, 8, 1]),
        (AGE, pa.array([None, 1], pa.int8()), [0, 4]),
        (WEIGHT, pa.array([None, NAN, 0.5, 2.5, -1.0, float("inf"), float("-inf"), 1.0]), [0, 0, 1, 2, 1, 2, 1, 2]),
        (DAY, pa.array([None, dt.date(2024, 6, 30), dt.date(2024, 7, 1), dt.date(1900, 1, 1)]), [0, 1, 2, 1]),
        (AT, pa.array([None, dt.datetime(2024, 1, 1, 11), dt.datetime(2024, 1, 1, 12)]), [0, 1, 2]),
        (SICK, pa.array([None, True, False]), [0, 2, 1]),
    ],
)
def test_values_have_the_places_that_sql_gives_them(column: PlacedColumn, values: pa.Array, places: list[int]) -> None:
    assert locate_values(column, values).tolist() == places
    assert locate_values(column, pa.chunked_array([values[:1], values[1:]])).tolist() == places
    assert locate_values(column, values[:0]).tolist() == []


@pytest.mark.parametrize(
    ("column", "wanted", "places"),
    [
        (WARD, "north", [1]),
        (WARD, ["", None, "other"], [0, 4, 5]),
        (AGE, range(-2, 1), [1, 2, 3]),
        (AGE, "3", [6]),
        (WEIGHT, (0.5, 2.5), [1, 2]),
        (WEIGHT, ["[0.5, 1)"], [1]),
        (DAY, (dt.date(2024, 7, 1), dt.date(2024, 12, 31)), [2]),
        (SICK, True, [2]),
    ],
)
def test_questions_name_values_lists_and_bins(column: PlacedColumn, wanted: Any, places: list[int]) -> None:
    assert choose_places(column, wanted) == places


def test_a_value_called_null_is_not_null() -> None:
    column = ListedColumn("ward", Type.TEXT, ("NULL", "other"))
    assert choose_places(column, "NULL") == [1]
    assert choose_places(column, None) == [0]
    assert choose_places(column, "other") == [2]


@pytest.mark.parametrize(
    ("column", "wanted"), [(WARD, "south"), (AGE, 6), (AGE, 2.0), (WEIGHT, (0.5, 2.0)), (WEIGHT, 0.7), (SICK, 1)]
)
def test_what_has_no_place_of_its_own_is_refused(column: PlacedColumn, wanted: Any) -> None:
    with pytest.raises(ParameterError, match=f"where must be .*{column.name}"):
        choose_places(column, wanted)
