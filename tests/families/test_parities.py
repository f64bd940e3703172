"""Parities of binary columns, from tables by one transform and from rows without a table."""

from __future__ import annotations

from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.families import DenseTable, Domain, Parities, RowBound, RowTable
from discreet.families.parities import join_bits, list_bits
from support.families import random_rows

THREE = Domain((2, 2, 2))


def by_definition(rows: RowTable, mask: int) -> int:
    columns = [place for place in rows.domain.columns if mask >> place & 1]
    return sum((-1) ** sum(int(rows.values[place][row]) for place in columns) for row in range(rows.rows))


def biased_rows(domain: Domain, rows: int, seed: int = 1) -> RowTable:
    """Return rows whose ones are rare in some columns and frequent in others."""
    generator = np.random.default_rng(seed)
    shares = generator.random(len(domain.sizes))
    return RowTable(domain, tuple((generator.random(rows) < share).astype(np.int64) for share in shares))


def test_a_parity_counts_even_rows_less_odd_ones() -> None:
    family = Parities(THREE, (0b101, 0))
    assert family.find_columns(0) == (0, 2)
    assert family.answer(0, np.array([[5, 2], [1, 10]])).tolist() == [12]
    assert family.answer(1, np.array(18)).tolist() == [18]
    assert family.list_rows(0).tolist() == [[1, -1, -1, 1]]
    assert family.list_rows(1).tolist() == [[1]]


def test_a_sign_is_bounded_as_a_sign() -> None:
    family = Parities.up_to(THREE, 3)
    assert {family.bound_row(group) for group in range(family.groups)} == {RowBound(1, 1, signed=True)}


@pytest.mark.parametrize(("columns", "order"), [(3, 0), (3, 3), (20, 3), (100, 2)])
def test_all_parities_of_some_columns(columns: int, order: int) -> None:
    family = Parities.up_to(Domain((2,) * columns), order)
    assert family.groups == sum(comb(columns, size) for size in range(order + 1))
    assert family.masks[0] == 0
    assert max(mask.bit_count() for mask in family.masks) == order
    assert len(family.find_columns(family.groups - 1)) == order


@pytest.mark.parametrize("rows", [0, 1, 63, 64, 65, 1000])
def test_theorem_parities_of_rows_are_exact(rows: int) -> None:
    table = biased_rows(Domain((2,) * 6), rows)
    family = Parities(table.domain, tuple(range(64)))
    expected = [by_definition(table, mask) for mask in family.masks]
    assert family.join_answers(table).tolist() == expected
    assert family._count_ones(table).tolist() == expected
    assert family.join_answers(DenseTable(table.domain, table.project(table.domain.columns))).tolist() == expected


def test_biased_columns_that_no_mask_has_together_are_right_too() -> None:
    rows = biased_rows(Domain((2,) * 40), 200)
    masks = (0, 1, 1 << 39, (1 << 39) | 1, (1 << 40) - 1, 0b1011 << 20)
    found = Parities(rows.domain, masks).answer_all(rows)
    assert [each.tolist() for each in found] == [[by_definition(rows, mask)] for mask in masks]


def test_many_columns_need_no_table_of_all_cells() -> None:
    rows = biased_rows(Domain((2,) * 1000), 300)
    family = Parities(rows.domain, tuple((1 << first) | (1 << last) for first in range(9) for last in (500, 999)))
    assert family.join_answers(rows).tolist() == [by_definition(rows, mask) for mask in family.masks]


def test_a_hundred_columns_up_to_three_at_a_time() -> None:
    rows = biased_rows(Domain((2,) * 100), 500)
    family = Parities.up_to(rows.domain, 3)
    assert family.groups == 166_751
    found = family.join_answers(rows)
    for group in (0, 1, 100, 101, 5050, 5051, 90_000, 166_750):
        assert found[group] == by_definition(rows, family.masks[group])


@pytest.mark.parametrize(("columns", "order"), [(12, 1), (14, 2), (24, 2)])
def test_how_rows_are_counted_does_not_depend_on_how_many_there_are(
    monkeypatch: pytest.MonkeyPatch, columns: int, order: int
) -> None:
    """One row more must not turn a count of words into a table of all cells, which takes far longer."""
    tables: list[int] = []
    plain = RowTable.project

    def project(self: RowTable, sets: tuple[int, ...]) -> Any:
        tables.append(self.rows)
        return plain(self, sets)

    monkeypatch.setattr(RowTable, "project", project)
    family = Parities.up_to(Domain((2,) * columns), order)
    for rows in (1, 100, 10_000, 100_000):
        family.join_answers(biased_rows(family.domain, rows))
    assert len(tables) in (0, 4)


