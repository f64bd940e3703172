"""Which questions are counts of cells: whole cells of one frame, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from discreet.curator import Curator
from discreet.curator.asking.prepared import Prepared
from discreet.synthetic.online.counts import CellCounts
from discreet.synthetic.online.frame import Frame
from discreet.synthetic.online.reading import read_counts
from support.online import OTHER, open_small

PART, NONE = "sex = 'f' OR age = 1", "sex = 'f' AND sex = 'm'"
COUNT = "SELECT COUNT(*) AS n FROM cases WHERE {}"


@pytest.fixture(scope="module")
def curator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Curator]:
    with open_small(tmp_path_factory.mktemp("cases")) as found:
        found.ask(OTHER, 0.1)
        yield found


def frame_of(curator: Curator) -> Frame:
    found = curator._holdings.routes[0]._frames["cases"]  # type: ignore[attr-defined]
    assert isinstance(found, Frame)
    return found


def read(curator: Curator, asked: str | Prepared, frame: Frame | None = None) -> CellCounts | None:
    prepared = curator.prepare(asked, 0.1) if isinstance(asked, str) else asked
    return read_counts(prepared, frame or frame_of(curator), curator._holdings.catalog)


@pytest.mark.parametrize(
    ("where", "cells"),
    [
        ("sex = 'f'", [0, 1, 2, 3, 4]),
        ("sex = 'f' AND age BETWEEN 1 AND 2", [1, 2]),
        ("sex IN ('f', 'm') AND age IN (0, 3) AND (sex = 'f' OR age = 0)", [0, 3, 5]),
        ("age >= 2 AND age <= 3", [2, 3, 7, 8, 12, 13]),
    ],
)
def test_a_condition_on_declared_values_is_a_set_of_cells(curator: Curator, where: str, cells: list[int]) -> None:
    """3 x 5 cells: the last place of each column is for NULL and all that was not declared."""
    found = read(curator, COUNT.format(where))
    assert found is not None
    assert np.flatnonzero(found.labels == 0).tolist() == cells


@pytest.mark.parametrize(
    "where",
    [
        "age >= 2",
        "sex <> 'f'",
        "sex IS NULL",
        "sex = 'x'",
        "age BETWEEN 2 AND 4",
        "sex = 'f' OR age = 1",
        "area = 'a'",
        NONE,
    ],
)
def test_a_part_of_a_cell_and_nothing_at_all_are_no_sets_of_cells(curator: Curator, where: str) -> None:
    assert read(curator, COUNT.format(where)) is None


def test_counts_of_another_scan_or_of_other_neighbours_are_none_of_this_frame(curator: Curator) -> None:
    frame, prepared = frame_of(curator), curator.prepare(OTHER, 0.1)
    assert read(curator, prepared) is not None
    assert read(curator, prepared, replace(frame, scan=replace(frame.scan, rows=1))) is None
    assert read(curator, prepared, replace(frame, scan=replace(frame.scan, content=()))) is None
    assert read(curator, prepared, replace(frame, plan=replace(frame.plan, factor=frame.plan.factor + 1))) is None
