"""Entries of a tree's precision, looked up for some cells: the same matrices as multiplied out by their blocks."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.base.grid import Floats
from discreet.topdown.estimate.attribute_basis import AttributeBasis
from discreet.topdown.estimate.tree_model import model_tree
from discreet.topdown.readings import LevelReading
from discreet.topdown.solve import area_precision
from discreet.topdown.solve.area_precision import DensePrecision, EntryTable, find_classes
from discreet.topdown.spec.geography import Geography, Level
from topdown.solve.written_out import CELLS, QUERIES, SCHEMA, check_parts, write_out

LEVELS = (
    Level("whole", ("w",), np.array([0])),
    Level("region", ("n", "s"), np.array([0, 0])),
    Level("town", tuple("abcde"), np.array([0, 0, 0, 1, 1])),
)


def make_table(level: int) -> EntryTable:
    readings = [
        LevelReading(place, query, 1.0 + place + number, np.zeros((len(each), query.size), dtype=np.int64))
        for place, each in enumerate(LEVELS)
        for number, query in enumerate(QUERIES)
    ]
    return EntryTable(model_tree(Geography(LEVELS), SCHEMA, readings).upward[level].precision)


def multiply_out(table: EntryTable, areas: list[int]) -> Floats:
    units = np.eye(SCHEMA.cells)
    return np.stack([table.matrices.apply(np.tile(unit, (len(areas), 1)), np.array(areas)) for unit in units], axis=2)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_entries_of_a_tree_are_looked_up_for_some_cells(level: int) -> None:
    table = make_table(level)
    areas = list(range(len(LEVELS[level])))
    precision, whole = table.take(slice(0, len(areas))), multiply_out(table, areas)
    assert table.is_small
    assert write_out(precision, len(areas), SCHEMA.cells) == pytest.approx(whole)
    check_parts(precision, whole, CELLS)
    assert table.classes[0].count < SCHEMA.shape[0] ** 2, "pairs of values that no query tells apart are one"


def test_some_areas_of_different_kinds_have_their_own_matrices() -> None:
    table = make_table(1)
    assert len(set(table.matrices.kinds.tolist())) == 2
    part = table.take(np.array([1, 0])).restrict(CELLS)  # type: ignore[attr-defined]
    assert isinstance(part, DensePrecision)
    wanted = multiply_out(table, [1, 0])[:, CELLS][:, :, CELLS]
    assert write_out(part, 2, len(CELLS)) == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    assert np.abs(wanted[0] - wanted[1]).max() > 1e-3


@pytest.mark.parametrize(("name", "value"), [("DENSE", 0), ("LARGEST_TABLE", 0)])
def test_many_cells_or_entries_go_through_the_blocks(monkeypatch: pytest.MonkeyPatch, name: str, value: int) -> None:
    monkeypatch.setattr(area_precision, name, value)
    table = make_table(2)
    part = table.take(slice(1, 3)).restrict(CELLS)  # type: ignore[attr-defined]
    assert not isinstance(part, DensePrecision)
    check_parts(table.take(slice(1, 3)), multiply_out(table, [1, 2]), CELLS)


def test_classes_tell_pairs_apart_exactly_where_matrices_do() -> None:
    basis = make_table(2).matrices.basis.attributes[0]
    classes = find_classes(basis)
    for value in range(len(basis.rows)):
        for other in range(len(basis.rows)):
            kernels = [np.einsum("icv,jcw->ijvw", part, part)[:, :, value, other] for part in _cut_subspaces(basis)]
            for kernel, told in zip(kernels, classes.kernels, strict=True):
                assert told[:, :, classes.of[value, other]] == pytest.approx(kernel, abs=1e-8)


def _cut_subspaces(basis: AttributeBasis) -> list[Floats]:
    found, start = [], 0
    for each in basis.subspaces:
        stop = start + each.size * each.copies
        found.append(basis.rows[start:stop].reshape(each.size, each.copies, len(basis.rows)))
        start = stop
    return found
