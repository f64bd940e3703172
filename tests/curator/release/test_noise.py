"""Noise: nothing is released about a key that is not selected, and values stay with their keys."""

from __future__ import annotations

from pathlib import Path

from discreet.curator.release.noise import release
from discreet.engines.result import ExactResult, GroupedSums
from discreet.mechanisms.key_selection import KeySelection
from discreet.mechanisms.key_threshold import KeyThreshold
from discreet.plan.expressions import Constant
from support.clinic import Visit, clinic


def test_keys_are_selected_by_units_sorted_and_nothing_is_left_of_others(tmp_path: Path) -> None:
    rows: list[Visit] = [(1, 30, 10.0, "icu")]
    with clinic(tmp_path, rows) as curator:
        text = "SELECT CAST(patient_id AS TEXT) AS c, SUM(cost), SUM(age) FROM visits GROUP BY 1"
        prepared = curator.prepare(text, 1.0)
    priced, draws = prepared.priced, prepared.operation.draws
    assert isinstance(priced.selection, KeySelection)
    sure = priced.selection.threshold[1]
    keys: tuple[tuple[Constant, ...], ...] = (("b",), ("rare",), ("a",), ("none",))
    sums = tuple((10**9, 10**9, -(10**9), 10**9) for _ in priced.bounded.plan.measures)
    exact = ExactResult((GroupedSums(sums, {}, keys, (sure, 1, sure + 5, 0)),))
    for _ in range(20):
        (found,) = release(priced.bounded.plan, exact, draws).sets
        assert found.keys == (("a",), ("b",)), "one unit appears once in a hundred billion times"
        for row in found.sums:
            assert [value < 0 for value in row] == [True, False], "values stay with their keys"


def test_keys_below_the_threshold_of_a_count_are_left_out_of_everything(tmp_path: Path) -> None:
    with clinic(tmp_path, []) as curator:
        text = "SELECT CAST(patient_id AS TEXT) AS c, COUNT(*), SUM(age) FROM visits GROUP BY 1"
        prepared = curator.prepare(text, 1.0)
    priced, draws = prepared.priced, prepared.operation.draws
    assert isinstance(priced.selection, KeyThreshold)
    assert priced.counted is not None
    keys: tuple[tuple[Constant, ...], ...] = (("b",), ("rare",), ("a",))
    counts, totals = (10**6, 1, 2 * 10**6), (-(10**9), 10**9, 10**9)
    places = range(len(priced.bounded.plan.measures))
    sums = tuple(counts if place == priced.counted else totals for place in places)
    for _ in range(20):
        exact = ExactResult((GroupedSums(sums, {}, keys, (1000, 1, 1000)),))
        (found,) = release(priced.bounded.plan, exact, draws).sets
        assert found.keys == (("a",), ("b",))
        (total,) = (row for place, row in enumerate(found.sums) if place != priced.counted)
        assert [value > 0 for value in total] == [True, False], "values stay with their keys"
        assert all(value >= priced.selection.level for value in found.sums[priced.counted])
        assert all(len(row) == 2 for row in found.sums)
