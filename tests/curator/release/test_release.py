"""What the ledger keeps, and that nothing is released about a key that is not."""

from __future__ import annotations

import datetime as dt
import json
from fractions import Fraction
from pathlib import Path

from discreet.curator.release.release import Released, ReleasedSet, release
from discreet.engines.result import ExactResult, GroupedSums
from discreet.mechanisms.key_selection import KeySelection
from discreet.mechanisms.key_threshold import KeyThreshold
from discreet.mechanisms.quantile import Drawn
from discreet.plan.expressions import Constant
from support.clinic import Visit, open_clinic


def test_released_numbers_of_any_size_come_back_from_the_ledger() -> None:
    trees: dict[int, tuple[dict[tuple[int, int], int], ...]] = {1: ({(1, 0): -5, (2, 3): 2**70}, {})}
    released = Released((ReleasedSet(((2**100, -1), ()), trees), ReleasedSet(((7,), ()), {1: ({},)})))
    assert Released.from_bytes(released.to_bytes()) == released


def test_selected_keys_of_every_type_and_drawn_ranks_come_back() -> None:
    noon = dt.datetime(2026, 3, 1, 12, 30, tzinfo=dt.UTC)
    values: list[Constant] = [
        "icu",
        "",
        "it's",
        7,
        -(2**62),
        True,
        False,
        None,
        dt.date(2026, 3, 1),
        noon,
        Fraction(1, 3),
    ]
    keys = tuple((value, "x") for value in values)
    drawn = {0: tuple(Drawn(place, 0, 9, 9, 0.999) for place in range(len(keys)))}
    released = Released((ReleasedSet(((),), drawn=drawn, keys=keys),))
    same = Released.from_bytes(released.to_bytes())
    assert same == released
    assert [type(key[0]) for key in same.sets[0].keys or ()] == [type(value) for value in values], "True is not 1"


def test_answers_of_the_first_version_are_read() -> None:
    old = json.dumps({"version": 1, "sums": [[3, 4]], "trees": {}}).encode()
    assert Released.from_bytes(old) == Released((ReleasedSet(((3, 4),)),))


def test_keys_are_selected_by_units_sorted_and_nothing_is_left_of_others(tmp_path: Path) -> None:
    rows: list[Visit] = [(1, 30, 10.0, "icu")]
    with open_clinic(tmp_path, rows) as curator:
        text = "SELECT CAST(patient_id AS TEXT) AS c, SUM(cost), SUM(age) FROM visits GROUP BY 1"
        _, priced = curator._priced(text, 1.0, None, None, None, False, {})
    assert isinstance(priced.selection, KeySelection)
    sure = priced.selection.threshold[1]
    keys: tuple[tuple[Constant, ...], ...] = (("b",), ("rare",), ("a",), ("none",))
    sums = tuple((10**9, 10**9, -(10**9), 10**9) for _ in priced.bounded.plan.measures)
    exact = ExactResult((GroupedSums(sums, {}, keys, (sure, 1, sure + 5, 0)),))
    for _ in range(20):
        (found,) = release(priced, exact, {}).sets
        assert found.keys == (("a",), ("b",)), "one unit appears once in a hundred billion times"
        for row in found.sums:
            assert [value < 0 for value in row] == [True, False], "values stay with their keys"


def test_keys_below_the_threshold_of_a_count_are_left_out_of_everything(tmp_path: Path) -> None:
    with open_clinic(tmp_path, []) as curator:
        text = "SELECT CAST(patient_id AS TEXT) AS c, COUNT(*), SUM(age) FROM visits GROUP BY 1"
        _, priced = curator._priced(text, 1.0, None, None, None, False, {})
    assert isinstance(priced.selection, KeyThreshold)
    assert priced.counted is not None
    keys: tuple[tuple[Constant, ...], ...] = (("b",), ("rare",), ("a",))
    counts, totals = (10**6, 1, 2 * 10**6), (-(10**9), 10**9, 10**9)
    places = range(len(priced.bounded.plan.measures))
    sums = tuple(counts if place == priced.counted else totals for place in places)
    for _ in range(20):
        (found,) = release(priced, ExactResult((GroupedSums(sums, {}, keys, (1000, 1, 1000)),)), {}).sets
        assert found.keys == (("a",), ("b",))
        (total,) = (row for place, row in enumerate(found.sums) if place != priced.counted)
        assert [value > 0 for value in total] == [True, False], "values stay with their keys"
        assert all(value >= priced.selection.level for value in found.sums[priced.counted])
        assert all(len(row) == 2 for row in found.sums)
