"""A column holds values of its type or nothing; intervals stand beside noisy numbers only."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from discreet.answers import AnswerTable, Field
from discreet.answers.fields import to_utc
from discreet.base.errors import ParameterError
from discreet.base.types import Type
from support.answers import answered, key, noisy

VALUES = [True, 1, 1.5, Decimal(1), "x", date(2020, 1, 1), datetime(2020, 1, 1)]


@pytest.mark.parametrize(
    ("type", "held"),
    [
        (Type.BOOLEAN, [True]),
        (Type.INTEGER, [1]),
        (Type.FLOAT, [1, 1.5]),
        (Type.DECIMAL, [1, Decimal(1)]),
        (Type.TEXT, ["x"]),
        (Type.DATE, [date(2020, 1, 1)]),
        (Type.TIMESTAMP, [datetime(2020, 1, 1)]),
    ],
)
def test_a_field_holds_its_type_and_missing_values(type: Type, held: list[object]) -> None:
    field = Field("c", type, noisy=False)
    assert [value for value in VALUES if field.holds(value)] == held
    assert field.holds(None)


def test_a_value_of_the_wrong_type_is_refused_and_not_quoted() -> None:
    with pytest.raises(ParameterError, match="column 'n' must be integer values or None; got str") as raised:
        AnswerTable((noisy(),), (("secret",),))
    assert "secret" not in str(raised.value)


def test_names_differ_and_rows_are_whole() -> None:
    with pytest.raises(ParameterError, match="different names"):
        AnswerTable((noisy(), noisy()), ())
    with pytest.raises(ParameterError, match="one per column"):
        AnswerTable((noisy(),), ((1, 2),))


@pytest.mark.parametrize("pair", [(2, 1), (float("nan"), 1.0)])
def test_an_interval_has_its_low_end_first(pair: tuple[float, float]) -> None:
    with pytest.raises(ParameterError, match="low <= high"):
        answered(noisy(), rows=[(1,)], bounds=lambda c, s: ((pair,),)).intervals()


def test_keys_have_no_intervals_and_every_row_has_its_bounds() -> None:
    with pytest.raises(ParameterError, match="bounds of 'city'"):
        answered(key(), rows=[("a",)], bounds=lambda c, s: (((0, 1),),)).intervals()
    with pytest.raises(ParameterError, match="2 rows of 1"):
        answered(noisy(), rows=[(1,), (2,)], bounds=lambda c, s: (((0, 1),),)).intervals()


def test_times_without_a_zone_are_in_utc() -> None:
    noon = datetime(2020, 1, 1, 12, tzinfo=UTC)
    assert to_utc(datetime(2020, 1, 1, 12)) == noon
    assert to_utc(datetime(2020, 1, 1, 13, tzinfo=timezone(timedelta(hours=1)))) == noon
