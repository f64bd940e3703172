"""One task: the children of some parents, and how parents are dealt out to tasks."""

from __future__ import annotations

import numpy as np

from discreet.topdown.running.estimating import open_job
from discreet.topdown.running.solving import FIGURES, METHODS, SolveBasis, cut_tasks, solve_parents, solve_top
from topdown.small_release import SmallCensus, draw_readings


def test_children_add_up_to_their_parents_whichever_task_they_are_in(small_census: SmallCensus) -> None:
    from discreet.topdown.running.estimating import fit_held, model_readings

    drawn = draw_readings(small_census)
    model = model_readings(drawn.problem, drawn.readings)
    fit = fit_held(drawn.problem, model, drawn.readings)
    job = open_job(SolveBasis(drawn.problem, model), fit.inner, drawn.readings)
    top = solve_top(job)
    assert top.counts.people.tolist() == [600]
    regions = solve_parents(job, 1, 0, top.counts)
    assert np.array_equal(regions.counts.to_dense().sum(axis=0), top.counts.to_dense()[0])
    whole = solve_parents(job, 2, 0, regions.counts)
    second = solve_parents(job, 2, 1, regions.counts[1:2])
    assert np.array_equal(whole.counts.to_dense()[3:], second.counts.to_dense())
    assert whole.figures.shape == (2, len(FIGURES))
    assert METHODS[int(whole.figures[0, FIGURES.index("method")])] == "linear program"
    assert np.allclose(
        job.basis.find_variances(2, drawn.problem.queries[-1], slice(0, 3)),
        fit.variances(2, drawn.problem.queries[-1], slice(0, 3)),
    )


def test_every_parent_is_in_one_task() -> None:
    bounds = np.array([0, 1, 2, 40, 41, 60, 61])
    runs = cut_tasks(bounds, 8)
    assert [parent for first, last in runs for parent in range(first, last)] == list(range(6))
    assert runs[0] == (0, 3)
