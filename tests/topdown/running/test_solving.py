"""One task: the children of some parents, and how parents are dealt out to tasks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discreet.topdown.running.estimating import fit_held, model_readings, open_job
from discreet.topdown.running.problem import CensusProblem
from discreet.topdown.running.solving import FIGURES, METHODS, SolveBasis, SolveJob, cut_tasks, solve_parents, solve_top
from discreet.topdown.solve.children import solve_children
from discreet.topdown.spec.invariants import Invariant
from topdown.small_release import Drawn, SmallCensus, draw_readings


def prepare_job(drawn: Drawn, problem: CensusProblem | None = None) -> SolveJob:
    model = model_readings(drawn.problem, drawn.readings)
    fit = fit_held(drawn.problem, model, drawn.readings)
    return open_job(SolveBasis(problem or drawn.problem, model), fit.inner, drawn.readings)


def test_children_add_up_to_their_parents_whichever_task_they_are_in(small_census: SmallCensus) -> None:
    drawn = draw_readings(small_census)
    job = prepare_job(drawn)
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
        job.fit.variances(2, drawn.problem.queries[-1], slice(0, 3)),
    )


def test_answers_of_the_family_are_rounded_too(small_census: SmallCensus) -> None:
    job = prepare_job(draw_readings(small_census))
    assert job.problem.families[1]
    top = solve_top(job)
    found = solve_parents(job, 1, 0, top.counts)
    alone = solve_children(
        top.counts.to_dense()[0],
        job.find_targets(1, slice(0, 2)),
        job.basis.find_table(1).take(slice(0, 2)),
        impossible=job.basis.impossible,
        invariants=job.problem.known[1],
        family=job.problem.families[1],
    )
    assert found.figures[0, FIGURES.index("distance")] == alone.rounded.distance
    for query in job.problem.families[1]:
        assert np.abs(query.answer(found.counts.to_dense()) - query.answer(alone.continuous)).max() < 1 + 1e-6


def test_rules_that_cannot_hold_are_told_in_words_with_the_area(small_census: SmallCensus) -> None:
    drawn = draw_readings(small_census)
    job = prepare_job(drawn)
    top = solve_top(job)
    total = drawn.spec.find_query("total")
    people = drawn.truth[1].people[:, None] + 1
    wrong = Invariant("too many", 1, total, people)
    known = (drawn.problem.known[0], (wrong,), *drawn.problem.known[2:])
    found = solve_parents(prepare_job(drawn, replace(drawn.problem, known=known)), 1, 0, top.counts)
    assert np.array_equal(found.counts.to_dense().sum(axis=0), top.counts.to_dense()[0])
    assert found.figures[0, FIGURES.index("violations")] == len(found.violations) > 0
    assert METHODS[int(found.figures[0, FIGURES.index("method")])] == "failsafe"
    name, _, told = found.violations[0].partition(": ")
    assert name == "too many"
    assert told.split(" has ")[0] in ("r1 of Region", "r2 of Region")


def test_every_parent_is_in_one_task() -> None:
    bounds = np.array([0, 1, 2, 40, 41, 60, 61])
    runs = cut_tasks(bounds, 8)
    assert [parent for first, last in runs for parent in range(first, last)] == list(range(6))
    assert runs[0] == (0, 3)
