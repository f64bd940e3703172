"""What readings of a level and below it determine: exactly, with noise, or not at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from discreet.base.grid import Floats
from discreet.topdown.estimate.block_basis import find_block_basis
from discreet.topdown.estimate.level_frame import LevelFrame, find_frame, find_norm
from discreet.topdown.spec.queries import Query
from topdown.estimate.dense import ask, ask_all, invert, make_schema, write_matrix
from topdown.estimate.test_block_basis import write_blocks

SCHEMA = make_schema(4, 2)
TOTAL, GROUPS, FIRST, CELLS = ask(SCHEMA), ask(SCHEMA, a0=(0, 1, 1, 1)), ask(SCHEMA, a0=None), ask_all(SCHEMA)
BASIS = find_block_basis(SCHEMA, [TOTAL, GROUPS, FIRST, CELLS])


@dataclass(frozen=True)
class Planned:
    level: int
    query: Query
    variance: float


def frame(*asked: tuple[Query, float], below: LevelFrame | None = None) -> LevelFrame:
    return find_frame(BASIS, [Planned(0, query, variance) for query, variance in asked], below)


def project(*queries: Query) -> Floats:
    """Return the projection onto the span of some queries' rows."""
    rows = np.concatenate([write_matrix(query) for query in queries])
    return np.asarray(invert(rows) @ rows)


def write_unseen(found: LevelFrame) -> Floats:
    return write_blocks(BASIS, tuple(each.unseen for each in found))


def write_fixed(found: LevelFrame) -> Floats:
    return write_blocks(BASIS, tuple(each.fixed for each in found))


def test_precision_is_the_weighted_sum_of_the_queries_matrices() -> None:
    found = write_blocks(BASIS, tuple(each.precision for each in frame((GROUPS, 2.0), (CELLS, 5.0), (TOTAL, 0.0))))
    groups = write_matrix(GROUPS)
    assert found == pytest.approx(groups.T @ groups / 2 + np.eye(SCHEMA.cells) / 5)


def test_what_no_query_depends_on_is_unseen() -> None:
    assert write_unseen(frame((CELLS, 1.0))) == pytest.approx(np.zeros((8, 8)), abs=1e-12)
    assert write_unseen(frame((FIRST, 1e6), (TOTAL, 1e-6))) == pytest.approx(np.eye(8) - project(FIRST))
    assert write_unseen(frame()) == pytest.approx(np.eye(8))


def test_what_is_public_is_fixed_and_neither_free_nor_unseen() -> None:
    found = frame((GROUPS, 0.0), (FIRST, 1.0))
    assert write_fixed(found) == pytest.approx(project(GROUPS))
    assert write_unseen(found) == pytest.approx(np.eye(8) - project(FIRST))
    assert sum(each.free.shape[1] * block.copies for each, block in zip(found, BASIS.blocks, strict=True)) == 2


def test_what_is_known_below_is_known_above() -> None:
    below = frame((TOTAL, 0.0), (FIRST, 1.0))
    found = frame((GROUPS, 0.0), below=below)
    assert write_fixed(found) == pytest.approx(project(TOTAL, GROUPS))
    assert write_unseen(found) == pytest.approx(np.eye(8) - project(FIRST))
    assert write_fixed(frame(below=below)) == pytest.approx(project(TOTAL))


def test_public_numbers_are_solved_for() -> None:
    """K^+ K is the projection onto what is fixed, where K adds up what is public here and what is fixed below."""
    below = frame((TOTAL, 0.0))
    found = frame((GROUPS, 0.0), below=below)
    groups = write_matrix(GROUPS)
    exact = groups.T @ groups / 6 + project(TOTAL)
    assert write_blocks(BASIS, tuple(each.public for each in found)) @ exact == pytest.approx(project(GROUPS), abs=1e-9)


def test_norms_are_those_of_the_queries_matrices() -> None:
    for query in (TOTAL, GROUPS, FIRST, CELLS):
        assert find_norm(query) == pytest.approx(np.linalg.norm(write_matrix(query), 2) ** 2)


def test_many_cells_make_no_directions_out_of_rounding() -> None:
    """A total of 200,000 cells and counts of 500 groups: 500 directions are known, and not one more."""
    schema = make_schema(500, 20, 20)
    total, counts = ask(schema), ask(schema, a0=None)
    crossed = ask(schema, a0=[place % 7 for place in range(500)])
    basis = find_block_basis(schema, [total, counts, crossed])
    found = find_frame(basis, [Planned(0, total, 0.0), Planned(0, counts, 1e-4), Planned(0, crossed, 1e4)], None)
    fixed = sum(np.trace(each.fixed) * block.copies for each, block in zip(found, basis.blocks, strict=True))
    free = sum(each.free.shape[1] * block.copies for each, block in zip(found, basis.blocks, strict=True))
    assert (fixed, free) == (pytest.approx(1), 499)
