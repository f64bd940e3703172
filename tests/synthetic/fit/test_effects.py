"""Effects: marginals in coordinates that say nothing twice, and the conditioning that these allow."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.families.domain import Domain
from discreet.synthetic.fit.effects import Effect, EffectScaling, list_largest, take_means_away, write_effects
from discreet.synthetic.fit.graphical import fit_graphical
from discreet.synthetic.fit.junction import plant_tree
from discreet.synthetic.fit.objective import Measured
from discreet.synthetic.fit.questions import Questions
from discreet.synthetic.fit.tree_form import TreeForm
from synthetic.support.tiny import TinyMarginals, list_sets, measure

DOMAIN = Domain((2, 3, 4))
SETS = ((0, 1), (1, 2), (1,), (0, 1))


def make_measured(sets: tuple[tuple[int, ...], ...] = SETS, deviation: float = 3.0) -> list[Measured]:
    generator = np.random.default_rng(5)
    counts = generator.multinomial(900, generator.dirichlet(np.full(DOMAIN.cells, 0.5))).reshape(DOMAIN.sizes)
    return measure(TinyMarginals(DOMAIN, sets), counts, deviation, 6)


def find_misfit(questions: Questions, table: np.ndarray) -> float:
    tables = {
        columns: table.sum(axis=tuple(axis for axis in range(3) if axis not in columns))
        for columns in questions.column_sets
    }
    return sum(
        float(((each.answers - each.answer(tables[each.columns])) ** 2).sum()) / (2 * each.variance)
        for each in questions.groups
    )


def test_the_misfit_is_that_of_the_marginals_but_for_a_constant() -> None:
    measured = make_measured()
    questions = write_effects(DOMAIN, measured)
    generator = np.random.default_rng(7)
    differences = []
    for _ in range(4):
        table = generator.random(DOMAIN.sizes)
        table *= 900 / table.sum()
        plain = 0.0
        for each in measured:
            sums = table.sum(axis=tuple(axis for axis in range(3) if axis not in each.columns)).ravel()
            plain += float(((each.answers - sums) ** 2).sum()) / (2 * each.variance)
        differences.append(plain - find_misfit(questions, table))
    assert differences == pytest.approx([differences[0]] * 4)


def test_each_effect_is_there_once_and_adds_up_to_nothing_along_any_column() -> None:
    questions = write_effects(DOMAIN, make_measured())
    assert [each.columns for each in questions.groups] == [(0,), (0, 1), (1,), (1, 2), (2,)]
    for each in questions.groups:
        assert isinstance(each, Effect)
        table = each.answers.reshape(each.shape)
        for axis in range(table.ndim):
            assert table.sum(axis=axis) == pytest.approx(0, abs=1e-9)


def test_columns_of_one_value_have_no_effect() -> None:
    domain = Domain((1, 3))
    family = TinyMarginals(domain, ((0, 1), (0,)))
    measured = [Measured(family, 0, np.arange(3), 1.0), Measured(family, 1, np.arange(1), 1.0)]
    assert [each.columns for each in write_effects(domain, measured).groups] == [(1,)]


def test_ranks_are_the_numbers_of_directions() -> None:
    for columns in list_sets(3, 3):
        effect = Effect(columns, DOMAIN.find_shape(columns), np.zeros(0), 1.0)
        cells = np.prod(effect.shape)
        rows = effect.list_rows() if columns else np.zeros((1, 1))
        if columns:
            assert effect.rank * cells == pytest.approx(np.linalg.matrix_rank(rows))
            assert rows == pytest.approx(rows.T), "taking means away is its own transpose"


def test_one_marginal_alone_is_conditioned_perfectly() -> None:
    measured = make_measured(((0, 1, 2),))
    questions = write_effects(DOMAIN, measured)
    form = TreeForm(plant_tree(DOMAIN, [(0, 1, 2)]), questions)
    generator = np.random.default_rng(8)
    point = form.tilt(form.spread(generator.normal(0, 1, questions.answers)))
    values = generator.normal(0, 1, questions.answers)
    for key, part in questions.split(values).items():
        assert isinstance(key, tuple)
        part[:] = take_means_away(part.reshape(DOMAIN.find_shape(key))).ravel()
    scaled = point.write_scaling(np.zeros(questions.answers))(point.multiply(values))
    assert scaled == pytest.approx(values)


def test_scalings_are_symmetric_and_positive() -> None:
    questions = write_effects(DOMAIN, make_measured())
    form = TreeForm(plant_tree(DOMAIN, SETS), questions)
    scale = form.tilt(form.spread(np.zeros(questions.answers))).write_scaling(np.full(questions.answers, 1e-3))
    matrix = np.stack([scale(line) for line in np.eye(questions.answers)])
    assert matrix == pytest.approx(matrix.T)
    assert np.linalg.eigvalsh(matrix).min() > -1e-9


def test_the_largest_sets_are_part_of_no_other() -> None:
    assert list_largest([(0,), (0, 1), (2,), (1,), (0, 1)]) == [(0, 1), (2,)]
    assert EffectScaling(Questions(DOMAIN, ())).is_effect.shape == (0,)


def test_a_start_meets_what_was_measured_last() -> None:
    measured = make_measured(((0,), (1,), (2,), (0, 1)), 1.0)
    first = fit_graphical(DOMAIN, measured[:3], 900.0, 4.0)
    questions = write_effects(DOMAIN, measured)
    form = TreeForm(plant_tree(DOMAIN, [each.columns for each in measured]), questions)
    objective = questions.write_objective(900.0, 4.0)
    theta = questions.join(first.theta)

    def find_worst(at: np.ndarray) -> float:
        gradient = objective.shares - form.tilt(form.spread(at)).means - objective.slack * at
        return float(np.abs(gradient / objective.deviation).max())

    assert find_worst(form.meet(objective, theta, (0, 1))) < 0.1 * find_worst(theta)
    assert form.meet(objective, theta, ()) is theta


def test_warm_and_cold_fits_are_the_same() -> None:
    measured = make_measured(((0,), (1,), (2,), (0, 1), (1, 2)))
    first = fit_graphical(DOMAIN, measured[:4], 900.0, 4.0)
    warm = fit_graphical(DOMAIN, measured, 900.0, 4.0, first.theta, 1e-7)
    cold = fit_graphical(DOMAIN, measured, 900.0, 4.0, tolerance=1e-7)
    assert warm.project((0, 1, 2)) == pytest.approx(cold.project((0, 1, 2)), abs=1e-3)


@pytest.mark.parametrize(("answer", "variance"), [(900, 1e-9), (0, 1e12)])
def test_a_warm_start_survives_whatever_noise_made(answer: int, variance: float) -> None:
    measured = make_measured(((0,), (1,), (2,)))
    first = fit_graphical(DOMAIN, measured, 900.0, 4.0)
    answers = np.zeros(6, dtype=np.int64)
    answers[2] = answer
    last = Measured(TinyMarginals(DOMAIN, ((0, 1),)), 0, answers, variance)
    warm = fit_graphical(DOMAIN, [*measured, last], 900.0, 4.0, first.theta)
    assert np.isfinite(warm.project((0, 1, 2))).all()
    assert warm.project(()) == pytest.approx(900)


def test_a_rough_fit_ends_sooner_and_says_how_far_it_is() -> None:
    measured = make_measured(((0, 1), (1, 2), (0, 2)))
    rough = fit_graphical(DOMAIN, measured, 900.0, 4.0, rough=0.3)
    whole = fit_graphical(DOMAIN, measured, 900.0, 4.0)
    assert rough.report.steps < whole.report.steps
    assert whole.report.residual < 1e-3 < rough.report.residual
    answers = sum(len(each.answers) for each in write_effects(DOMAIN, measured).groups)
    assert rough.report.gap < 0.3**2 * answers / 2
