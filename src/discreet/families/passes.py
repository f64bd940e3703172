"""Passes over a table of all cells: its tables of many column sets at once, and their transpose.

Columns are decided one after another: sets that leave a column out share the table with that column added up, sets that
have it share the table as it is. All 1,140 three-way tables of 20 binary columns cost so much as some 30 passes, not
1,140.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def project_all(
    sizes: tuple[int, ...], table: NDArray[Any], wanted: Iterable[tuple[int, ...]]
) -> dict[tuple[int, ...], NDArray[Any]]:
    """Return the table of each set of columns: numbers in a type in which no sum wraps stay exact."""
    found: dict[tuple[int, ...], NDArray[Any]] = {}

    def descend(part: NDArray[Any], column: int, sets: list[tuple[int, ...]]) -> None:
        """Hand out a table of shape (values of the columns kept so far, cells of the columns still undecided)."""
        if column == len(sizes):
            found[sets[0]] = part.reshape(tuple(sizes[place] for place in sets[0]))
            return
        size = sizes[column]
        cube = part.reshape(part.shape[0], size, part.shape[1] // size)
        if keep := [columns for columns in sets if column in columns]:
            descend(cube.reshape(-1, cube.shape[2]), column + 1, keep)
        if drop := [columns for columns in sets if column not in columns]:
            descend(_add_up(cube), column + 1, drop)

    if sets := list(dict.fromkeys(wanted)):
        descend(table.reshape(1, -1), 0, sets)
    return found


def _add_up(cube: NDArray[Any]) -> NDArray[Any]:
    """Return a cube with its middle axis added up: in blocks, or by BLAS where nothing lies behind that axis."""
    if cube.shape[1] == 1:
        return np.array(cube[:, 0, :])
    if cube.shape[2] == 1 and cube.dtype == np.float64:
        return np.asarray(cube[:, :, 0] @ np.ones(cube.shape[1]))[:, None]
    if cube.shape[1] <= 8:
        added = cube[:, 0, :] + cube[:, 1, :]
        for value in range(2, cube.shape[1]):
            added += cube[:, value, :]
        return np.asarray(added)
    return np.asarray(cube.sum(axis=1))


def spread_all(sizes: tuple[int, ...], tables: Mapping[tuple[int, ...], NDArray[Any]]) -> NDArray[np.float64]:
    """Return the table with, in each cell, the sum of what the tables hold for that cell's values: the transpose."""

    def ascend(pinned: int, column: int, sets: list[tuple[int, ...]]) -> tuple[NDArray[Any], bool]:
        """Return a table of (values of the columns kept so far, then of each undecided one, or 1 if all agree).

        And whether it was made here, so that more may be added to it in place: new memory costs as much as a pass.
        """
        if column == len(sizes):
            return tables[sets[0]].reshape(pinned), False
        size = sizes[column]
        keep = [columns for columns in sets if column in columns]
        drop = [columns for columns in sets if column not in columns]
        if not keep:
            found, fresh = ascend(pinned, column + 1, drop)
            return found[:, None], fresh
        part, fresh = ascend(pinned * size, column + 1, keep)
        part = part.reshape(pinned, size, *part.shape[1:])
        if not drop:
            return part, fresh
        below = ascend(pinned, column + 1, drop)[0][:, None]
        if fresh and part.shape == np.broadcast_shapes(part.shape, below.shape) and part.dtype == np.float64:
            part += below
            return part, True
        return np.asarray(part + below), True

    if not tables:
        return np.zeros(sizes)
    found, fresh = ascend(1, 0, list(tables))
    if fresh and found.shape == (1, *sizes) and found.dtype == np.float64:
        return np.asarray(found[0])
    return np.array(np.broadcast_to(found[0], sizes), dtype=np.float64)