def test_rows_in_blocks_of_words_are_all_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = biased_rows(Domain((2,) * 30), 1000)
    family = Parities.up_to(rows.domain, 2)
    whole = family.join_answers(rows).tolist()
    monkeypatch.setattr("discreet.families.parities.MOST_WORDS", 50)
    assert family.join_answers(rows).tolist() == whole


def test_a_source_of_another_domain_is_projected_first() -> None:
    wide = random_rows(Domain((2, 2, 2, 3)))
    family = Parities.up_to(THREE, 2)
    narrow = RowTable(THREE, wide.values[:3])
    assert family.join_answers(wide).tolist() == family.join_answers(narrow).tolist()


@pytest.mark.parametrize("size", [1, 2**61])
def test_all_values_are_spread_at_once_by_one_transform(size: int) -> None:
    family = Parities(THREE, (0b110, 0, 0b1, 0b111))
    values = np.array([3, -5, 7, 2]) * size
    cells = product((0, 1), repeat=3)
    expected = [
        sum(
            int(value) * (-1) ** sum(cell[place] for place in list_bits(mask))
            for value, mask in zip(values, family.masks, strict=True)
        )
        for cell in cells
    ]
    assert [int(each) for each in family.spread_all(values).ravel()] == expected
    assert family.spread_all(values / 3).ravel() == pytest.approx(np.array(expected, dtype=float) / 3)
    with pytest.raises(ParameterError, match="4 numbers"):
        family.spread_all(values[:3])
    with pytest.raises(ParameterError, match="fewer"):
        Parities(Domain((2,) * 40), (1,)).spread_all(np.ones(1))


def test_huge_counts_stay_exact() -> None:
    family = Parities(THREE, tuple(range(8)))
    table = np.full((2, 2, 2), 2**62)
    assert [int(each) for each in family.join_answers(DenseTable(THREE, table))] == [2**65, *[0] * 7]


def test_every_row_has_the_signs_of_the_definition() -> None:
    family = Parities(THREE, (0b111,))
    assert family.list_rows(0).tolist() == [[(-1) ** sum(cell) for cell in product((0, 1), repeat=3)]]


@pytest.mark.parametrize(
    ("sizes", "masks", "message"),
    [
        ((2, 3), (1,), "2 for every column"),
        ((2, 2), (4,), r"a whole number below 2\^2"),
        ((2, 2), (-1,), r"a whole number below 2\^2"),
        ((2, 2), (True,), r"a whole number below 2\^2"),
        ((2, 2), (1.0,), r"a whole number below 2\^2"),
        ((2, 2), (1, 1), "different masks"),
        ((2, 2), (), "at least one"),
        ((2, 2), [1], "a tuple"),
    ],
)
def test_masks_are_of_known_binary_columns(sizes: tuple[int, ...], masks: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Parities(Domain(sizes), masks)


def test_a_mask_of_too_many_columns_has_no_table() -> None:
    family = Parities(Domain((2,) * 40), ((1 << 40) - 1,))
    with pytest.raises(ParameterError, match="fewer"):
        family.spread_back(0, np.ones(1))
    with pytest.raises(ParameterError, match="order"):
        Parities.up_to(THREE, 4)


def test_masks_and_columns_tell_the_same() -> None:
    for mask in (0, 1, 0b1011, 1 << 999):
        assert join_bits(list_bits(mask)) == mask
    form = {"parities": {"columns": 3, "sets": [[], [0, 2]]}}
    assert Parities(THREE, (0, 0b101)).describe() == form


@pytest.mark.parametrize(("columns", "order"), [(1, 0), (1, 1), (5, 5), (17, 2), (70, 2)])
def test_the_columns_of_all_masks_are_those_of_each(columns: int, order: int) -> None:
    family = Parities.up_to(Domain((2,) * columns), order)
    found = family.list_sets()
    for group, line in enumerate(found.tolist()):
        assert tuple(place for place in line if place >= 0) == family.find_columns(group)
        assert line == sorted(line, key=lambda place: place if place >= 0 else columns)
