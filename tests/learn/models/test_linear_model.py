"""Linear models: coefficients in the data's units, predictions for rows that somebody holds, files that come back."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.types import Type
from discreet.learn import LinearModel, load_model, write_learning_report
from discreet.learn.features import CategoryColumn, NumberColumn
from discreet.learn.targets import ClassTarget, NumberTarget
from discreet.query.placed_columns import Condition, ListedColumn

AGE = NumberColumn("age", '"age"', Fraction(0), Fraction(100))
TWICE = NumberColumn("twice", "(age * 2)", Fraction(0), Fraction(200))
WARD = CategoryColumn(ListedColumn("ward", Type.TEXT, ("north", "it's")))
OLD = CategoryColumn(Condition("old", "age > 65"))
SETTINGS = {"steps": 200, "rate": "1.0", "momentum": "0.9", "tail": 100}
SICK = ClassTarget(Condition("sick", "cost > 10"))
WEIGHTS = np.array([[2.0], [0.1], [1.0], [-1.0], [0.0], [0.0], [0.5], [-0.5]])
LOGISTIC = LinearModel("logistic", "visits", (AGE, WARD, OLD), SICK, 900, WEIGHTS, 0.1, SETTINGS)
ROWS = pa.table({"age": [50, 100, None, 0], "ward": ["north", "it's", None, "elsewhere"]})


def test_scores_are_the_sum_of_weights_of_scaled_numbers_and_places() -> None:
    expected = [0 + 1.0 + 0.0 - 0.5, 2.0 - 1.0 + 0.5 - 0.5, 0 + 0.1 + 0.0 - 0.5, -2.0 + 0.0 + 0.0 - 0.5]
    assert LOGISTIC.find_scores(ROWS)[:, 0].tolist() == pytest.approx(expected)
    assert LOGISTIC.predict(ROWS).tolist() == [True, True, False, False]
    probabilities = LOGISTIC.predict_probabilities(ROWS)
    assert probabilities[:, 1].tolist() == pytest.approx([1 / (1 + np.exp(-each)) for each in expected])
    assert LOGISTIC.predict(ROWS.to_pandas()).tolist() == [True, True, False, False]


def test_coefficients_are_per_one_of_a_number_and_give_the_same_scores() -> None:
    found = dict(LOGISTIC.list_coefficients())
    assert found["age"][0] == pytest.approx(2.0 / 50)
    assert found["intercept"][0] == pytest.approx(-0.5 - 50 * 2.0 / 50)
    assert found["ward = it's"][0] == -1.0
    assert LOGISTIC.find_half_width(0.95) == pytest.approx(0.196, abs=1e-3)


def test_numbers_are_predicted_in_their_own_units() -> None:
    cost = NumberTarget("cost", "cost", Fraction(0), Fraction(10))
    model = LinearModel("huber", "visits", (TWICE,), cost, 900, np.array([[0.5], [0.1]]), 0.1, SETTINGS)
    assert model.predict(ROWS).tolist() == pytest.approx([5.5, 8.0, 5.5, 3.0])
    count = NumberTarget("stays", "stays", Fraction(0), Fraction(8), counted=True)
    counted = LinearModel("poisson", "visits", (AGE,), count, 900, np.array([[1.0], [0.0]]), 0.1, SETTINGS)
    assert counted.predict(ROWS).tolist() == pytest.approx([2.0, 2 * np.e, 2.0, 2 / np.e])
    with pytest.raises(ParameterError, match="no other linear kind has probabilities"):
        counted.predict_probabilities(ROWS)
    with pytest.raises(ParameterError, match="one that predicts classes"):
        _ = counted.classes


def test_a_file_gives_the_same_model_back(tmp_path: Path) -> None:
    LOGISTIC.save(tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert isinstance(again, LinearModel)
    assert again.predict(ROWS).tolist() == LOGISTIC.predict(ROWS).tolist()
    assert again.to_json() == LOGISTIC.to_json()
    form = json.loads((tmp_path / "model.json").read_text())
    assert form["coefficients"][0] == {"name": "age", "scaled": [2.0], "value": [0.04]}


def test_files_that_are_no_models_are_named_as_such(tmp_path: Path) -> None:
    LOGISTIC.save(tmp_path / "model.json")
    form = json.loads((tmp_path / "model.json").read_text())
    wrong = {
        "is no model": "not json",
        "of version 9": json.dumps(form | {"version": 9}),
        "is damaged": json.dumps({key: value for key, value in form.items() if key != "coefficients"}),
    }
    for said, text in wrong.items():
        (tmp_path / "wrong.json").write_text(text)
        with pytest.raises(DiscreetError, match=said):
            load_model(tmp_path / "wrong.json")
    with pytest.raises(DiscreetError, match="cannot be read"):
        load_model(tmp_path / "missing.json")


def test_rows_without_the_features_are_refused() -> None:
    with pytest.raises(ParameterError, match="the columns of the model's features"):
        LOGISTIC.predict(pa.table({"height": [1]}))
    with pytest.raises(ParameterError, match="an Arrow table or a pandas frame"):
        LOGISTIC.predict([1, 2])


def test_a_report_shows_every_weight_and_escapes_what_it_names(tmp_path: Path) -> None:
    write_learning_report(LOGISTIC, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert text.startswith("<!DOCTYPE html>")
    for said in (
        "Logistic model of sick",
        "age",
        "ward = it&#x27;s",
        "0.04",
        "900",
        "not said: the model came without",
    ):
        assert said in text
    assert "<script" not in text
    with pytest.raises(ParameterError, match=r"ends in \.html"):
        write_learning_report(LOGISTIC, tmp_path / "report.pdf")
