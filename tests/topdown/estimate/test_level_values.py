"""The values that were read, in the coordinates of a basis."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.base.wide import Ints
from discreet.topdown.estimate.block_basis import ask_cells, find_block_basis
from discreet.topdown.estimate.level_values import LevelValues, collect_values
from discreet.topdown.readings import LevelReading
from discreet.topdown.spec.queries import Query
from topdown.estimate.dense import ask, ask_all, make_schema

SCHEMA = make_schema(4, 3)
GROUPS, TOTAL, CELLS = ask(SCHEMA, a0=(0, 1, 1, 1)), ask(SCHEMA), ask_all(SCHEMA)
BASIS = find_block_basis(SCHEMA, [GROUPS, TOTAL, CELLS])
TRANSFORM = BASIS.find_transform(ask_cells(SCHEMA))


def draw(query: Query, areas: int = 5) -> Ints:
    return np.random.default_rng(query.size).integers(-9, 99, (areas, query.size)).astype(np.int64)


def collect(*asked: tuple[Query, float]) -> LevelValues:
    return collect_values(BASIS, [LevelReading(0, query, variance, draw(query)) for query, variance in asked], 5)


def test_noisy_values_are_weighed_and_public_ones_kept_apart() -> None:
    noisy, public = collect((GROUPS, 4.0), (CELLS, 2.0), (TOTAL, 0.0)).lift(slice(1, 4))
    assert noisy is not None
    assert public is not None
    wanted = GROUPS.spread(draw(GROUPS)) / 4 + CELLS.spread(draw(CELLS)) / 2
    assert TRANSFORM.answer(noisy) == pytest.approx(wanted[1:4])
    assert TRANSFORM.answer(public) == pytest.approx(TOTAL.spread(draw(TOTAL))[1:4] / SCHEMA.cells)


def test_nothing_read_is_nothing() -> None:
    assert collect().lift(slice(None)) == (None, None)
    assert collect((GROUPS, 4.0)).lift(slice(None))[1] is None


def test_values_are_added_up_between_starts() -> None:
    summed = collect((CELLS, 1.0)).add_up(np.array([0, 1, 4]))
    values = draw(CELLS)
    wanted = np.stack([values[0], values[1:4].sum(axis=0), values[4]])
    assert summed.readings[0].values.tolist() == wanted.tolist()


def test_sums_of_narrow_integers_do_not_wrap() -> None:
    narrow = LevelReading(0, TOTAL, 1.0, np.full((5, 1), 2**31 - 1, dtype=np.int32))
    assert collect_values(BASIS, [narrow], 5).add_up(np.array([0])).readings[0].values.tolist() == [[5 * (2**31 - 1)]]


def test_values_may_lie_in_a_file(tmp_path: Path) -> None:
    values = np.memmap(tmp_path / "values", dtype=np.int64, mode="w+", shape=(5, CELLS.size))
    values[:] = draw(CELLS)
    lying = collect_values(BASIS, [LevelReading(0, CELLS, 2.0, values)], 5)
    held = collect((CELLS, 2.0))
    one, other = lying.lift(slice(2, 5))[0], held.lift(slice(2, 5))[0]
    assert one is not None
    assert one == pytest.approx(other)
    starts = np.array([0, 3])
    assert np.array_equal(lying.add_up(starts).readings[0].values, held.add_up(starts).readings[0].values)


def test_public_numbers_that_do_not_hold_are_noticed() -> None:
    values = collect((TOTAL, 0.0), (CELLS, 2.0))
    cells = np.zeros((5, SCHEMA.cells))
    cells[:, 3] = draw(TOTAL)[:, 0]
    values.check_public(TRANSFORM.lift(cells), slice(None))
    cells[2, 0] += 1
    values.check_public(TRANSFORM.lift(cells)[:2], slice(0, 2))
    with pytest.raises(ParameterError, match="public"):
        values.check_public(TRANSFORM.lift(cells), slice(None))


@pytest.mark.parametrize("shape", [(4, 2), (5, 3), (5,)])
def test_values_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match="5 rows of 2 answers"):
        collect_values(BASIS, [LevelReading(0, GROUPS, 1.0, np.zeros(shape, dtype=np.int64))], 5)
