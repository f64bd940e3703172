"""Synthetic numbers lie on the column's own grid: multiples of its step, decimals with its digits."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from discreet.base.types import Type
from discreet.policy.model import DeclaredColumn
from discreet.query.placed_columns import BinnedColumn, place_column, read_column
from discreet.query.placing import locate_values
from discreet.query.value_grid import ValueGrid


def draw(column: Any, rows: int = 4000) -> tuple[pa.Array, np.ndarray[Any, Any]]:
    random = np.random.default_rng(1)
    places = random.integers(0, column.size, rows)
    return column.sample(places, random), places


def declare(kind: Type, lower: str, upper: str, **more: Any) -> DeclaredColumn:
    return DeclaredColumn("n", kind, Fraction(lower), Fraction(upper), **more)


def test_floats_with_a_step_are_multiples_of_it_and_print_so() -> None:
    drawn, places = draw(place_column(declare(Type.FLOAT, "0", "3", step=Fraction(1, 100)), 7))
    values = [each for each in drawn.to_pylist() if each is not None]
    assert all(each == round(each, 2) for each in values)
    assert len(set(values)) > 250
    assert min(values) >= 0
    assert max(values) <= 3
    assert drawn.null_count == int((places == 0).sum())


def test_decimals_are_arrow_decimals_with_the_columns_own_digits() -> None:
    drawn, _ = draw(place_column(declare(Type.DECIMAL, "-1.5", "99.99", digits=(6, 2)), 5))
    assert drawn.type == pa.decimal128(6, 2)
    values = [each for each in drawn.to_pylist() if each is not None]
    assert Decimal("-1.5") <= min(values) < 0
    assert max(values) <= Decimal("99.99")
    assert len(set(values)) > 2000


def test_a_step_coarser_than_the_digits_is_kept() -> None:
    drawn, _ = draw(place_column(declare(Type.DECIMAL, "0", "10", digits=(6, 2), step=Fraction(1, 4)), 5))
    assert {each % Decimal("0.25") for each in drawn.to_pylist() if each is not None} == {Decimal("0.00")}


def test_whole_numbers_with_a_step_are_multiples_of_it() -> None:
    drawn, _ = draw(place_column(declare(Type.INTEGER, "0", "100000", step=Fraction(50)), 20))
    assert drawn.type == pa.int64()
    assert {each % 50 for each in drawn.to_pylist() if each is not None} == {0}


@pytest.mark.parametrize("digits", [(38, 10), (38, 0), (20, 18)])
def test_decimals_beyond_64_bits_are_drawn_with_fewer_digits(digits: tuple[int, int]) -> None:
    upper = 10 ** (digits[0] - digits[1]) - 1
    drawn, _ = draw(place_column(declare(Type.DECIMAL, f"-{upper}", str(upper), digits=digits), 3), 500)
    assert drawn.type == pa.decimal128(*digits)
    assert max(abs(each) for each in drawn.to_pylist() if each is not None) > upper / 2


def test_bounds_wider_than_the_digits_do_not_fail() -> None:
    drawn, _ = draw(place_column(declare(Type.DECIMAL, "0", "5000", digits=(3, 0)), 10))
    assert max(each for each in drawn.to_pylist() if each is not None) <= 999


@pytest.mark.parametrize(
    ("kind", "more"),
    [(Type.FLOAT, {"step": Fraction(1, 8)}), (Type.DECIMAL, {"digits": (9, 3)}), (Type.INTEGER, {"step": Fraction(3)})],
)
def test_a_value_lies_in_the_bin_that_it_was_drawn_for(kind: Type, more: dict[str, Any]) -> None:
    column = place_column(declare(kind, "-700", "900", **more), 11)
    drawn, places = draw(column)
    np.testing.assert_array_equal(locate_values(column, drawn), places)


def test_bins_that_hold_no_multiple_of_the_step_stay_within_the_bounds() -> None:
    column = place_column(declare(Type.FLOAT, "0.2", "2.9", step=Fraction(1)), 30)
    drawn, _ = draw(column)
    assert {each for each in drawn.to_pylist() if each is not None} == {1.0, 2.0}
    without = place_column(declare(Type.FLOAT, "0.2", "0.9", step=Fraction(1)), 3)
    assert all(0.2 <= each <= 0.9 for each in draw(without)[0].to_pylist() if each is not None)


def test_a_record_keeps_the_grid_and_the_identity_of_a_synthesis_does_not_have_it() -> None:
    edges = (Fraction(0), Fraction(1), Fraction(2))
    column = BinnedColumn("n", Type.DECIMAL, edges, ValueGrid(Fraction(1, 4), (6, 2)))
    assert read_column(column.write()) == column
    plain = BinnedColumn("n", Type.DECIMAL, edges)
    assert column.describe() == plain.describe() == plain.write()
    assert read_column(plain.write()) == plain
