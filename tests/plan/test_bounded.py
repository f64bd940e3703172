"""Sensitivities are the largest that limits allow: checked against all ways a unit's rows can lie in groups."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from discreet.base.types import Type
from discreet.plan.bounded import (
    BRANCHES,
    BoundedPlan,
    JointKeys,
    Key,
    KeySet,
    Limits,
    Measure,
    Part,
    count_tree_levels,
    sort_rows,
)
from discreet.plan.expressions import Column
from discreet.plan.grid import ClampedGrid
from discreet.plan.relations import Block, Scan
from support.hospital import POLICY, bounded, engine_of

ALL = [Limits(*each) for each in itertools.product((1, 2, 3, 4, 5, 7), (1, 2, 3), (1, 2, 3, 5, 9))]


@pytest.mark.parametrize("limits", ALL, ids=lambda each: f"{each.rows}-{each.groups}-{each.rows_per_group}")
def test_limits_against_all_placements(limits: Limits) -> None:
    placements = [
        counts
        for counts in itertools.product(range(limits.rows_per_group + 1), repeat=limits.groups)
        if sum(counts) <= limits.rows
    ]
    assert limits.l1() == max(sum(counts) for counts in placements)
    assert limits.l2_squared() == max(sum(count**2 for count in counts) for counts in placements)
    assert limits.units_l1() == max(sum(count > 0 for count in counts) for counts in placements)


def test_which_limit_binds_is_said() -> None:
    assert Limits(4, 2, 3).bound_by == "max_rows = 4"
    assert Limits(9, 2, 3).bound_by == "max_groups = 2 times max_rows_per_group = 3"


def test_the_reach_of_a_measure() -> None:
    grid, column = ClampedGrid(Fraction(0), Fraction(1), -7, 3), Column("t0", "x", Type.INTEGER)
    reaches = {part: Measure(part, column, grid).reach for part in Part}
    sums = dict.fromkeys((Part.SUM, Part.DISTINCT_SUM, Part.PRODUCTS), 7)
    assert reaches == {**dict.fromkeys(Part, 1), **sums, Part.SQUARES: 49}
    other = ClampedGrid(Fraction(0), Fraction(1), 0, 5)
    assert Measure(Part.PRODUCTS, column, grid, column, other).reach == 35


@pytest.mark.parametrize(("points", "levels"), [(2, 1), (16, 1), (17, 2), (256, 2), (257, 3), (16**6, 6)])
def test_a_tree_has_a_leaf_for_every_point(points: int, levels: int) -> None:
    grid = ClampedGrid(Fraction(0), Fraction(1), 0, points - 1)
    assert count_tree_levels(grid) == levels
    assert BRANCHES ** (levels - 1) < points <= BRANCHES**levels or levels == 1
    assert Measure(Part.RANKS, None, grid).levels == levels


def test_a_plan_multiplies_limits_reach_levels_and_neighbours() -> None:
    text = "SELECT ward, COUNT(*), SUM(age), COUNT(DISTINCT patient), MEDIAN(age) FROM visits GROUP BY ward"
    plan = bounded(engine_of(), text).plan
    assert plan.groups(0) == plan.public_groups == 3
    found = {measure.part: (plan.l1(measure), plan.l2_squared(measure)) for measure in plan.measures}
    assert found == {
        Part.ROWS: (4, 10),
        Part.SUM: (4 * 110, 10 * 110**2),
        Part.UNITS: (2, 2),
        Part.QUANTILE: (4, 10),
    }


def test_a_tree_of_ranks_moves_in_every_level() -> None:
    many = ", ".join(f"QUANTILE_CONT(age, {place / 20}) AS q{place}" for place in range(1, 20))
    plan = bounded(engine_of(), f"SELECT ward, {many} FROM visits GROUP BY ward").plan
    (ranks,) = plan.measures
    assert ranks.part is Part.RANKS
    assert (plan.l1(ranks), plan.l2_squared(ranks)) == (4 * 2, 10 * 2)


def test_every_set_of_keys_is_moved_by_the_same_rows() -> None:
    """Each grouping is a release of its own: sensitivities add up, in L1 and in squares of L2."""
    one = bounded(engine_of(), "SELECT ward, SUM(age) FROM visits GROUP BY ward").plan
    none = bounded(engine_of(), "SELECT SUM(age) FROM visits").plan
    both = bounded(engine_of(), "SELECT ward, SUM(age) FROM visits GROUP BY ROLLUP (ward)").plan
    (total,) = both.measures
    assert [each.keys for each in both.sets] == [(0,), ()]
    assert both.l1(total) == one.l1(total) + none.l1(total) == (4 + 3) * 110
    assert both.l2_squared(total) == one.l2_squared(total) + none.l2_squared(total) == (10 + 9) * 110**2
    assert both.public_groups == 3 + 1
    twice = bounded(
        engine_of(POLICY.replace("add-remove", "replace")), "SELECT ward, SUM(age) FROM visits GROUP BY ward"
    )
    assert twice.plan.l1(total) == 2 * one.l1(total)
    assert twice.plan.l2_squared(total) == 4 * one.l2_squared(total)


def test_how_many_selected_keys_a_unit_reaches() -> None:
    plan = bounded(
        engine_of(), "SELECT ward, seen, COUNT(*) FROM visits GROUP BY GROUPING SETS ((ward, seen), (ward))"
    ).plan
    assert [plan.selects(index) for index in (0, 1)] == [True, False], "seen has no declared values"
    assert plan.reached() == 2, "a unit keeps two groups of the first set; keys of the second are public"
    replaced = bounded(
        engine_of(POLICY.replace("add-remove", "replace")), "SELECT seen, COUNT(*) FROM visits GROUP BY seen"
    )
    assert replaced.plan.reached() == 4, "one unit's two groups, and those of the other"
    assert list(plan.combinations(1)) == [("icu",), ("north",), ("south",)]
    alone = bounded(engine_of(), "SELECT COUNT(*) FROM visits").plan
    assert alone.reached() == 0
    assert list(alone.combinations(0)) == [()]


FLAG = Key(Column("t0", "flag", Type.BOOLEAN), (False, True))
BOOKS = tuple(
    Key(Column("t1", name, Type.TEXT), values) for name, values in (("isbn", ("1", "2")), ("title", ("a", "b")))
)


def together(*places: tuple[int, ...]) -> BoundedPlan:
    """Return a plan whose keys are an ISBN, a flag and a title, of which the first and the last go together."""
    sets = tuple(KeySet(each, Limits(1, 1, 1)) for each in places)
    joint = (JointKeys((0, 2), (("1", "a"), ("2", "b"))),)
    return BoundedPlan(Block(Scan("loans", "t0")), True, (BOOKS[0], FLAG, BOOKS[1]), sets, (), 1, (), joint)


def test_keys_that_go_together_take_turns_as_one() -> None:
    plan = together((0, 1, 2), (0, 2), (1, 2), (2,), ())
    assert [plan.groups(index) for index in range(5)] == [4, 2, 4, 2, 1]
    assert plan.public_groups == 13
    assert list(plan.combinations(0)) == [("1", False, "a"), ("1", True, "a"), ("2", False, "b"), ("2", True, "b")]
    assert list(plan.combinations(1)) == [("1", "a"), ("2", "b")]
    assert list(plan.combinations(2)) == [(False, "a"), (False, "b"), (True, "a"), (True, "b")]
    assert list(plan.combinations(4)) == [()]
    assert [len(plan.joined(index)) for index in range(5)] == [1, 1, 0, 0, 0]


def test_some_of_three_keys_have_the_rows_that_are_left() -> None:
    three = JointKeys((0, 1, 4), ((1, "a", True), (1, "b", True), (2, "a", True)))
    assert three.among((0, 1, 2, 4)) is three
    assert three.among((0, 4)) == JointKeys((0, 4), ((1, True), (2, True)))
    assert three.among((1, 2)) is None


def test_rows_of_keys_are_ordered_by_the_first_and_then_the_next() -> None:
    assert sort_rows({(2, "a"), (1, "b"), (1, "a")}) == ((1, "a"), (1, "b"), (2, "a"))


def test_a_sum_of_distinct_values_moves_like_a_sum_of_as_many_rows() -> None:
    below = ClampedGrid(Fraction(0), Fraction(1), -7, 3)
    column, limits = Column("t", "x", Type.INTEGER), Limits(6, 2, 4)
    for factor in (1, 2):
        plan = BoundedPlan(Block(Scan("t", "t")), True, (), (KeySet((), limits),), (), factor)
        one, other = (Measure(part, column, below) for part in (Part.DISTINCT_SUM, Part.SUM))
        assert (one.reach, one.ends) == (7, (-7, 3))
        for find in (plan.l1, plan.l2_squared, plan.linf, plan.spread, plan.ends):
            assert find(one) == find(other)
        assert plan.l1(Measure(Part.DISTINCT, column, below)) == factor * 6, "points are counted, not added up"
