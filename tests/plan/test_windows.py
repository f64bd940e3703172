"""What is computed across released rows knows what it depends on."""

from __future__ import annotations

from discreet.base.types import Type
from discreet.plan.functions import call
from discreet.plan.question import Aggregate, AggregateKind, refer_to_key, refer_to_value
from discreet.plan.windows import Across, Order, Stage, find_computed, find_released, name_computed, note_choices

KEY = refer_to_key(0, Type.INTEGER)
COUNT = refer_to_value(0, Aggregate(AggregateKind.ROWS))


def test_a_computed_column_depends_on_its_arguments_and_on_what_chose_its_rows() -> None:
    for made in (
        Across("sum", (COUNT,), Type.INTEGER),
        Across("rank", (), Type.INTEGER, order=(Order(COUNT, True, False),)),
        Across("count", (), Type.INTEGER, partition=(COUNT,)),
        Across("count", (), Type.INTEGER, where=call("gt", COUNT, KEY)),
        Across("count", (), Type.INTEGER, chosen=(COUNT,)),
    ):
        assert COUNT in find_released(call("add", KEY, name_computed(0, 0, made)))
    plain = name_computed(0, 0, Across("rank", (), Type.INTEGER, order=(Order(KEY, True, False),)))
    assert COUNT not in find_released(plain)
    assert find_computed([KEY, call("add", plain, plain)]) == (plain,)


def test_choices_are_noted_for_the_columns_named_and_no_others() -> None:
    first, second = (name_computed(0, place, Across("rank", (), Type.INTEGER)) for place in (0, 1))
    noted = find_computed([note_choices(call("add", first, second), {"w0_0"}, (COUNT,))])
    assert [each.made.chosen for each in noted] == [(COUNT,), ()]


def test_order_chooses_rows_only_where_something_is_cut() -> None:
    order = (Order(COUNT, True, False),)
    assert Stage(order=order).find_choices() == ()
    assert Stage(order=order, limit=3).find_choices() == (COUNT,)
    assert Stage(order=order, offset=3).find_choices() == (COUNT,)
    assert Stage(call("gt", KEY, KEY)).find_choices() == (call("gt", KEY, KEY),)
