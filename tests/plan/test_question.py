"""The plan: types of aggregates, what is computed from rows, and whether rows of the answer are chosen."""

from __future__ import annotations

from discreet.base.types import Type
from discreet.plan.expressions import Column, Literal, Reference, Slot
from discreet.plan.question import Aggregate, AggregateKind, Finish, refer_to_key, refer_to_value
from discreet.plan.windows import Order
from support.hospital import asked, engine_of

COST = Column("t0", "cost", Type.FLOAT)


def test_counts_are_whole_sums_what_they_add_up_and_the_rest_floats() -> None:
    whole = Column("t0", "age", Type.INTEGER)
    types = {kind: Aggregate(kind, whole).type for kind in AggregateKind}
    counts = {
        AggregateKind.ROWS,
        AggregateKind.VALUES,
        AggregateKind.UNITS,
        AggregateKind.CLAMPED,
        AggregateKind.DISTINCT,
        AggregateKind.SUM,
        AggregateKind.SUM_DISTINCT,
    }
    assert {kind for kind, type_ in types.items() if type_ is Type.INTEGER} == counts
    assert Aggregate(AggregateKind.SUM, COST).type is Type.FLOAT


def test_released_columns_are_named_by_their_place() -> None:
    assert refer_to_key(1, Type.TEXT) == Reference("released", "k1", Type.TEXT, Slot.KEY, 1)
    assert refer_to_value(2, Aggregate(AggregateKind.ROWS)) == Reference(
        "released", "a2", Type.INTEGER, Slot.AGGREGATE, 2
    )


def test_every_expression_over_rows_is_told() -> None:
    text = "SELECT floor, SUM(cost), COUNT(*) FROM visits v JOIN wards w ON v.ward = w.ward WHERE sick GROUP BY floor"
    names = [getattr(each, "name", "?") for each in asked(engine_of(), text).expressions()]
    assert names == ["ward", "sick", "floor", "cost"]


def test_having_order_and_limit_choose_rows() -> None:
    value = Literal(True, Type.BOOLEAN)
    assert not Finish((("n", value),)).selects
    for finish in (Finish((), having=value), Finish((), limit=0), Finish((), order=(Order(value, False, False),))):
        assert finish.selects
