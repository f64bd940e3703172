"""Models of a private table: charged once, recorded, resumed after a kill, refused before a charge."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.door.test_wings import die, kill_in_child, kinds
from discreet.base.errors import BudgetError, DiscreetError
from discreet.learn import fit
from discreet.learn.descent import STEPS
from discreet.learn.from_table import prepare_training
from discreet.learn.source import DeskSource
from support.clinic import Visit, open_clinic
from support.learning import ROWS, TABLE


def test_a_model_is_charged_once_recorded_and_free_again(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=20.0) as curator:
        how: dict[str, Any] = {"target": "cost > 1100", "features": ["age", "ward"], "epsilon": 3}
        model = fit(curator, "logistic", "visits", **how)
        assert model.receipt is not None
        assert model.receipt.paid == "charged"
        assert model.receipt.charge.epsilon == math.inf
        assert model.receipt.charge.delta == 0
        truth = np.array([cost > 1100 for _, _, cost, _ in ROWS if cost is not None])
        assert np.mean(model.predict(TABLE) == truth) > 0.85
        assert [name for name, _ in model.list_coefficients()] == [
            "age",
            "ward = NULL",
            "ward = north",
            "ward = south",
            "ward = icu",
            "ward = other",
            "intercept",
        ]
        again = fit(curator, "logistic", "visits", **how)
        assert again.receipt is not None
        assert again.receipt.paid == "free"
        assert again.weights.tolist() == model.weights.tolist()
        for other in ({"features": ["age"]}, {"target": "cost > 1000"}, {"bins": {"age": 10}}, {"fresh": True}):
            changed = fit(curator, "logistic", "visits", **(how | other))
            assert changed.receipt is not None
            assert changed.receipt.paid == "charged"
        assert curator.ledger.verify().ok


@pytest.mark.many
@pytest.mark.parametrize(
    ("model", "target", "features"),
    [
        ("logistic", "ward", ["age", "cost"]),
        ("logistic", "age > 50", None),
        ("svc", "cost > 1000", ["age / 2 AS half", "age > 60"]),
        ("huber", "cost", ["age", "day"]),
        ("poisson", "quantity", ["age", "ward"]),
    ],
    ids=str,
)
def test_every_kind_learns_from_columns_and_expressions(
    tmp_path: Path, model: str, target: str, features: list[str] | None
) -> None:
    with open_clinic(tmp_path, ROWS) as curator:
        found = fit(curator, model, "visits", target=target, features=features, epsilon=1)
        assert np.isfinite(found.weights).all()
        assert found.weights.shape[0] == len(found.weight_names)
        assert target not in [column.name for column in found.columns]
        assert abs(found.rows - 3000) < 1000


def test_a_target_s_own_columns_are_no_features_unless_named(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        session = curator.session()
        left = prepare_training(session, "logistic", "visits", target="cost > age", epsilon=1)
        assert [column.name for column in left.subject.columns] == ["ward", "quantity", "day"]
        named = prepare_training(session, "logistic", "visits", target="cost > 5", features=["cost"], epsilon=1)
        assert [column.name for column in named.subject.columns] == ["cost"]


def test_a_run_killed_anywhere_goes_on_from_its_journal_and_is_paid_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_clinic(tmp_path, ROWS).close()
    how: dict[str, Any] = {"target": "cost > 1100", "features": ["age"], "epsilon": 1}

    def run_until(calls: int) -> None:
        plain, counted = DeskSource.draw_gradients, [0]

        def draw(self: DeskSource, *rest: Any) -> Any:
            counted[0] += 1
            if counted[0] > calls:
                die()
            return plain(self, *rest)

        monkeypatch.setattr(DeskSource, "draw_gradients", draw)
        with open_clinic(tmp_path, ROWS) as curator:
            fit(curator, "logistic", "visits", **how)

    seen: list[list[str]] = []
    for calls in (3, 7):
        kill_in_child(lambda calls=calls: run_until(calls))  # type: ignore[misc]
        with open_clinic(tmp_path, ROWS) as curator:
            seen.append([repr(entry) for entry in curator.ledger.entries() if entry.kind == "MEASURE"])
            assert curator.ledger.spent().spent[1] > 0
    assert [len(each) for each in seen] == [4, 8]
    assert seen[1][:4] == seen[0]
    with open_clinic(tmp_path, ROWS) as curator:
        assert kinds(curator).count("CHARGE") == 1


def test_an_uninterrupted_run_draws_once_for_its_rows_and_once_for_each_step(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS) as curator:
        fit(curator, "logistic", "visits", target="cost > 1100", features=["age"], epsilon=1)
        assert kinds(curator).count("MEASURE") == STEPS + 1


def test_whatever_a_row_holds_a_model_is_learned(tmp_path: Path) -> None:
    odd: list[Visit] = [
        (1, None, math.nan, None),
        (2, 500, math.inf, "west"),
        (3, -7, None, "north"),
        (4, 3, -1e308, "icu"),
    ]
    for rows in (odd, odd[:1], []):
        folder = tmp_path / str(len(rows))
        folder.mkdir()
        with open_clinic(folder, rows) as curator:
            for model, target in (("logistic", "ward"), ("huber", "cost"), ("poisson", "age")):
                features = [name for name in ("age", "cost", "ward") if name != target]
                found = fit(curator, model, "visits", target=target, features=features, epsilon=0.1)
                assert np.isfinite(found.weights).all()


@pytest.mark.many
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"model": "forest"},
            "model must be one of logistic, svc, huber, poisson, linear, ridge, pca",
        ),
        ({"epsilon": None}, "epsilon must be given"),
        ({"epsilon": 0}, "epsilon must be"),
        ({"delta": 2.0}, "delta must be"),
        ({"target": "nothing > 1"}, "nothing"),
        ({"target": "doctor"}, "a column with a public list of values"),
        ({"target": "age"}, "a column with a public list of values"),
        ({"target": "ward", "model": "svc"}, "one of two classes"),
        ({"target": "ward", "model": "huber"}, "target must be a number: this model predicts numbers"),
        ({"target": "doctor * 2", "model": "huber"}, "^target must be a column or an expression with public bounds"),
        ({"target": 3}, "target must be text"),
        ({"target": " "}, "target must be text"),
        ({"features": [3]}, "a list of columns"),
        ({"features": [""]}, "a list of columns"),
        ({"features": ["ward"], "bins": {"ward": 3}}, "bins must be for numbers with bounds"),
        ({"target": "age > 3", "model": "huber"}, "a number, not a condition"),
        ({"target": "age - 10", "model": "poisson"}, "its lower bound must be 0 or more"),
        ({"features": []}, "a list of columns"),
        ({"features": "age"}, "a list of columns"),
        ({"features": ["age", "age"]}, "each once"),
        ({"features": ["patient_id"]}, "says whose row it is"),
        ({"features": ["doctor"]}, "say in the policy what doctor holds"),
        ({"features": ["nothing * 2"]}, "features must be"),
        ({"features": ["age) AS a, (cost"]}, "this is not SQL"),
        ({"features": ["COUNT(*)"]}, "features must be"),
        ({"bins": {"nothing": 3}}, "columns of the table"),
        ({"bins": {"age": 0}}, "bins must be at least 1"),
        ({"max_rows": 0}, "max_rows"),
        ({"epsilon": 50}, "does not fit into what is left"),
        ({"epsilon": 1e-9}, "more noise than can be drawn"),
        ({"target": "age = $value0", "features": ["ward"]}, "has a parameter; write its value"),
        ({"features": ["age + $n"]}, "has a parameter; write its value"),
    ],
    ids=str,
)
def test_what_cannot_be_learned_is_refused_and_nothing_is_charged(
    tmp_path: Path, given: dict[str, Any], said: str
) -> None:
    with open_clinic(tmp_path) as curator:
        how: dict[str, Any] = {"model": "logistic", "target": "cost > 10", "features": ["age"], "epsilon": 1} | given
        with pytest.raises(DiscreetError, match=said):
            fit(curator, how.pop("model"), "visits", **how)
        assert kinds(curator) == ["CREATE"]


def test_one_person_s_rows_must_not_decide_how_long_it_takes(tmp_path: Path) -> None:
    with open_clinic(tmp_path, limits="max_rows = 20000") as curator:
        how: dict[str, Any] = {"target": "ward", "features": ["age"], "epsilon": 1}
        with pytest.raises(DiscreetError, match="time would tell whether it is there; keep at most"):
            fit(curator, "logistic", "visits", **how)
        assert kinds(curator) == ["CREATE"]
        assert fit(curator, "logistic", "visits", max_rows=100, **how).receipt is not None


def test_a_row_with_a_nan_counts_with_the_middle_of_its_bounds(tmp_path: Path) -> None:
    rows: list[Visit] = [(number, 50, math.nan if number % 2 else 100.0, "icu") for number in range(4000)]
    with open_clinic(tmp_path, rows, limits="max_rows = 1") as curator:
        found = fit(curator, "logistic", "visits", target="age > 20", features=["cost"], epsilon=2)
        assert abs(found.rows - 4000) < 500


def test_a_policy_without_delta_has_none_for_learning(tmp_path: Path) -> None:
    with open_clinic(tmp_path, delta=0) as curator:
        for how in ({"epsilon": 1}, {"epsilon": 1, "delta": 1e-9}, {"rho": 0.01}):
            with pytest.raises(DiscreetError, match=r"the policy has no delta for it: its owner writes delta"):
                fit(curator, "logistic", "visits", target="ward", features=["age"], **how)
        assert kinds(curator) == ["CREATE"]


def test_an_analyst_pays_from_their_own_cap(tmp_path: Path) -> None:
    with open_clinic(tmp_path, analysts=True, analyst="bob") as curator:
        how: dict[str, Any] = {"target": "ward", "features": ["age"]}
        fit(curator, "logistic", "visits", epsilon=0.3, **how)
        with pytest.raises(BudgetError):
            fit(curator, "logistic", "visits", epsilon=0.49, **how)
