"""Estimators: scikit-learn's conventions, declared classes and bounds, and a loss that is the one asked for."""

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from discreet.base.errors import ParameterError
from discreet.learn import (
    HuberRegressor,
    LinearSVC,
    LogisticRegression,
    PoissonRegressor,
    PublicEncoder,
    PublicScaler,
)
from discreet.privacy import GaussianLoss, ZcdpLoss

NOISE = "two fits have different noise"
OWN = "errors are discreet's own, which are ValueErrors"
DATA = "what rows hold never raises: it would tell something about them"
DECLARED = "classes are declared, not learned from rows"
EXPECTED = {
    "check_fit_idempotent": NOISE,
    "check_classifier_data_not_an_array": NOISE,
    "check_regressor_data_not_an_array": NOISE,
    "check_regressors_int": NOISE,
    "check_estimators_unfitted": OWN,
    "check_dtype_object": OWN,
    "check_transformers_unfitted": "it learns nothing, so it needs no fit",
    "check_estimators_empty_data_messages": "no rows are data like any other",
    "check_supervised_y_no_nan": DATA,
    "check_classifiers_regression_target": DATA,
    "check_classifiers_classes": DECLARED,
    "check_classifiers_train": DECLARED,
    "check_supervised_y_2d": "a column is taken as it is, without a warning",
}
CHANCE = {
    "check_classifiers_one_label": "with few rows and noise a declared class without rows may be predicted",
    "check_classifiers_one_label_sample_weights": "with few rows and noise a declared class may be predicted",
}
"""What fails now and then."""

ESTIMATORS: list[Any] = [
    LogisticRegression(bounds=(-10, 10)),
    LinearSVC(bounds=(-10, 10)),
    HuberRegressor(bounds=(-10, 10), target_bounds=(-100, 100)),
    PoissonRegressor(bounds=(-10, 10), target_bounds=(0, 10)),
    PublicScaler(),
]


def list_failures(estimator: Any) -> set[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it need not inherit from scikit-learn's own base
        return {each["check_name"] for each in check_estimator(estimator, on_fail=None) if each["status"] == "failed"}


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [ESTIMATORS[0], ESTIMATORS[-1]], ids=lambda each: type(each).__name__)
def test_scikit_learn_s_own_checks_hold_but_for_those_listed(estimator: Any) -> None:
    assert list_failures(estimator) - set(EXPECTED) - set(CHANCE) == set()


@pytest.mark.long
def test_scikit_learn_s_own_checks_hold_for_all_and_no_reason_is_out_of_date() -> None:
    failures = {type(each).__name__: list_failures(each) for each in ESTIMATORS}
    assert {
        name: failed - {*EXPECTED, *CHANCE} for name, failed in failures.items() if failed - {*EXPECTED, *CHANCE}
    } == {}
    assert {*EXPECTED} - {name for failed in failures.values() for name in failed} == set(), "these hold by now"


