"""Spans of masks: bases, coordinates and connected parts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.synthetic.fit.span import Span, list_bits, unpack


def combine(masks: list[int], made: int) -> int:
    found = 0
    for place in list_bits(made):
        found ^= masks[place]
    return found


@given(st.lists(st.integers(0, (1 << 12) - 1), max_size=9), st.integers(0, (1 << 12) - 1))
def test_a_mask_is_in_the_span_exactly_when_some_masks_make_it(masks: list[int], mask: int) -> None:
    span = Span(masks)
    reachable = {combine(masks, chosen) for chosen in range(1 << len(masks))}
    assert len(reachable) == 1 << span.rank
    residue, made = span.reduce(mask)
    assert (residue == 0) == (mask in reachable)
    assert residue ^ combine(span.basis, made) == mask


@given(st.lists(st.integers(1, (1 << 2000) - 1), max_size=6))
def test_equations_hold_no_pivot_of_another(masks: list[int]) -> None:
    span = Span(masks)
    equations = span.list_equations()
    for pivot, row, made in equations:
        assert combine(span.basis, made) == row
        assert [other for other, _, _ in equations if row >> other & 1] == [pivot]


def test_parts_are_connected_by_products_only() -> None:
    masks = [0b0011, 0b0110, 0b0101, 0b11000, 1 << 900]
    assert Span(masks).find_components(masks) == [[0, 1], [2], [3]]
    assert Span(masks[:2]).find_components(masks[:2]) == [[0], [1]]
    assert Span([0, 0]).rank == 0


def test_masks_are_unpacked_first_column_first() -> None:
    assert unpack([0b101, 1 << 9], 10).tolist() == [[1, 0, 1, *[0] * 7], [*[0] * 9, 1]]
    assert unpack([], 10).shape == (0, 10)
    assert np.array_equal(unpack([0], 0), np.zeros((1, 0)))
