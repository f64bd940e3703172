"""Scores: how far apart one unit moves them, checked by moving it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import OperationError
from discreet.engines.result import GroupedSums
from discreet.query.scores import FarthestFrom, LargestSum, SmallestSum
from support.clinic import VISITS, Visit, open_clinic

BY_WARD = "SELECT ward, COUNT(*), SUM(age), COUNT(DISTINCT patient_id) FROM visits GROUP BY ward"


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_no_unit_moves_two_scores_apart_by_more_than_their_spread(tmp_path: Path, neighbours: str) -> None:
    heavy: list[Visit] = [(9999, 110, 5000.0, "icu")] * 50
    other: list[Visit] = [(9999, 0, 0.0, "north")] * 50
    found = []
    for number, rows in enumerate((VISITS + heavy, VISITS + other if neighbours == "replace" else VISITS)):
        with open_clinic(tmp_path / str(number), rows, neighbours=neighbours) as curator:
            plan = curator.prepare(BY_WARD, 1).operation.plan
            found.append(curator._engines.run(plan).result().sets[0])
    for measure in range(len(plan.measures)):
        for score in (LargestSum(measure), SmallestSum(measure), FarthestFrom(measure, (10, 200, 3000))):
            one, two = (score.rate(each) for each in found)
            moved = [a - b for a, b in zip(one, two, strict=True)]
            assert 0 < max(moved) - min(moved) <= score.bound_spread(plan)


@given(st.lists(st.integers(-(2**70), 2**70), min_size=3, max_size=3), st.integers(0, 2), st.integers(-9, 9))
def test_a_distance_moves_by_no_more_than_the_sum(sums: list[int], place: int, by: int) -> None:
    score = FarthestFrom(0, (5, -5, 2**65))
    moved = [value + (by if index == place else 0) for index, value in enumerate(sums)]
    one, two = (score.rate(GroupedSums((tuple(each),))) for each in (sums, moved))
    assert max(abs(a - b) for a, b in zip(one, two, strict=True)) <= abs(by)


def test_scores_that_only_grow_move_apart_no_further_than_one_of_them_moves(tmp_path: Path) -> None:
    """Three rows of a unit at most; ages from 0 to 110 in steps of 1, and what is below zero counts beside it."""
    for neighbours, factor in (("add-remove", 1), ("replace", 2)):
        with open_clinic(tmp_path / neighbours, neighbours=neighbours) as curator:
            plans = [
                curator.prepare(f"SELECT ward, {each} FROM visits GROUP BY ward", 1).operation.plan
                for each in ("COUNT(*)", "COUNT(DISTINCT patient_id)", "SUM(age)", "SUM(age - 10)", "SUM(-age)")
            ]
        spreads = [LargestSum(0).bound_spread(plan) for plan in plans]
        assert spreads == [factor * each for each in (3, 1, 3 * 110, 3 * (100 + 10), 3 * 110)]
        assert FarthestFrom(0, (1, 2, 3)).bound_spread(plans[0]) == 2 * factor * 3, "one comes nearer, one goes away"


def test_scores_are_over_public_keys_and_sums(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
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
            score.bound_spread(plan)
