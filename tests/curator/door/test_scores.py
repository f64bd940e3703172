"""Scores: what one unit moves them by, checked by moving it, and which are monotone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import OperationError
from discreet.curator.door.scores import FarthestFrom, LargestSum
from support.clinic import VISITS, Visit, clinic

BY_WARD = "SELECT ward, COUNT(*), SUM(age), COUNT(DISTINCT patient_id) FROM visits GROUP BY ward"


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_no_unit_moves_a_score_by_more_than_its_sensitivity(tmp_path: Path, neighbours: str) -> None:
    heavy: list[Visit] = [(9999, 110, 5000.0, "icu")] * 50
    other: list[Visit] = [(9999, 0, 0.0, "north")] * 50
    sums = []
    for number, rows in enumerate((VISITS + heavy, VISITS + other if neighbours == "replace" else VISITS)):
        with clinic(tmp_path / str(number), rows, neighbours=neighbours) as curator:
            plan = curator.prepare(BY_WARD, 1).operation.plan
            sums.append(curator._engines.run(plan).result().sets[0].sums)
    for measure in range(len(plan.measures)):
        for score in (LargestSum(measure), FarthestFrom(measure, (10, 200, 3000))):
            one, two = (score.rate(each[measure]) for each in sums)
            moved = max(abs(a - b) for a, b in zip(one, two, strict=True))
            assert 0 < moved <= score.bound_sensitivity(plan)


@given(st.lists(st.integers(-(2**70), 2**70), min_size=3, max_size=3), st.integers(0, 2), st.integers(-9, 9))
def test_a_distance_moves_by_no_more_than_the_sum(sums: list[int], place: int, by: int) -> None:
    score = FarthestFrom(0, (5, -5, 2**65))
    moved = [value + (by if index == place else 0) for index, value in enumerate(sums)]
    assert max(abs(a - b) for a, b in zip(score.rate(sums), score.rate(moved), strict=True)) <= abs(by)


def test_counts_are_monotone_under_add_remove_only(tmp_path: Path) -> None:
    for neighbours, grows in (("add-remove", True), ("replace", False)):
        with clinic(tmp_path / neighbours, neighbours=neighbours) as curator:
            plan = curator.prepare("SELECT ward, COUNT(*) FROM visits GROUP BY ward", 1).operation.plan
            sums = curator.prepare("SELECT ward, SUM(age) FROM visits GROUP BY ward", 1).operation.plan
        assert LargestSum(0).is_monotone(plan) is grows
        assert not LargestSum(0).is_monotone(sums), "a value may be negative"
        assert not FarthestFrom(0, (1, 2, 3)).is_monotone(plan)


def test_scores_are_over_public_keys_and_sums(tmp_path: Path) -> None:
    with clinic(tmp_path) as curator:
        keyed = curator.prepare("SELECT CAST(patient_id AS TEXT), COUNT(*) FROM visits GROUP BY 1", 1).operation.plan
        ranked = curator.prepare("SELECT ward, MEDIAN(age) FROM visits GROUP BY ward", 1).operation.plan
        plain = curator.prepare("SELECT ward, COUNT(*) FROM visits GROUP BY ward", 1).operation.plan
    for plan, score, said in (
        (keyed, LargestSum(0), "public keys"),
        (plain, LargestSum(1), "one measure"),
        (ranked, LargestSum(0), "one of ranks"),
        (plain, FarthestFrom(0, (1, 2)), "3 keys and 2 targets"),
    ):
        with pytest.raises(OperationError, match=said):
            score.bound_sensitivity(plan)
