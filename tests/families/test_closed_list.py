"""Only families on the closed list see counts; all others are written out first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.families import FAMILIES, Domain, Family, Marginals, RowBound, TableFamily, check_family
from support.families import EVERY, random_rows

DOMAIN = Domain((2, 3))


@dataclass(frozen=True)
class Ages(Family):
    """A sum of weights by the second column, whose author lies about everything that nobody checks."""

    domain: Domain = DOMAIN
    weights: tuple[Any, ...] = (10, 30, 70)

    @property
    def groups(self) -> int:
        return 1

    def find_columns(self, group: int) -> tuple[int, ...]:
        return (1,)

    def count_answers(self, group: int) -> int:
        return 1

    def answer(self, group: int, table: Any) -> Any:
        raise AssertionError("a stranger's code has seen counts")

    def spread_back(self, group: int, values: Any) -> Any:
        return np.array(self.weights) * values[0]

    def bound_row(self, group: int) -> RowBound:
        return RowBound(1, 1)

    def describe(self) -> Json:
        return "nothing"


class Shy(Marginals):
    """A class that inherits from one of the list is not on it."""

    def bound_row(self, group: int) -> RowBound:
        return RowBound(0, 0)


def test_the_list_has_every_kind_of_family() -> None:
    assert {type(family) for family in EVERY.values()} == set(FAMILIES)


@pytest.mark.parametrize("name", EVERY)
def test_families_of_the_list_pass_as_they_are(name: str) -> None:
    assert check_family(EVERY[name]) is EVERY[name]


@pytest.mark.parametrize("name", EVERY)
def test_written_out_a_family_asks_the_same(name: str) -> None:
    family = EVERY[name]
    written = [(family.find_columns(group), family.list_rows(group)) for group in range(family.groups)]
    for group, (columns, matrix) in enumerate(written):
        plain = TableFamily.write(family.domain, columns, matrix)
        table = random_rows(family.domain).project(columns)
        assert plain.answer(0, table).tolist() == family.answer(group, table).tolist()
        exact, stated = plain.bound_row(0), family.bound_row(group)
        for factor in (1, 2):
            assert exact.bound_l1(1, factor) == stated.bound_l1(1, factor)
            assert exact.bound_l2_squared(1, factor) == stated.bound_l2_squared(1, factor)


def test_a_class_of_ones_own_is_written_out_and_bounded_by_its_numbers() -> None:
    family = check_family(Ages())
    assert type(family) is TableFamily
    assert family.bound_row(0) == RowBound(70, 4900, False, 70, 4900)
    rows = random_rows(DOMAIN)
    assert family.join_answers(rows).tolist() == [int(np.array([10, 30, 70])[rows.values[1]].sum())]
    assert family.describe() != Ages().describe()


def test_inheriting_from_a_family_of_the_list_is_no_way_onto_it() -> None:
    family = check_family(Shy.of_order(DOMAIN, 1))
    assert type(family) is TableFamily
    assert family.bound_row(0).l1 == 1
    assert family.groups == 2


def test_what_a_class_says_later_changes_nothing() -> None:
    author = Ages()
    family = check_family(author)
    object.__setattr__(author, "weights", (10**6,) * 3)
    assert family.list_rows(0).tolist() == [[10, 30, 70]]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ((0.5, 1, 2), "whole numbers, one for each cell"),
        ((1, 2), "3 whole numbers"),
        ((float("nan"), 1, 2), "whole numbers"),
        ((1e300, 1, 2), "whole numbers"),
        ((0, 0, 0), "asks nothing"),
        ((2**40, 0, 0), "from -2147483648"),
    ],
)
def test_numbers_that_are_not_whole_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        check_family(Ages(DOMAIN, weights))


@pytest.mark.parametrize("wrong", [None, Marginals, "marginals", [[1, 2]]])
def test_what_is_no_family_is_refused(wrong: Any) -> None:
    with pytest.raises(ParameterError, match="a family, such as"):
        check_family(wrong)
