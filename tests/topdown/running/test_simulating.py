"""Simulated errors are those that really occur where the truth is what was released."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from discreet.topdown.running import simulating
from discreet.topdown.running.error_sums import AreaErrors
from discreet.topdown.running.estimating import estimate, fit_held, hand_out_basis, model_readings
from discreet.topdown.running.simulating import find_finest, find_possible, simulate_errors
from discreet.topdown.running.workers import SolverPool
from topdown.small_release import SmallCensus, draw_readings


@pytest.mark.slow
def test_all_cells_are_counted_in_every_replication_and_public_totals_are_exact(
    regrouped_census: SmallCensus, tmp_path: Path
) -> None:
    drawn = draw_readings(regrouped_census)
    model = model_readings(drawn.problem, drawn.readings)
    with SolverPool(2) as pool:
        hand_out_basis(drawn.problem, model, pool)
        found = simulate_errors(drawn.problem, model, drawn.readings, drawn.truth, pool, tmp_path, 3, 1)
        again = simulate_errors(drawn.problem, model, drawn.readings, drawn.truth, pool, tmp_path, 3, 1)
    assert found.replications == 3
    assert found.classes["Town", "detailed"].cells.sum() == 3 * 22 * 15
    assert found.classes["District", "total"].cells.sum() == 3 * 5, "published districts, not groups of towns"
    assert found.classes["Region", "total"].absolute.sum() == 0
    assert [len(each.total) for each in found.areas] == [len(level) for level in drawn.problem.geography.levels]
    for key, errors in found.classes.items():
        assert np.array_equal(errors.absolute, again.classes[key].absolute)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_errors_simulated_from_a_release_are_about_those_of_the_truth(
    small_census: SmallCensus, tmp_path: Path
) -> None:
    drawn = draw_readings(small_census)
    model = model_readings(drawn.problem, drawn.readings)
    with SolverPool(2) as pool:
        hand_out_basis(drawn.problem, model, pool)
        released = estimate(drawn.problem, fit_held(drawn.problem, model, drawn.readings), drawn.readings, pool)
        given = drawn.problem, model, drawn.readings
        told = simulate_errors(*given, released.counts, pool, tmp_path, 20, 1).classes
        truly = simulate_errors(*given, drawn.truth, pool, tmp_path, 20, 2).classes
    for level in ("District", "Town"):
        mean, true = (
            each[level, "detailed"].absolute.sum() / each[level, "detailed"].cells.sum() for each in (told, truly)
        )
        assert mean == pytest.approx(true, rel=0.2)


def test_impossible_answers_are_left_out_and_the_finest_query_is_found(small_census: SmallCensus) -> None:
    queries = draw_readings(small_census).problem.queries
    assert find_finest(queries).name == "detailed"
    assert find_possible(find_finest(queries)).sum() == 15


@pytest.mark.slow
def test_of_many_small_areas_some_are_simulated_in_turn(
    small_census: SmallCensus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulating, "LEAVES", 10)
    monkeypatch.setattr(simulating, "CHILDREN", 1)
    drawn = draw_readings(small_census)
    model = model_readings(drawn.problem, drawn.readings)
    with SolverPool(1) as pool:
        hand_out_basis(drawn.problem, model, pool)
        found = simulate_errors(drawn.problem, model, drawn.readings, drawn.truth, pool, tmp_path, 3, 1)
    assert found.areas[3].times.tolist() == [1] * 22
    assert found.areas[2].times.tolist() == [3] * 7
    assert found.classes["Town", "detailed"].cells.sum() == 22 * 15
    once = AreaErrors(np.array([3.0, 0.0]), np.array([2.0, 0.0]), np.array([2, 0]))
    assert once.average("total")[0] == 1.5
    assert np.isnan(once.average("spread")[1])


@pytest.mark.slow
def test_replications_that_are_kept_are_not_made_again(small_census: SmallCensus, tmp_path: Path) -> None:
    drawn = draw_readings(small_census)
    model = model_readings(drawn.problem, drawn.readings)
    given = drawn.problem, model, drawn.readings, drawn.truth
    with SolverPool(1) as pool:
        hand_out_basis(drawn.problem, model, pool)
        simulate_errors(*given, pool, tmp_path, 1, 1, keep=tmp_path / "kept.npz")
        told: list[int] = []
        found = simulate_errors(*given, pool, tmp_path, 2, 1, lambda *each: told.append(each[1]), tmp_path / "kept.npz")
        whole = simulate_errors(*given, pool, tmp_path, 2, 1)
    assert min(told) > 32
    assert found.replications == 2
    for key, errors in whole.classes.items():
        assert np.array_equal(errors.absolute, found.classes[key].absolute)
