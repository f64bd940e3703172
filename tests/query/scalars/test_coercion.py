"""NULL takes the type of what stands beside it, and text beside dates is read as one."""

from __future__ import annotations

import datetime as dt

import pytest

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Column, Literal
from discreet.query.scalars.coercion import combine, fit_constant, is_null, to_time

NULL = Literal(None, Type.BOOLEAN)
DAY = Column("t", "d", Type.DATE)


def test_null_takes_the_type_beside_it() -> None:
    assert combine("eq", DAY, NULL).arguments[1] == Literal(None, Type.DATE)
    assert combine("least", NULL, Literal(1, Type.INTEGER)).type is Type.INTEGER
    chosen = combine("case", Literal(True, Type.BOOLEAN), NULL, DAY)
    assert chosen.type is Type.DATE
    assert chosen.arguments[0] == Literal(True, Type.BOOLEAN)
    assert is_null(NULL)
    assert not is_null(DAY)


def test_text_beside_dates_is_a_date() -> None:
    assert combine("eq", Literal("2020-01-01", Type.TEXT), DAY).arguments[0] == Literal(dt.date(2020, 1, 1), Type.DATE)
    assert fit_constant(Literal("x", Type.TEXT), Type.TEXT) == Literal("x", Type.TEXT)
    with pytest.raises(QueryError, match="is not a date"):
        fit_constant(Literal("x", Type.TEXT), Type.DATE)


def test_a_text_is_a_time_where_it_has_hours() -> None:
    assert to_time(Literal("2020-01-01", Type.TEXT)).type is Type.DATE
    assert to_time(Literal("2020-01-01 10:00", Type.TEXT)).type is Type.TIMESTAMP
    assert to_time(NULL) == Literal(None, Type.DATE)
    assert to_time(DAY) is DAY
