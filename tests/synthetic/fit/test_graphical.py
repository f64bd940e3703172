"""Graphical fits: the dense fit of the same measurements, for domains that no table holds."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.families.domain import ColumnSet, DenseTable, Domain, RowTable
from discreet.synthetic.fit.dense import fit_dense
from discreet.synthetic.fit.graphical import fit_graphical
from discreet.synthetic.fit.junction import plant_tree
from discreet.synthetic.fit.objective import Measured
from discreet.synthetic.fit.questions import write_questions
from discreet.synthetic.fit.tree_form import TreeForm
from synthetic.support.tiny import TinyMarginals, list_sets, measure

DOMAIN = Domain((2, 3, 2, 4, 2, 3))
SHAPES: dict[str, tuple[ColumnSet, ...]] = {
    "chain": ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5)),
    "loop": ((0, 1), (1, 2), (2, 3), (0, 3), (4, 5)),
    "apart": ((0,), (1, 2), (4,)),
    "triples": ((0, 1, 2), (1, 2, 3), (3, 4, 5), (0,)),
}


def measure_shape(shape: str, deviation: float = 5.0) -> list[Measured]:
    generator = np.random.default_rng(1)
    counts = generator.multinomial(2000, generator.dirichlet(np.full(DOMAIN.cells, 0.2))).reshape(DOMAIN.sizes)
    return measure(TinyMarginals(DOMAIN, SHAPES[shape]), counts, deviation, 2)


@pytest.mark.parametrize("shape", list(SHAPES))
def test_it_is_the_dense_fit(shape: str) -> None:
    measured = measure_shape(shape)
    dense = DenseTable(DOMAIN, fit_dense(DOMAIN, measured, 2000.0, 4.0, tolerance=1e-7).shares * 2000)
    fitted = fit_graphical(DOMAIN, measured, 2000.0, 4.0, tolerance=1e-7)
    assert fitted.report.converged
    for columns in ((), *list_sets(6, 4)):
        assert fitted.project(columns) == pytest.approx(dense.project(columns), abs=1e-3), columns


def test_it_finds_the_same_kappa() -> None:
    measured = measure_shape("chain", 60.0)
    dense, fitted = fit_dense(DOMAIN, measured, 2000.0), fit_graphical(DOMAIN, measured, 2000.0)
    assert fitted.distance == pytest.approx(dense.distance, rel=0.3)
    assert fitted.report.kappa == pytest.approx(dense.report.kappa, rel=0.5)


@pytest.mark.parametrize("shape", list(SHAPES))
def test_means_and_covariances_are_derivatives_of_the_normaliser(shape: str) -> None:
    questions = write_questions(DOMAIN, measure_shape(shape), range(len(SHAPES[shape])))
    form = TreeForm(plant_tree(DOMAIN, SHAPES[shape]), questions)
    generator = np.random.default_rng(3)
    theta, direction = generator.normal(0, 0.3, (2, questions.answers))
    point = form.tilt(form.spread(theta))
    ahead, behind = (form.tilt(form.spread(theta + sign * 1e-5 * direction)) for sign in (1, -1))
    assert (ahead.log_z - behind.log_z) / 2e-5 == pytest.approx(float(point.means @ direction), rel=1e-6)
    assert point.multiply(direction) == pytest.approx((ahead.means - behind.means) / 2e-5, rel=1e-4, abs=1e-6)


def test_trees_cover_every_set_and_keep_the_running_intersection() -> None:
    for sets in SHAPES.values():
        tree = plant_tree(DOMAIN, sets)
        assert all(tree.find_clique(columns) is not None for columns in sets)
        assert {name for clique in tree.cliques for name in clique} == set(range(6))
        for place in range(1, len(tree.cliques)):
            earlier = {name for clique in tree.cliques[:place] for name in clique}
            assert set(tree.cliques[place]) & earlier == set(tree.separators[place])


def test_a_hundred_columns_are_fitted_and_far_columns_answered() -> None:
    domain = Domain((3,) * 100)
    family = TinyMarginals(domain, tuple((place, place + 1) for place in range(99)))
    answers = np.array([280, 20, 30, 30, 270, 40, 20, 60, 250])
    fitted = fit_graphical(domain, [Measured(family, group, answers, 25.0) for group in range(99)], 1000.0, 5.0)
    assert fitted.report.converged
    step = fitted.project((10, 11)) / 1000
    chained = step / step.sum(axis=1, keepdims=True)
    later = fitted.project((11, 12)) / fitted.project((11,))[:, None]
    assert fitted.project((10, 12)) == pytest.approx(fitted.project((10,))[:, None] * (chained @ later), abs=1e-6)
    assert fitted.project((0, 99)).sum() == pytest.approx(1000)


@pytest.mark.parametrize("shape", list(SHAPES))
def test_sampled_rows_have_the_fitted_tables_to_within_rounding(shape: str) -> None:
    fitted = fit_graphical(DOMAIN, measure_shape(shape), 2000.0, 4.0)
    rows = fitted.sample(2000, np.random.default_rng(4))
    assert ((rows >= 0) & (rows < np.array(DOMAIN.sizes))).all()
    table = RowTable(DOMAIN, tuple(rows.T))
    for columns in SHAPES[shape]:
        error = np.abs(table.project(columns) - fitted.project(columns)).max()
        assert error < 25, "well below the 40 rows that drawing each row by itself would be off"
    assert fitted.sample(0, np.random.default_rng(4)).shape == (0, 6)


def test_a_tree_too_wide_is_refused_with_sizes() -> None:
    domain = Domain((10,) * 8)
    family = TinyMarginals(domain, list_sets(8, 2)[8:])
    measured = [Measured(family, group, np.zeros(100), 1.0) for group in range(family.groups)]
    with pytest.raises(ParameterError, match=r"100,000,000 cells are more than 4,194,304 in one clique"):
        fit_graphical(domain, measured, 1000.0)


def test_no_measurements_are_uniform() -> None:
    fitted = fit_graphical(DOMAIN, [], 60.0)
    assert fitted.project((1, 3)) == pytest.approx(5)
    assert fitted.report.converged
