"""Estimators of bounded sums: scikit-learn's conventions, declared bounds and classes, and the loss asked for."""

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from discreet.base.errors import ParameterError
from discreet.learn import PCA, GaussianNB, KMeans, LinearRegression, LogisticRegression, Ridge, StumpsClassifier
from discreet.learn.estimators.moment_estimator import MomentEstimator

RNG = np.random.default_rng(3)
X = RNG.uniform(-1, 1, (4000, 3))
TARGET = np.clip(X @ [3.0, -2.0, 0.0] + 5 + RNG.normal(0, 0.3, 4000), 0, 10)
CLASSES = np.where(X @ [2.0, -1.0, 0.0] + RNG.normal(0, 0.3, 4000) > 0, "yes", "no")
NAMED = ("no", "yes")
EVERY: list[tuple[MomentEstimator, Any]] = [
    (LinearRegression(target_bounds=(0, 10)), TARGET),
    (Ridge(target_bounds=(0, 10), alpha=2.0), TARGET),
    (GaussianNB(classes=NAMED), CLASSES),
    (StumpsClassifier(classes=NAMED, bins=8), CLASSES),
    (PCA(2), None),
    (KMeans(3), None),
]
each_kind = pytest.mark.parametrize(("estimator", "y"), EVERY, ids=[type(each).__name__ for each, _ in EVERY])
NOISE = "two fits have different noise"
DATA = "what rows hold never raises: it would tell something about them"
EXPECTED = {
    "check_fit_idempotent": NOISE,
    "check_regressor_data_not_an_array": NOISE,
    "check_classifier_data_not_an_array": NOISE,
    "check_regressors_int": NOISE,
    "check_estimators_unfitted": "errors are discreet's own, which are ValueErrors",
    "check_dtype_object": "errors are discreet's own, which are ValueErrors",
    "check_estimators_empty_data_messages": "no rows are data like any other",
    "check_supervised_y_no_nan": DATA,
    "check_classifiers_regression_target": DATA,
    "check_classifiers_classes": "classes are declared, not learned from rows",
    "check_classifiers_one_label": "with few rows and noise a declared class without rows may be predicted",
    "check_classifiers_train": "classes are declared, not learned from rows",
    "check_supervised_y_2d": "a column is taken as it is, without a warning",
}


