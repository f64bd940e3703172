"""Newton's method on the dual: gradients and Hessians are what they are called, and reports are honest."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.base.grid import Floats
from discreet.families.domain import Domain
from discreet.synthetic.fit import newton
from discreet.synthetic.fit.cells import take_cells
from discreet.synthetic.fit.dense import DenseForm
from discreet.synthetic.fit.newton import FitForm, TiltedModel, climb
from discreet.synthetic.fit.objective import Measured, Objective
from discreet.synthetic.fit.parity import ParityForm
from discreet.synthetic.fit.questions import write_questions
from synthetic.support.tiny import TinyLines, TinyMarginals, list_sets, measure, write_parities

MIXED = Domain((2, 3, 4))
BITS = Domain((2,) * 4)


def write_form(kind: str) -> tuple[FitForm[TiltedModel], Objective]:
    generator = np.random.default_rng(1)
    if kind == "parities":
        measured = measure(write_parities(4, list_sets(4, 2)), generator.integers(0, 40, BITS.sizes), 5.0, 2)
        objective = write_questions(BITS, measured, range(len(measured))).write_objective(300.0, 2.0)
        masks = [sum(1 << (3 - place) for place in each) for each in sorted(list_sets(4, 2))]
        return ParityForm(4, np.array(masks)), objective
    counts = generator.integers(0, 40, MIXED.sizes)
    lines = TinyLines(MIXED, ((0, 2), (1,)), (((0, 1, 2, 3, 0, 1, 2, 3),), ((1, 0, -1), (1, 1, 0))))
    measured = measure(TinyMarginals(MIXED, ((0, 1), (1, 2))), counts, 5.0, 2) + measure(lines, counts, 5.0, 3)
    if kind == "cells":
        measured += measure(TinyMarginals(MIXED, ((0, 1, 2),)), counts, 5.0, 4)
    cells, others = take_cells(MIXED, measured, 460.0, 2.0)
    questions = write_questions(MIXED, measured, others)
    logarithms = np.log(generator.dirichlet(np.ones(24))).reshape(MIXED.sizes) if kind == "prior" else None
    return DenseForm(questions, logarithms, cells), questions.write_objective(460.0, 2.0)


def value(form: FitForm[TiltedModel], objective: Objective, theta: Floats) -> float:
    """Return F(theta)."""
    log_z = form.tilt(form.spread(theta)).log_z
    return float(theta @ objective.shares - log_z - objective.slack @ theta**2 / 2)


@pytest.mark.parametrize("kind", ["table", "prior", "cells", "parities"])
def test_gradients_and_hessians_agree_with_finite_differences(kind: str) -> None:
    form, objective = write_form(kind)
    generator = np.random.default_rng(5)
    theta, direction = generator.normal(0, 0.2, (2, len(objective.shares)))
    point = form.tilt(form.spread(theta))
    gradient = objective.shares - point.means - objective.slack * theta
    ahead, behind = theta + 1e-4 * direction, theta - 1e-4 * direction
    slope = (value(form, objective, ahead) - value(form, objective, behind)) / 2e-4
    assert slope == pytest.approx(float(gradient @ direction), rel=1e-5)
    bend = (form.tilt(form.spread(ahead)).means - form.tilt(form.spread(behind)).means) / 2e-4
    assert point.multiply(direction) == pytest.approx(bend, rel=1e-4, abs=1e-6)
    assert point.find_covariance() @ direction == pytest.approx(bend, rel=1e-4, abs=1e-6)
    assert point.find_variances() == pytest.approx(np.diagonal(point.find_covariance()))


@pytest.mark.parametrize("kind", ["table", "prior", "cells", "parities"])
def test_no_theta_near_the_one_found_is_better(kind: str) -> None:
    form, objective = write_form(kind)
    theta, point, report = climb(form, objective, tolerance=1e-8)
    assert report.converged
    assert point.means == pytest.approx(objective.shares - objective.slack * theta, abs=1e-8)
    best = value(form, objective, theta)
    for direction in np.random.default_rng(6).normal(0, 0.1, (20, len(theta))):
        assert value(form, objective, theta + direction) < best


def test_a_fit_that_was_stopped_early_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    form, objective = write_form("table")
    monkeypatch.setattr(newton, "SOON", 1)
    monkeypatch.setattr(newton, "MOST_STEPS", 0)
    _, _, report = climb(form, objective, tolerance=1e-9)
    assert not report.converged
    assert report.residual > 1e-9


def test_the_way_from_a_large_slack_leads_to_the_same_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    form, objective = write_form("table")
    direct, _, _ = climb(form, objective, tolerance=1e-8)
    monkeypatch.setattr(newton, "SOON", 1)
    followed, _, report = climb(form, objective, tolerance=1e-8)
    assert report.converged
    assert followed == pytest.approx(direct, abs=1e-3)


def test_thetas_of_thousands_do_not_overflow() -> None:
    form, _ = write_form("table")
    for size in (1e3, 1e6, 1e12):
        point = form.tilt(form.spread(np.random.default_rng(7).normal(0, size, len(write_form("table")[1].shares))))
        assert np.isfinite(point.log_z)
        assert np.isfinite(point.means).all()


def test_measurements_need_as_many_answers_as_questions_and_a_variance() -> None:
    family = TinyMarginals(MIXED, ((0,),))
    with pytest.raises(ValueError, match="an array of 2 numbers"):
        Measured(family, 0, np.zeros(3), 1.0)
    with pytest.raises(ValueError, match="variance must be"):
        Measured(family, 0, np.zeros(2), 0.0)
