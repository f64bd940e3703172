"""Noisy minima of a private table: one charge, one record, resumed after a kill, and refused before a charge."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.door.test_wings import die, kill_in_child, kinds
from discreet.base.errors import DiscreetError, OperationError
from discreet.curator.door.desk import Desk
from discreet.curator.door.meter import ChargeMeter
from discreet.engines.result import ExactRows
from discreet.learn import fit, load_model
from discreet.learn.from_table import prepare_training
from discreet.learn.models.linear_model import LinearModel
from discreet.learn.perturbation import METHODS
from discreet.learn.report.page import render_learning_page
from discreet.learn.source import DeskSource
from discreet.privacy import ZcdpLoss
from support.clinic import Visit, open_clinic
from support.desks import Pages, hold_by, never
from support.learning import ROWS, TABLE

HOW: dict[str, Any] = {"target": "cost > 1100", "features": ["age", "ward"], "epsilon": 3}
TRUTH = np.array([cost > 1100 for _, _, cost, _ in ROWS if cost is not None])
each_method = pytest.mark.parametrize("method", METHODS)


@pytest.mark.many
@each_method
def test_a_model_is_charged_once_recorded_and_free_again(tmp_path: Path, method: str) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=20.0) as curator:
        model = fit(curator, "logistic", "visits", method=method, **HOW)
        assert isinstance(model, LinearModel)
        assert model.receipt is not None
        assert model.receipt.paid == "charged"
        assert np.mean(model.predict(TABLE) == TRUTH) > 0.8
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE", "MEASURE", "RECORD"], "a count, and a minimum"
        again = fit(curator, "logistic", "visits", method=method, **HOW)
        assert again.receipt.paid == "free"
        assert again.weights.tolist() == model.weights.tolist()
        others: list[dict[str, Any]] = [{"method": each} for each in ("descent", *METHODS) if each != method]
        for other in [*others, {"features": ["age"]}, {"fresh": True}]:
            assert fit(curator, "logistic", "visits", **(HOW | {"method": method} | other)).receipt.paid == "charged"
        assert curator.ledger.verify().ok


def test_descent_is_what_nobody_has_to_name(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS) as curator:
        fit(curator, "logistic", "visits", **(HOW | {"epsilon": 0.5}))
        assert fit(curator, "logistic", "visits", method="descent", **(HOW | {"epsilon": 0.5})).receipt.paid == "free"


@each_method
@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_the_meter_counts_what_was_declared_and_hardly_less(tmp_path: Path, method: str, neighbours: str) -> None:
    with open_clinic(tmp_path, neighbours=neighbours) as curator:
        given = {name: HOW[name] for name in ("target", "features")}
        training = prepare_training(
            curator.session(), "logistic", "visits", epsilon=1, settings={"method": method}, **given
        )
    rows = ExactRows(np.zeros((20, len(training.plan.columns)), dtype=np.int64), np.arange(21))

    def run(share: Fraction) -> bytes:
        charge = replace(training.charge, rho=training.charge.rho * share)
        return training.run(Desk(training.plans(), ChargeMeter(charge), Pages(), never, hold_by(lambda _: rows)))

    assert isinstance(training.finish(run(Fraction(1))), LinearModel)
    with pytest.raises(OperationError, match="declare all that it draws"):
        run(Fraction(99, 100))


def test_an_epsilon_is_charged_as_the_rho_whose_zcdp_implies_it(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS) as curator:
        delta = float(curator.session().question_delta)
        how = HOW | {"epsilon": 0.5}
        found = {each: fit(curator, "logistic", "visits", method=each, **how).receipt.charge for each in METHODS}
        assert found["objective"].epsilon == math.inf
        assert found["objective"].rho < found["output"].rho
        assert ZcdpLoss(found["objective"].rho).epsilon(delta).high <= 0.5 + 1e-9
        assert ZcdpLoss(found["output"].rho).epsilon(delta).high > 0.5


@pytest.mark.many
@pytest.mark.parametrize(
    ("model", "target", "method"),
    [
        ("logistic", "ward", "output"),
        ("svc", "cost > 1000", "objective"),
        ("svc", "cost > 1000", "output"),
        ("huber", "cost", "objective"),
        ("huber", "cost", "output"),
    ],
)
def test_every_kind_with_a_convex_and_smooth_loss_learns(tmp_path: Path, model: str, target: str, method: str) -> None:
    with open_clinic(tmp_path, ROWS) as curator:
        found = fit(curator, model, "visits", target=target, features=["age", "quantity"], epsilon=1, method=method)
        assert np.isfinite(found.weights).all()
        assert found.settings["method"] == method


def test_a_run_that_was_killed_before_its_minimum_goes_on_and_is_paid_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_clinic(tmp_path, ROWS).close()
    how = HOW | {"epsilon": 1, "method": "objective"}

    def run() -> None:
        monkeypatch.setattr(DeskSource, "draw_minimum", lambda *_: die())
        with open_clinic(tmp_path, ROWS) as curator:
            fit(curator, "logistic", "visits", **how)

    kill_in_child(run)
    with open_clinic(tmp_path, ROWS) as curator:
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE"]
        assert fit(curator, "logistic", "visits", **how).receipt.paid == "free"
        assert kinds(curator).count("CHARGE") == 1
        assert kinds(curator).count("MEASURE") == 2


@each_method
def test_files_and_reports_say_how_it_was_learned(tmp_path: Path, method: str) -> None:
    with open_clinic(tmp_path, ROWS) as curator:
        model = fit(curator, "logistic", "visits", method=method, **(HOW | {"epsilon": 1}))
    model.save(tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    assert isinstance(loaded, LinearModel)
    assert loaded.settings == model.settings
    assert loaded.receipt == model.receipt
    assert loaded.predict(TABLE).tolist() == model.predict(TABLE).tolist()
    page = render_learning_page(model)
    assert f"a ridge of {float(model.settings['ridge']):.3g}" in page
    assert ("in what is minimised" if method == "objective" else "on its weights") in page
    assert model.find_half_width() > 0


@each_method
def test_whatever_a_row_holds_a_model_is_learned(tmp_path: Path, method: str) -> None:
    odd: list[Visit] = [(1, None, math.nan, None), (2, 500, math.inf, "west"), (4, 3, -1e308, "icu")]
    for rows in (odd, []):
        folder = tmp_path / str(len(rows))
        folder.mkdir()
        with open_clinic(folder, rows) as curator:
            how: dict[str, Any] = {"target": "cost > 3", "features": ["age", "ward"], "epsilon": 0.1}
            assert np.isfinite(fit(curator, "logistic", "visits", method=method, **how).weights).all()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"method": "newton"}, "method must be one of descent, output, objective"),
        ({"model": "poisson", "target": "quantity", "method": "output"}, "a minimum is bounded for logistic, svc"),
        ({"target": "ward", "method": "objective"}, "for two classes or a number"),
        ({"model": "linear", "target": "cost"}, "method must be left out: linear has no settings"),
        ({"model": "ridge", "target": "cost"}, "method must be left out: ridge takes alpha"),
        ({"delta": 0.0}, "delta must be"),
        ({"epsilon": 50}, "does not fit into what is left"),
        ({"epsilon": 1e-9}, "more noise than can be drawn"),
        ({"max_rows": 200}, "time would tell whether it is there; keep at most"),
    ],
    ids=str,
)
def test_what_cannot_be_minimised_is_refused_and_nothing_is_charged(
    tmp_path: Path, given: dict[str, Any], said: str
) -> None:
    with open_clinic(tmp_path, limits="max_rows = 1000" if "max_rows" in given else "max_rows = 3") as curator:
        how: dict[str, Any] = {"model": "logistic", "target": "cost > 10", "features": ["age"], "epsilon": 1}
        how |= {"method": "objective"} | given
        with pytest.raises(DiscreetError, match=said):
            fit(curator, how.pop("model"), "visits", **how)
        assert kinds(curator) == ["CREATE"]


def test_a_policy_without_delta_has_none_for_a_minimum(tmp_path: Path) -> None:
    with open_clinic(tmp_path, delta=0) as curator:
        with pytest.raises(DiscreetError, match="the policy has no delta for it"):
            fit(curator, "logistic", "visits", target="cost > 10", features=["age"], epsilon=1, method="objective")
        assert kinds(curator) == ["CREATE"]
