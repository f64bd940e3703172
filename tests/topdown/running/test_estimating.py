"""The whole estimate: exact at every level, the same from any number of workers, kept level by level."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from discreet.topdown.running.estimating import (
    estimate,
    fit_held,
    forget_job,
    hand_out_job,
    model_readings,
    open_held_job,
    read_level,
)
from discreet.topdown.running.problem import OBJECTIVES
from discreet.topdown.running.solving import SolveBasis
from discreet.topdown.running.workers import SolverPool
from discreet.topdown.solve.checking import check_release
from topdown.small_release import SmallCensus, draw_readings, prepare_fit


@pytest.mark.many
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_counts_are_consistent_whole_and_keep_every_invariant(small_census: SmallCensus, objective: str) -> None:
    drawn = draw_readings(small_census)
    with SolverPool(1) as pool:
        found = estimate(drawn.problem, prepare_fit(drawn, pool, objective), drawn.readings, pool)
    problem = drawn.problem
    counts = [each.to_csr() for each in found.counts]
    assert check_release(problem.geography, problem.schema, problem.stated, counts) == ()
    assert all(not each.violations for each in found.levels)
    assert [len(each.figures) for each in found.levels] == [1, 1, 2, 7]


@pytest.mark.slow
def test_estimates_are_better_than_the_measurements(small_census: SmallCensus) -> None:
    drawn = draw_readings(small_census)
    with SolverPool(1) as pool:
        found = estimate(drawn.problem, prepare_fit(drawn, pool), drawn.readings, pool)
    detailed = next(each for each in drawn.readings if each.level == 3 and each.query.name == "detailed")
    raw = np.abs(detailed.open().values - drawn.truth[3].to_dense()).mean()
    assert np.abs(found.counts[3].to_dense() - drawn.truth[3].to_dense()).mean() < 0.7 * raw


@pytest.mark.slow
def test_levels_that_are_kept_are_not_solved_again(small_census: SmallCensus, tmp_path: Path) -> None:
    drawn = draw_readings(small_census)
    with SolverPool(2) as pool:
        fit = prepare_fit(drawn, pool)
        first = estimate(drawn.problem, fit, drawn.readings, pool, tmp_path)
        (tmp_path / "level-3.npz").unlink()
        stages: list[str] = []
        again = estimate(drawn.problem, fit, drawn.readings, pool, tmp_path, lambda *told: stages.append(told[0]))
    assert set(stages) == {"Town"}
    for one, other in zip(first.levels, again.levels, strict=True):
        assert np.array_equal(one.counts.to_dense(), other.counts.to_dense())
        assert np.array_equal(one.figures, other.figures)
    kept = read_level(tmp_path / "level-3.npz")
    assert np.array_equal(kept.counts.to_dense(), first.counts[3].to_dense())
    assert kept.violations == ()


@pytest.mark.slow
def test_a_job_is_handed_out_in_files_and_holds_what_was_handed_out_last(small_census: SmallCensus) -> None:
    with SolverPool(1) as pool:
        for seed in (3, 4):
            drawn = draw_readings(small_census, seed)
            model = model_readings(drawn.problem, drawn.readings)
            fit = fit_held(drawn.problem, model, drawn.readings)
            hand_out_job(fit, drawn.readings, pool)
    folder = drawn.readings[0].path.parent
    held = open_held_job(SolveBasis(drawn.problem, model), folder, drawn.readings)
    for level in range(3):
        assert np.array_equal(held.fit.final(level), fit.final(level))
        assert np.array_equal(held.fit.upward(level), fit.upward(level))
    before = len(list(folder.iterdir()))
    forget_job(folder, 4)
    assert before - len(list(folder.iterdir())) == 9
