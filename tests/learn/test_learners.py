"""Models from sums over a private table: charged once, exact with little noise, resumed, refused before a charge."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB

from curator.door.test_wings import die, kill_in_child, kinds
from discreet.base.errors import DiscreetError, OperationError
from discreet.base.grid import Floats
from discreet.curator.door.desk import Desk
from discreet.curator.door.meter import ChargeMeter
from discreet.engines.result import ExactRows
from discreet.learn import fit
from discreet.learn.from_table import prepare_training
from discreet.learn.models.model import Model
from discreet.learn.rehearsal import Rehearsal
from discreet.learn.source import DeskSource
from discreet.learn.training import Training
from discreet.query.work import MOST_TIME
from support.clinic import Visit, open_clinic
from support.desks import Pages, hold_by, never
from support.learning import DRAWS, ROWS, SUMS, TABLE

LAVISH: dict[str, Any] = {"rho": 500_000}
AGE = np.array([row[1] for row in ROWS], dtype=np.float64)
COST = np.clip([row[2] for row in ROWS], 0, 5000)
WARD = np.array([row[3] for row in ROWS])
QUANTITY = np.asarray(TABLE["quantity"], dtype=np.float64)
each_kind = pytest.mark.parametrize("kind", SUMS)


def learn_lavishly(folder: Path, kind: str, rows: list[Visit] = ROWS, **other: Any) -> Any:
    with open_clinic(folder, rows, epsilon=1e12) as curator:
        return fit(curator, kind, "visits", **(LAVISH | SUMS[kind] | other))


def prepare(folder: Path, kind: str, how: dict[str, Any], **policy: Any) -> Training:
    """Return the operation that learns a kind at epsilon 1."""
    given = {name: how[name] for name in ("target", "features") if name in how}
    settings = {name: value for name, value in how.items() if name not in given}
    with open_clinic(folder, ROWS, **policy) as curator:
        return prepare_training(curator.session(), kind, "visits", epsilon=1, settings=settings, **given)


@pytest.mark.many
@each_kind
def test_a_model_is_charged_once_recorded_and_free_again(tmp_path: Path, kind: str) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=20.0) as curator:
        model = fit(curator, kind, "visits", epsilon=1, **SUMS[kind])
        assert isinstance(model, Model)
        assert model.receipt is not None
        assert model.receipt.paid == "charged"
        assert model.receipt.charge.delta == 0
        assert abs(model.rows - 3000) < 1000
        assert kinds(curator).count("MEASURE") == DRAWS[kind]
        again = fit(curator, kind, "visits", epsilon=1, **SUMS[kind])
        assert again.receipt.paid == "free"
        assert again.describe() == model.describe()
        assert fit(curator, kind, "visits", epsilon=1, fresh=True, **SUMS[kind]).describe() != model.describe()
        assert curator.ledger.verify().ok


@pytest.mark.parametrize(
    ("kind", "other"),
    [
        ("ridge", {"alpha": 51.0}),
        ("pca", {"components": 2}),
        ("kmeans", {"clusters": 4}),
        ("stumps", {"bins": {"age": 5}}),
    ],
    ids=str,
)
def test_other_settings_are_another_model(tmp_path: Path, kind: str, other: dict[str, Any]) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=20.0) as curator:
        fit(curator, kind, "visits", epsilon=1, **SUMS[kind])
        assert fit(curator, kind, "visits", epsilon=1, **(SUMS[kind] | other)).receipt.paid == "charged"


@pytest.mark.many
@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@each_kind
def test_the_meter_counts_what_was_declared_and_no_less(tmp_path: Path, kind: str, neighbours: str) -> None:
    training = prepare(tmp_path, kind, SUMS[kind], neighbours=neighbours)
    points = np.zeros((20, len(training.plan.columns)), dtype=np.int64)
    rows = ExactRows(points, np.arange(21))

    def run(share: Fraction) -> bytes:
        charge = replace(training.charge, rho=training.charge.rho * share)
        return training.run(Desk(training.plans(), ChargeMeter(charge), Pages(), never, hold_by(lambda _: rows)))

    assert isinstance(training.finish(run(Fraction(1))), Model)
    with pytest.raises(OperationError, match="declare all that it draws"):
        run(Fraction(9999, 10000))


def test_with_hardly_any_noise_a_regression_is_least_squares(tmp_path: Path) -> None:
    model = learn_lavishly(tmp_path, "linear", features=["age", "quantity"])
    expected = LinearRegression().fit(np.column_stack([AGE, QUANTITY]), COST)
    found = dict(model.list_coefficients())
    assert found["age"][0] == pytest.approx(expected.coef_[0], rel=0.01)
    assert found["quantity"][0] == pytest.approx(expected.coef_[1], abs=2)
    assert found["intercept"][0] == pytest.approx(expected.intercept_, abs=15)
    predicted = expected.predict(np.column_stack([AGE, QUANTITY]))
    assert np.abs(model.predict(TABLE) - np.clip(predicted, 0, 5000)).max() < 15
    for (low, high), truth in zip(model.find_intervals(0.9999), [20, 0, 0], strict=True):
        assert low < truth < high or truth == 0


def test_with_hardly_any_noise_a_ridge_is_a_ridge_of_scaled_features(tmp_path: Path) -> None:
    scaled = np.column_stack([AGE / 55 - 1, QUANTITY / 4.5 - 1])
    model = learn_lavishly(tmp_path, "ridge", alpha=500.0)
    expected = Ridge(alpha=500.0).fit(scaled, COST / 2500 - 1)
    assert model.weights[:, 0] == pytest.approx([*expected.coef_, expected.intercept_], abs=0.01)
    assert np.abs(model.predict(TABLE) - 2500 * (expected.predict(scaled) + 1)).max() < 30


def encode_ward() -> Floats:
    return np.column_stack([name == WARD for name in ("", "north", "south", "icu", "-")]).astype(np.float64)


def test_with_hardly_any_noise_components_are_those_of_the_rows(tmp_path: Path) -> None:
    model = learn_lavishly(tmp_path, "pca")
    scaled = np.column_stack([AGE / 55 - 1, COST / 2500 - 1, encode_ward()])
    expected = PCA(3).fit(scaled)
    assert model.shares == pytest.approx(expected.explained_variance_ratio_, abs=2e-3)
    assert model.unscale(model.mean)[:2] == pytest.approx([AGE.mean(), COST.mean()], rel=0.01)
    found = model.transform(TABLE)
    for at in range(3):
        assert abs(np.corrcoef(found[:, at], expected.transform(scaled)[:, at])[0, 1]) > 0.99


def test_with_hardly_any_noise_clusters_are_as_close_to_the_rows_as_others(tmp_path: Path) -> None:
    model = learn_lavishly(tmp_path, "kmeans")
    scaled = np.column_stack([AGE / 55 - 1, COST / 2500 - 1, encode_ward()])
    expected = KMeans(3, n_init=5, random_state=0).fit(scaled)
    own = ((scaled - model.centres[model.predict(TABLE)]) ** 2).sum()
    assert own < 1.1 * expected.inertia_
    assert sorted(model.sizes) == pytest.approx(sorted(np.bincount(model.predict(TABLE))), rel=0.05)
    heads, rows = model.tabulate()
    assert len(heads) == 3
    assert 30 < dict(rows)["age"][0] < 80


def test_with_hardly_any_noise_naive_bayes_is_that_of_the_rows(tmp_path: Path) -> None:
    model = learn_lavishly(tmp_path, "bayes", features=["age", "cost"])
    expected = GaussianNB().fit(np.column_stack([AGE, COST]), WARD)
    order = [list(expected.classes_).index(name) for name in model.classes]
    assert model.shares == pytest.approx(expected.class_prior_[order], abs=1e-3)
    assert model.unscale(model.means) == pytest.approx(expected.theta_[order], rel=0.02)
    assert (model.deviations * model.halves) ** 2 == pytest.approx(expected.var_[order], rel=0.03)
    probabilities = expected.predict_proba(np.column_stack([AGE, COST]))[:, order]
    assert np.abs(model.predict_probabilities(TABLE) - probabilities).max() < 0.03
    assert set(model.predict(TABLE)) <= {"north", "south", "icu"}


def test_with_hardly_any_noise_steps_follow_the_log_odds(tmp_path: Path) -> None:
    model = learn_lavishly(tmp_path, "stumps", features=["age", "ward"], bins={"age": 11})
    truth = np.array([row[2] for row in ROWS]) > 1100
    assert np.mean(model.predict(TABLE) == truth) > 0.9
    bins = np.clip(AGE // 10, 0, 10).astype(int)
    shares = np.array([truth[bins == each].mean() for each in range(10)])
    (_, part), _ = model.places
    chances = model.predict_probabilities(TABLE)[:, 1]
    assert np.abs([chances[bins == each].mean() - shares[each] for each in range(10)]).max() < 0.05
    assert model.steps[part][1] < -2 < 2 < model.steps[part][-1]
    assert [model.columns[at].name for at, _ in model.rank_columns()] == ["age", "ward"]


@pytest.mark.many
@pytest.mark.parametrize("kind", ["linear", "kmeans", "stumps"])
def test_a_run_that_was_killed_goes_on_from_its_journal_and_is_paid_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    open_clinic(tmp_path, ROWS).close()

    def run_until(calls: int) -> None:
        counted = [0]
        for name in ("draw_gradients", "draw_moments"):
            plain = getattr(DeskSource, name)

            def draw(self: DeskSource, *rest: Any, plain: Any = plain) -> Any:
                counted[0] += 1
                return die() if counted[0] > calls else plain(self, *rest)

            monkeypatch.setattr(DeskSource, name, draw)
        with open_clinic(tmp_path, ROWS) as curator:
            fit(curator, kind, "visits", epsilon=1, **SUMS[kind])

    kill_in_child(lambda: run_until(4))
    with open_clinic(tmp_path, ROWS) as curator:
        seen = [repr(entry) for entry in curator.ledger.entries() if entry.kind == "MEASURE"]
        assert len(seen) == 4
        model = fit(curator, kind, "visits", epsilon=1, **SUMS[kind])
        drawn = [repr(entry) for entry in curator.ledger.entries() if entry.kind == "MEASURE"]
        assert drawn[:4] == seen
        assert len(drawn) == DRAWS[kind]
        assert kinds(curator).count("CHARGE") == 1
        assert math.isclose(float(curator.ledger.spent().spent[1]), float(model.receipt.charge.rho), rel_tol=1e-9)


@pytest.mark.many
@each_kind
def test_whatever_a_row_holds_a_model_is_learned(tmp_path: Path, kind: str) -> None:
    odd: list[Visit] = [
        (1, None, math.nan, None),
        (2, 500, math.inf, "west"),
        (3, -7, None, "north"),
        (4, 3, -1e308, "icu"),
    ]
    for rows in (odd, []):
        with open_clinic(tmp_path / str(len(rows)), rows) as curator:
            model = fit(curator, kind, "visits", epsilon=0.1, **SUMS[kind])
            numbers = [value for _, values in model.tabulate().rows for value in values]
            assert np.isfinite(numbers[:-2]).all()
            found = model.transform(TABLE) if kind == "pca" else model.predict(TABLE)
            assert len(found) == 3000


@pytest.mark.many
@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        ("linear", {"target": None}, "target must be given: what linear is to predict"),
        ("bayes", {"target": None}, "target must be given"),
        ("pca", {"target": "age"}, "target must be left out: pca predicts nothing"),
        ("kmeans", {"target": "age > 3"}, "target must be left out: kmeans predicts nothing"),
        ("linear", {"target": "age > 3"}, "a number, not a condition"),
        ("ridge", {"target": "ward"}, "target|number"),
        ("bayes", {"target": "age"}, "a column with a public list of values"),
        ("stumps", {"target": "ward", "features": ["age"]}, "one of two classes for stumps"),
        ("linear", {"alpha": 1.0}, "alpha must be left out: linear has no settings"),
        ("kmeans", {"components": 3}, "components must be left out: kmeans takes clusters"),
        ("pca", {"seed": 3}, "seed must be left out: pca takes components"),
        ("ridge", {"alpha": -1.0}, "alpha must be"),
        ("ridge", {"alpha": math.nan}, "alpha must be"),
        ("pca", {"components": 0}, "components must be"),
        ("pca", {"components": 8}, "components must be at most 7 for these features"),
        ("kmeans", {"clusters": 0}, "clusters must be"),
        ("kmeans", {"clusters": 2000}, "clusters must be"),
        ("kmeans", {"clusters": 2.5}, "clusters must be"),
        ("stumps", {"bins": {"nothing": 3}}, "bins must be columns of the table, or names of features"),
        ("stumps", {"bins": {"half": 0}}, "bins must be at least 1"),
        ("stumps", {"features": ["doctor"]}, "say in the policy what doctor holds"),
        ("stumps", {"features": ["age) AS a, (cost"]}, "this is not SQL"),
        ("bayes", {"features": ["patient_id"]}, "says whose row it is"),
        ("pca", {"features": []}, "a list of columns"),
        ("linear", {"epsilon": 1e-9}, "more noise than can be drawn"),
        ("stumps", {"epsilon": 1e-9}, "more noise than can be drawn"),
        ("kmeans", {"epsilon": 50}, "does not fit into what is left"),
    ],
    ids=str,
)
def test_what_cannot_be_learned_is_refused_and_nothing_is_charged(
    tmp_path: Path, kind: str, given: dict[str, Any], said: str
) -> None:
    with open_clinic(tmp_path) as curator:
        with pytest.raises(DiscreetError, match=said):
            fit(curator, kind, "visits", **({"epsilon": 1} | SUMS[kind] | given))
        assert kinds(curator) == ["CREATE"]


@each_kind
def test_one_person_s_rows_must_not_decide_how_long_it_takes(tmp_path: Path, kind: str) -> None:
    with open_clinic(tmp_path, limits="max_rows = 100000") as curator:
        with pytest.raises(DiscreetError, match=r"time( and memory)? would tell whether it is there"):
            fit(curator, kind, "visits", epsilon=1, **SUMS[kind])
        assert kinds(curator) == ["CREATE"]


def test_all_rounds_count_for_how_long_a_person_s_rows_take(tmp_path: Path) -> None:
    how: dict[str, Any] = {"target": "cost > 500", "features": ["age"], "epsilon": 1}
    with open_clinic(tmp_path / "few") as curator:
        training = prepare_training(curator.session(), "stumps", "visits", **how)
        source = Rehearsal(training.plan)
        training.learner.measure(source, training.subject, training.encoding, training.allowance)
    most = MOST_TIME // source.row_time
    with open_clinic(tmp_path / "many", limits=f"max_rows = {most + 1}") as curator:
        with pytest.raises(DiscreetError, match=f"keep at most {most:,} rows"):
            fit(curator, "stumps", "visits", **how)
        assert kinds(curator) == ["CREATE"]
        prepare_training(curator.session(), "stumps", "visits", max_rows=most, **how)


def test_without_a_list_all_columns_with_public_facts_are_features(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        found = prepare_training(curator.session(), "pca", "visits", epsilon=1)
        assert [column.name for column in found.subject.columns] == ["age", "cost", "ward", "quantity", "day"]