@pytest.mark.parametrize("estimator", [LinearRegression(bounds=(-10, 10)), GaussianNB(bounds=(-10, 10))])
def test_scikit_learn_s_own_checks_hold_but_for_those_listed(estimator: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it need not inherit from scikit-learn's own base
        found = {each["check_name"] for each in check_estimator(estimator, on_fail=None) if each["status"] == "failed"}
    assert found - set(EXPECTED) == set()


@each_kind
def test_what_is_fitted_has_the_loss_that_was_asked_for(estimator: MomentEstimator, y: Any) -> None:
    model = clone(estimator).set_params(epsilon=0.7, delta=1e-5)
    model.fit(X[:200], None if y is None else y[:200])
    assert 0.699 < model.loss_.epsilon(1e-5).high <= 0.7 + 1e-9
    assert model.n_features_in_ == 3


def test_regressions_find_slopes_in_the_units_of_the_data_with_errors_about_right() -> None:
    model = LinearRegression(epsilon=3.0, bounds=([-1, -2, 0], [1, 3, 5]), target_bounds=(0, 10)).fit(X, TARGET)
    assert model.score(X, TARGET) > 0.9
    assert np.abs(model.coef_[:2] - [3, -2]).max() < 1
    assert (np.abs(model.coef_[:2] - [3, -2]) < 5 * model.coef_errors_[:2]).all()
    assert model.rows_ == pytest.approx(4000, abs=300)
    shrunk = Ridge(epsilon=3.0, alpha=4000.0, target_bounds=(0, 10)).fit(X, TARGET)
    assert np.abs(shrunk.coef_).sum() < np.abs(model.coef_[:2]).sum()


@pytest.mark.parametrize("estimator", [GaussianNB(classes=NAMED), StumpsClassifier(classes=NAMED, bins=8)])
def test_classifiers_predict_declared_classes_with_probabilities(estimator: Any) -> None:
    model = clone(estimator).set_params(epsilon=3.0).fit(X, CLASSES)
    assert model.score(X, CLASSES) > 0.85
    assert set(model.predict(X)) == {"no", "yes"}
    assert np.abs(model.predict_proba(X).sum(axis=1) - 1).max() < 1e-9


def test_components_and_clusters_take_new_rows() -> None:
    spread = np.column_stack([X[:, 0], X[:, 0] * 0.9 + 0.05 * X[:, 1], 0.1 * X[:, 2]])
    model = PCA(1, epsilon=3.0).fit(spread)
    assert model.explained_variance_ratio_[0] > 0.9
    assert abs(np.corrcoef(model.transform(spread)[:, 0], X[:, 0])[0, 1]) > 0.98
    blobs = np.where(X[:, :1] > 0, 40.0, 10.0) + X
    clusters = KMeans(2, epsilon=3.0, bounds=(0, 50)).fit(blobs)
    assert sorted(clusters.cluster_centers_[:, 0]) == pytest.approx([10, 40], abs=2)
    assert len(set(clusters.predict(blobs[X[:, 0] > 0]))) == 1


def test_components_stand_in_a_pipeline() -> None:
    model = make_pipeline(PCA(3, epsilon=3.0), LogisticRegression(epsilon=3.0, classes=NAMED))
    assert model.fit(X, CLASSES).score(X, CLASSES) > 0.85


@each_kind
def test_rows_of_any_content_are_learned_from(estimator: MomentEstimator, y: Any) -> None:
    wild = X[:50].copy()
    wild[0], wild[1], wild[2] = np.nan, np.inf, -1e308
    for rows in (50, 0):
        fitted = clone(estimator).fit(wild[:rows], None if y is None else y[:rows])
        assert fitted.loss_.epsilon(1e-6).high <= estimator.epsilon * (1 + 1e-9)
        found = fitted.transform(wild) if isinstance(fitted, PCA) else fitted.predict(wild)
        assert len(found) == 50


@each_kind
def test_several_rows_of_a_unit_need_a_declared_number(estimator: MomentEstimator, y: Any) -> None:
    rows = None if y is None else y[:100]
    with pytest.raises(ParameterError, match="max_rows"):
        clone(estimator).fit(X[:100], rows, units=np.arange(100) // 5)
    clone(estimator).set_params(max_rows=3).fit(X[:100], rows, units=np.arange(100) // 5)


def test_noise_follows_from_the_declared_number_of_rows_and_not_from_the_units() -> None:
    """The noise of components says how it was scaled: the same for units of any size."""
    sizes = [np.arange(200), np.arange(200) // 10, np.zeros(200, dtype=int)]
    noises = []
    for units in sizes:
        fitted = PCA(1, epsilon=3.0, max_rows=4).fit(X[:200], units=units).fitted_
        noises.append(fitted.noise * fitted.rows)
    assert max(noises) == pytest.approx(min(noises))


@each_kind
def test_what_is_not_fitted_or_declared_is_refused_plainly(estimator: Any, y: Any) -> None:
    with pytest.raises(ParameterError, match="fitted first"):
        clone(estimator).transform(X) if isinstance(estimator, PCA) else clone(estimator).predict(X)
    with pytest.raises(ParameterError, match="bounds"):
        clone(estimator).set_params(bounds=(1, 1)).fit(X, y)
    if "classes" in estimator.get_params():
        with pytest.raises(ParameterError, match="classes"):
            clone(estimator).set_params(classes=("yes",)).fit(X, y)


def test_stumps_are_of_two_classes() -> None:
    with pytest.raises(ParameterError, match="two"):
        StumpsClassifier(classes=("a", "b", "c")).fit(X, CLASSES)