def make_rows(rows: int = 5000, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    X = rng.uniform(-1, 1, (rows, 3))  # noqa: N806
    scores = X @ np.array([[2.0, -1.0, 0.5], [-2.0, 0.0, 1.0], [0.0, 2.0, -2.0]])[:, :classes] * 2
    return X, (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)


def test_logistic_regression_learns_and_says_what_it_cost() -> None:
    X, y = make_rows()  # noqa: N806
    model = LogisticRegression(epsilon=1.0, delta=1e-6).fit(X, y)
    assert model.score(X, y) > 0.75
    assert model.coef_.shape == (1, 3)
    assert 0.999 < model.loss_.epsilon(1e-6).high <= 1.0 + 1e-9
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
    assert (model.decision_function(X) > 0).tolist() == (model.predict(X) == 1).tolist()
    assert abs(model.rows_ - 5000) < 500


@pytest.mark.many
@pytest.mark.parametrize("method", ["output", "objective"])
def test_a_noisy_minimum_is_learned_and_says_what_it_cost(method: str) -> None:
    X, y = make_rows()  # noqa: N806
    model = LogisticRegression(epsilon=1.0, delta=1e-6, method=method).fit(X, y)
    assert model.score(X, y) > 0.75
    assert 0.999 < model.loss_.epsilon(1e-6).high <= 1.0 + 1e-9
    assert isinstance(model.loss_, ZcdpLoss if method == "objective" else GaussianLoss)
    assert LinearSVC(epsilon=1.0, method=method, size=5000).fit(X, y).score(X, y) > 0.75
    number = X @ np.array([20.0, 10.0, 0.0]) + 50
    assert HuberRegressor(epsilon=1.0, target_bounds=(0, 100), method=method).fit(X, number).score(X, number) > 0.8
    assert clone(model).method == method
    assert f"method='{method}'" in repr(model)


def test_a_method_without_a_theorem_is_refused() -> None:
    X, y = make_rows(300, classes=3)  # noqa: N806
    with pytest.raises(ParameterError, match="for two classes or a number"):
        LogisticRegression(classes=(0, 1, 2), method="objective").fit(X, y)
    assert LogisticRegression(epsilon=5, classes=(0, 1, 2), method="output").fit(X, y).coef_.shape == (3, 3)
    with pytest.raises(ParameterError, match="descent: a minimum is bounded for logistic, svc and huber"):
        PoissonRegressor(target_bounds=(0, 10), method="output").fit(X, y)
    with pytest.raises(ParameterError, match="method must be one of"):
        LinearSVC(method="newton").fit(X, y)


def test_more_classes_are_multinomial_and_may_have_any_names() -> None:
    X, y = make_rows(classes=3)  # noqa: N806
    names = np.array(["red", "green", "blue"])
    model = LogisticRegression(epsilon=3.0, classes=("red", "green", "blue")).fit(X, names[y])
    assert model.score(X, names[y]) > 0.7
    assert model.predict_proba(X).shape == (5000, 3)
    assert set(model.predict(X)) <= set(names)


def test_the_other_models_learn_too() -> None:
    X, y = make_rows()  # noqa: N806
    assert LinearSVC(epsilon=1.0).fit(X, y).score(X, y) > 0.75
    rng = np.random.default_rng(0)
    number = X @ np.array([20.0, 10.0, 0.0]) + 50
    assert HuberRegressor(epsilon=1.0, target_bounds=(0, 100)).fit(X, number).score(X, number) > 0.9
    count = rng.poisson(np.exp(X[:, 0] + 1))
    found = PoissonRegressor(epsilon=1.0, target_bounds=(0, 10)).fit(X, count).predict(X)
    assert np.corrcoef(found, np.exp(X[:, 0] + 1))[0, 1] > 0.9


def test_labels_that_are_not_declared_teach_nothing() -> None:
    X, y = make_rows()  # noqa: N806
    odd = np.concatenate([y, np.full(5000, 7)])
    model = LogisticRegression(epsilon=1.0).fit(np.vstack([X, -X]), odd)
    assert model.score(X, y) > 0.75


def test_missing_and_infinite_numbers_count_as_public_values() -> None:
    X, y = make_rows()  # noqa: N806
    X[:50] = np.array([np.nan, np.inf, -np.inf])
    model = LogisticRegression(epsilon=1.0).fit(X, y)
    assert np.isfinite(model.coef_).all()
    same = model.decision_function([[np.nan, np.inf, -np.inf], [0.0, 1.0, -1.0]])
    assert same[0] == pytest.approx(same[1])


def test_several_rows_of_one_unit_are_protected_together() -> None:
    X, y = make_rows()  # noqa: N806
    units = np.arange(5000) % 1000
    model = LogisticRegression(epsilon=3.0, max_rows=5).fit(X, y, units=units)
    assert model.score(X, y) > 0.7
    with pytest.raises(ParameterError, match="units"):
        LogisticRegression(max_rows=5).fit(X, y, units=units[:10])
    with pytest.raises(ParameterError, match="how many rows somebody has is private"):
        LogisticRegression().fit(X, y, units=units)
    with pytest.raises(ParameterError, match="floats are rounded"):
        LogisticRegression(max_rows=5).fit(X, y, units=units.astype(float))


def test_one_row_changes_the_type_of_no_other() -> None:
    X, y = make_rows()  # noqa: N806
    odd = [*y.tolist()[:-1], "unknown"]
    assert LogisticRegression(epsilon=1.0).fit(X, odd).score(X, y) > 0.75
    assert LogisticRegression(epsilon=1.0).fit([*X.tolist()[:-1], ["a", None, 10**400]], y).score(X, y) > 0.75
    assert PublicEncoder(values=[[1, 2]]).fit_transform([[1], [2], ["x"]]).tolist() == [[1, 0], [0, 1], [0, 0]]
    number = X @ np.array([20.0, 10.0, 0.0]) + 50
    huber = HuberRegressor(epsilon=1.0, target_bounds=(0, 100)).fit(X, [*number.tolist()[:-1], "many"])
    assert huber.score(X, number) > 0.9


def test_estimators_work_in_pipelines_and_can_be_cloned() -> None:
    rng = np.random.default_rng(1)
    ages, wards = rng.integers(0, 100, 4000), rng.choice(["a", "b", "c"], 4000)
    y = (ages > 50).astype(int)
    scaled = make_pipeline(PublicScaler(bounds=(0, 100)), LogisticRegression(epsilon=1.0)).fit(ages[:, None], y)
    assert scaled.score(ages[:, None], y) > 0.9
    encoder = PublicEncoder(values=[["a", "b"]])
    assert encoder.fit_transform(wards[:, None]).sum() == (wards != "c").sum()
    model = LogisticRegression(epsilon=0.5, bounds=(0, 2))
    assert clone(model).get_params() == model.get_params()
    assert repr(model) == "LogisticRegression(epsilon=0.5, bounds=(0, 2))"
    with pytest.raises(ParameterError, match="depth"):
        model.set_params(depth=3)


def test_what_is_private_must_be_declared() -> None:
    X, y = make_rows(50)  # noqa: N806
    refused: list[Any] = [
        LogisticRegression(classes=None),
        LogisticRegression(classes=(1, 1)),
        LogisticRegression(bounds=None),
        LogisticRegression(bounds=(1, 1)),
        LogisticRegression(bounds=([0, 0], [1, 1])),
        LogisticRegression(delta=None),
        LogisticRegression(epsilon=-1),
        LinearSVC(classes=(0, 1, 2)),
        HuberRegressor(target_bounds=None),
        PoissonRegressor(target_bounds=(1, 5)),
    ]
    for model in refused:
        with pytest.raises(ParameterError):
            model.fit(X, y)
        assert not hasattr(model, "coef_")
