"""The checker finds every kind of fault in released counts, and none where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from discreet.base.wide import Ints
from discreet.topdown.solve.checking import check_release
from discreet.topdown.spec.geography import Geography, Level
from discreet.topdown.spec.invariants import Invariant
from discreet.topdown.spec.queries import Query, QueryPart
from discreet.topdown.spec.schema import Attribute, CensusSchema

SCHEMA = CensusSchema(
    (Attribute("a", (0, 1)), Attribute("b", (0, 1, 2))), ({"a": frozenset({1}), "b": frozenset({2})},)
)
GEOGRAPHY = Geography(
    (
        Level("whole", ("w",), np.array([0])),
        Level("region", ("n", "s"), np.array([0, 0])),
        Level("town", ("n1", "n2", "s1"), np.array([0, 0, 1])),
    )
)
TOWNS = np.array([[1, 0, 2, 0, 3, 0], [0, 0, 1, 0, 0, 0], [4, 1, 0, 2, 0, 0]])
FIRST = Query("a", SCHEMA, (QueryPart(0, (0, 1)),))
TOTAL = Query("total", SCHEMA)
TOTALS = Invariant("totals", 1, TOTAL, np.array([[7], [7]]))
LEAST = Invariant("least", 2, FIRST, np.array([[1, 1], [0, 0], [5, 2]]), exact=False, most=np.full((3, 2), 6))


def make_levels() -> list[Ints]:
    regions = np.stack([TOWNS[:2].sum(axis=0), TOWNS[2]])
    return [regions.sum(axis=0)[None], regions, TOWNS.copy()]


def test_right_counts_have_no_fault_written_out_or_sparse() -> None:
    assert check_release(GEOGRAPHY, SCHEMA, [TOTALS, LEAST], make_levels()) == ()
    assert check_release(GEOGRAPHY, SCHEMA, [TOTALS], [sparse.csr_array(each) for each in make_levels()]) == ()


@pytest.mark.parametrize(
    ("level", "row", "cell", "change", "told"),
    [
        (2, 1, 0, -1, "below 0"),
        (2, 0, 5, 1, "where nobody can be"),
        (1, 0, 0, 1, "are not the sums of town"),
        (0, 0, 3, -1, "are not the sums of region"),
        (2, 2, 1, -1, "are not the sums of town"),
    ],
)
def test_every_fault_is_found(level: int, row: int, cell: int, change: int, told: str) -> None:
    counts = make_levels()
    counts[level][row, cell] += change
    found = check_release(GEOGRAPHY, SCHEMA, [], counts)
    assert any(told in each.what for each in found)


def test_counts_that_are_not_whole_are_a_fault() -> None:
    counts = [each.astype(np.float64) for each in make_levels()]
    counts[2][0, 0] += 0.5
    assert "not a whole number" in check_release(GEOGRAPHY, SCHEMA, [], counts)[0].what


@pytest.mark.parametrize(
    "invariant",
    [
        Invariant("totals", 1, TOTAL, np.array([[7], [8]])),
        Invariant("least", 2, FIRST, np.array([[1, 1], [0, 1], [0, 0]]), exact=False),
        Invariant("most", 2, FIRST, np.zeros((3, 2), dtype=np.int64), exact=False, most=np.full((3, 2), 4)),
    ],
    ids=lambda each: each.name,
)
def test_invariants_that_do_not_hold_are_told_by_name(invariant: Invariant) -> None:
    found = check_release(GEOGRAPHY, SCHEMA, [invariant], make_levels())
    assert len(found) == 1
    assert found[0].what.startswith(f"{invariant.name}: ")


def test_missing_levels_and_areas_are_faults() -> None:
    assert "levels of counts" in check_release(GEOGRAPHY, SCHEMA, [], make_levels()[:2])[0].what
    counts = make_levels()
    counts[2] = counts[2][:2]
    assert "shape" in check_release(GEOGRAPHY, SCHEMA, [], counts)[0].what
