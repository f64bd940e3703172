"""How many rows a join makes of one unit's: by keys that operators of the plan make unique, and by nothing else."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from discreet.base.types import Type
from discreet.plan.expressions import Column, Expression, Slot, refer
from discreet.plan.functions import call
from discreet.plan.keys import Partners, find_block_keys, find_keys, find_partners
from discreet.plan.relations import Block, InnerAggregate, InnerKind, Lookup, Match, Nested, PerUnit, Scan, Union

WHOLE = Type.INTEGER
ORDERS = Scan("orders", "o", 8, (("key",),))
ITEMS = Scan("items", "i", 24)
KEY, LINE = Column("i", "key", WHOLE), Column("i", "line", WHOLE)
THEIRS = Column("o", "key", WHOLE)


def named(*columns: tuple[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset(columns)


def test_a_scan_has_the_keys_that_it_enforces_and_no_others() -> None:
    assert find_keys(ORDERS) == (named(("o", "key")),)
    assert find_keys(ITEMS) == ()
    assert find_keys(replace(ORDERS, rows=1, unique=())) == (named(),)


def test_one_row_for_each_unit_and_key_is_a_key_by_itself() -> None:
    counted = (InnerAggregate(InnerKind.ROWS, None, WHOLE),)
    assert find_keys(PerUnit("p", Block(ITEMS), (KEY, LINE), counted)) == (named(("p", "k0"), ("p", "k1")),)
    assert find_keys(PerUnit("p", Block(ITEMS), (), counted)) == (named(),)


def test_a_subquery_has_the_keys_that_it_selects_as_they_are() -> None:
    total = Column("o", "total", WHOLE)
    assert find_keys(Nested("n", Block(ORDERS), (total, THEIRS))) == (named(("n", "c1")),)
    assert find_keys(Nested("n", Block(ORDERS), (total, call("add", THEIRS, THEIRS)))) == ()
    assert find_keys(Union("u", ((Block(ORDERS), (THEIRS,)),), (WHOLE,))) == ()


@pytest.mark.parametrize(
    ("on", "right_once"),
    [
        (((KEY, THEIRS),), True),
        (((KEY, THEIRS), (LINE, Column("o", "line", WHOLE))), True),
        (((LINE, Column("o", "line", WHOLE)),), False),
        ((), False),
        (((Column("i", "key", Type.FLOAT), THEIRS),), False),
        (((KEY, call("add", THEIRS, THEIRS)),), False),
    ],
)
def test_a_join_meets_one_row_where_it_covers_a_key_with_columns_of_one_type(
    on: tuple[tuple[Expression, Expression], ...], right_once: bool
) -> None:
    assert find_partners((), Match(ORDERS, on, False)) == Partners(right_once, False)


def test_a_key_of_two_columns_is_not_covered_by_one() -> None:
    both = replace(ORDERS, unique=(("key", "line"),))
    assert not find_partners((), Match(both, ((KEY, THEIRS),), False)).right_once


def test_the_left_side_may_have_the_key() -> None:
    assert find_partners(find_keys(ORDERS), Match(ITEMS, ((THEIRS, KEY),), False)) == Partners(False, True)


@pytest.mark.parametrize("keep", [False, True])
def test_keys_stay_where_a_join_repeats_no_row_of_theirs(keep: bool) -> None:
    looked_up = Lookup("codes", "c", ((THEIRS, "code"),), keep)
    assert find_block_keys(Block(ORDERS, (looked_up,))) == find_keys(ORDERS)
    assert find_block_keys(Block(ORDERS, (replace(looked_up, fan_out=2),))) == ()
    lines = replace(ITEMS, unique=(("key", "line"),))
    joined = Block(ORDERS, (Match(lines, ((THEIRS, KEY),), keep),))
    assert find_block_keys(joined) == find_keys(lines)
    other = Block(lines, (Match(ORDERS, ((KEY, THEIRS),), keep),))
    assert find_block_keys(other) == find_keys(lines)


def test_one_row_for_each_unit_does_not_outlive_a_left_join_from_the_right() -> None:
    one = replace(ITEMS, rows=1)
    assert find_block_keys(Block(ORDERS, (Match(one, ((THEIRS, KEY),), False),))) == (
        *find_keys(ORDERS),
        named(),
    )
    assert find_block_keys(Block(ORDERS, (Match(one, ((THEIRS, KEY),), True),))) == find_keys(ORDERS)


@pytest.mark.parametrize(
    ("partners", "keep", "rows"),
    [
        (Partners(False, False), False, 24 * 8),
        (Partners(False, False), True, 24 * 8),
        (Partners(True, False), False, 24),
        (Partners(True, False), True, 24),
        (Partners(False, True), False, 8),
        (Partners(False, True), True, 8 + 24),
        (Partners(True, True), False, 8),
        (Partners(True, True), True, 24),
    ],
)
def test_a_join_of_24_rows_with_8(partners: Partners, keep: bool, rows: int) -> None:
    assert partners.count_rows(24, 8, keep) == rows


def test_no_join_makes_more_rows_than_said() -> None:
    rng, reached = random.Random(7), set()
    for _ in range(3_000):
        left, right = ([rng.choice([None, 0, 1, 2]) for _ in range(rng.choice([1, 2, 3, 4]))] for _ in range(2))
        for keep in (False, True):
            found = Partners(_once(right), _once(left))
            made, most = len(list(_joined(left, right, keep))), found.count_rows(len(left), len(right), keep)
            assert made <= most
            if made == most:
                reached.add((found, keep))
    assert len(reached) == 8, "each of the bounds is reached by some rows"


def _once(values: list[int | None]) -> bool:
    """Say whether values are a key: NULL may be there as often as it likes."""
    there = [value for value in values if value is not None]
    return len(there) == len(set(there))


def _joined(left: list[int | None], right: list[int | None], keep: bool) -> Iterator[tuple[int | None, int | None]]:
    pairs = [(a, b) for a, b in itertools.product(left, right) if a == b and a is not None]
    yield from pairs
    if keep:
        yield from ((a, None) for a in left if a is None or a not in right)


def test_references_to_outputs_are_columns_like_others() -> None:
    assert refer("n", Slot.OUTPUT, 1, WHOLE).name == "c1"
    assert refer("p", Slot.KEY, 0, WHOLE).name == "k0"
