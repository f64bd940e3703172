"""Kernels without a GPU: what is planned covers every cell once, and what is written is for one shape only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.families import Domain
from discreet.synthetic.fit.gpu_kernels import CollapseShape, plan_collapse, split_cube, write_collapse, write_update

CUBES = [(1, 1 << 30, 1), (1 << 10, 1 << 10, 1 << 10), (1, 2, 1 << 29), (1 << 29, 2, 1), (7, 12, 5), (1, 3, 1000)]


@pytest.mark.parametrize("itemsize", [4, 8])
@pytest.mark.parametrize("cube", CUBES)
def test_blocks_and_parts_cover_a_cube(cube: tuple[int, int, int], itemsize: int) -> None:
    shape = plan_collapse(cube, itemsize)
    before, middle, behind = cube
    assert 1 <= shape.threads <= 256
    assert shape.rows & (shape.rows - 1) == 0
    assert shape.tiles * shape.width * shape.vector >= behind
    assert (shape.tiles - 1) * shape.width * shape.vector < behind
    assert shape.blocks // shape.tiles * shape.groups >= before
    assert (shape.parts - 1) * shape.span < middle <= shape.parts * shape.span
    assert behind % shape.vector == 0
    assert shape.blocks < 2**31
    assert shape.parts < 2**16


@pytest.mark.parametrize("cube", [(3, 512, 1), (2, 256, 2), (2, 256, 3), (3, 7, 1), (2, 64, 4)])
def test_folding_the_last_axis_changes_no_sum(cube: tuple[int, int, int]) -> None:
    table = np.arange(np.prod(cube))
    first, rest = split_cube(cube, 4)
    found = table.reshape(first).sum(axis=1)
    if rest is not None:
        found = found.reshape(rest).sum(axis=1)
    assert np.array_equal(found.ravel(), table.reshape(cube).sum(axis=1).ravel())


def run_collapse(cube: tuple[int, int, int], shape: CollapseShape, table: NDArray[Any]) -> NDArray[Any]:
    """Do what the kernel says, thread by thread: which numbers each adds up, and where they go."""
    before, middle, behind = cube
    found = np.zeros((shape.parts, before, behind))
    lines = table.reshape(before, middle, behind // shape.vector, shape.vector)
    for part in range(shape.parts):
        for block in range(shape.blocks):
            for thread in range(shape.threads):
                column = block % shape.tiles * shape.width + thread % shape.width
                row = thread // shape.width % shape.rows
                line = block // shape.tiles * shape.groups + thread // (shape.width * shape.rows)
                if line < before and column < behind // shape.vector:
                    places = range(part * shape.span + row, min(middle, (part + 1) * shape.span), shape.rows)
                    added = lines[line, list(places), column].sum(axis=0)
                    found[part, line, column * shape.vector : (column + 1) * shape.vector] += added
    return np.asarray(found.sum(axis=0))


@pytest.mark.parametrize("cube", [(5, 40, 1), (3, 33, 8), (1, 500, 12), (2, 9, 300), (40, 3, 7)])
def test_every_number_is_added_once(cube: tuple[int, int, int]) -> None:
    table = np.random.default_rng(3).integers(0, 1000, np.prod(cube)).astype(np.float64)
    found = run_collapse(cube, plan_collapse(cube, 4), table)
    assert np.array_equal(found, table.reshape(cube).sum(axis=1))


def test_a_kernel_looks_factors_up_once_for_four_neighbours_where_it_can() -> None:
    source = write_update(Domain((2,) * 30), [((0, 1), False), ((29,), False), ((3, 5), True)])
    common, each = (next(line for line in source.splitlines() if text in line) for text in ("common =", "*= common"))
    assert "factor0[cell / 268435456u % 4u * 1u]" in common
    assert f"factor2[__popc(cell & {(1 << 26) + (1 << 24)}u) & 1]" in common
    assert "factor1[cell / 1u % 2u * 1u]" in each
    assert source.count("{") == source.count("}")


def test_a_kernel_knows_the_kind_of_its_numbers() -> None:
    cube = (2, 64, 4)
    assert "alignas(4 * sizeof(float))" in write_collapse(cube, plan_collapse(cube, 4), "float32")
    assert "alignas(2 * sizeof(double))" in write_collapse(cube, plan_collapse(cube, 8), "float64")
