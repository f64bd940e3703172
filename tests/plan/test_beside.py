"""Answers beside one another: which of them are one release, and how their values are put in place."""

from __future__ import annotations

from discreet.base.types import Type
from discreet.plan.beside import list_releases, name_attached, put_values
from discreet.plan.expressions import Literal
from discreet.plan.functions import call
from discreet.plan.question import Finish
from discreet.plan.windows import Across, Order, Stage, name_computed
from support.hospital import asked
from support.oracle import ENGINE

WARDS = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"


def test_answers_that_release_the_same_are_released_once() -> None:
    """So that shares of one table add up, and nothing is paid twice."""
    shares = asked(ENGINE, f"WITH t AS ({WARDS}) SELECT ward, n / (SELECT SUM(n) FROM t) AS s FROM t")
    assert [len(shares.beside), len(list_releases(shares).questions)] == [1, 1]
    total = "(SELECT COUNT(*) FROM visits)"
    twice = asked(ENGINE, f"SELECT COUNT(*) / {total} FROM visits WHERE age > 3 HAVING COUNT(*) < {total}")
    assert [len(twice.beside), len(list_releases(twice).questions)] == [1, 2]
    both = asked(ENGINE, f"SELECT COUNT(*) / {total}, {total} / (SELECT SUM(cost) FROM visits) FROM visits")
    assert [len(both.beside), len(list_releases(both).questions)] == [2, 2]


def test_values_are_put_wherever_they_are_read_and_order_nothing() -> None:
    """ORDER BY 3 would be the third column."""
    value, three = name_attached(0, Type.INTEGER), Literal(3, Type.INTEGER)
    two = Literal(2, Type.INTEGER)
    rank = name_computed(0, 0, Across("sum", (call("add", value, two),), Type.INTEGER, partition=(value,)))
    condition, put = call("gt", value, two), call("gt", three, two)
    stage = Stage(condition, (rank,), order=(Order(value, False, False),))
    finish = Finish((("a", value), ("b", rank)), condition, (Order(value, True, False),), stages=(stage,))
    found = put_values(finish, {"s0": three})
    assert (found.outputs[0], found.having, found.order) == (("a", three), put, ())
    assert (found.stages[0].having, found.stages[0].order) == (put, ())
    assert found.stages[0].columns[0].made.arguments == (call("add", three, two),)
    assert found.outputs[1][1] == found.stages[0].columns[0]
    assert put_values(finish, {}) is finish
