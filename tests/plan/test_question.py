"""The plan: types of aggregates, what is computed from rows, and whether rows of the answer are chosen."""

from __future__ import annotations

from discreet.base.types import Type
from discreet.plan.expressions import Column, Literal
from discreet.plan.question import Aggregate, Finish, Kind, Order, released_key, released_value
from support.hospital import asked, engine_of

COST = Column("t0", "cost", Type.FLOAT)


def test_counts_are_whole_sums_what_they_add_up_and_the_rest_floats() -> None:
    whole = Column("t0", "age", Type.INTEGER)
    types = {kind: Aggregate(kind, whole).type for kind in Kind}
    counts = {Kind.ROWS, Kind.VALUES, Kind.UNITS, Kind.CLAMPED, Kind.DISTINCT, Kind.SUM}
    assert {kind for kind, type_ in types.items() if type_ is Type.INTEGER} == counts
    assert Aggregate(Kind.SUM, COST).type is Type.FLOAT


def test_released_columns_are_named_by_their_place() -> None:
    assert released_key(1, Type.TEXT) == Column("released", "k1", Type.TEXT)
    assert released_value(2, Aggregate(Kind.ROWS)) == Column("released", "a2", Type.INTEGER)


def test_every_expression_over_rows_is_told() -> None:
    text = "SELECT floor, SUM(cost), COUNT(*) FROM visits v JOIN wards w ON v.ward = w.ward WHERE sick GROUP BY floor"
    names = [getattr(each, "name", "?") for each in asked(engine_of(), text).expressions()]
    assert names == ["ward", "sick", "floor", "cost"]


def test_having_order_and_limit_choose_rows() -> None:
    value = Literal(True, Type.BOOLEAN)
    assert not Finish((("n", value),)).selects
    for finish in (Finish((), having=value), Finish((), limit=0), Finish((), order=(Order(value, False, False),))):
        assert finish.selects
