"""Public priors: where a model starts, and where it stays if nothing that was measured speaks against it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from curator.door.test_wings import kinds
from discreet.base.errors import ParameterError
from discreet.families.marginals import Marginals
from discreet.query.placed_columns import Condition
from discreet.synthetic.from_table import synthesize
from discreet.synthetic.model import SyntheticModel, load_model
from discreet.synthetic.prior import read_prior
from support.clinic import open_clinic
from synthetic.support.models import COLUMNS, make_model, make_rows

PUBLIC = make_model().sample(500, seed=1)
OLD = Condition("old", "age > 60")
WARDS = pa.table({"ward": ["north"] * 90 + ["south"] * 10, "quantity": [1] * 50 + [2] * 50})


def test_a_prior_is_public_rows_and_one_row_everywhere() -> None:
    weights = read_prior(COLUMNS, PUBLIC)
    assert weights.shape == (4, 11, 4, 3, 3)
    assert np.isclose(weights.sum(), 1)
    assert np.isclose(weights.min(), 1 / weights.size / 501)
    women = PUBLIC["sex"].to_pylist().count("f")
    assert np.isclose(weights[1].sum(), (women + 1 / 4) / 501)
    assert np.array_equal(read_prior(COLUMNS, PUBLIC.to_pandas(types_mapper=pd.ArrowDtype)), weights)


def test_a_model_without_readings_is_its_prior() -> None:
    transcript = make_model(sets=()).transcript
    prior = read_prior(COLUMNS, PUBLIC)
    model = SyntheticModel(replace(transcript, readings=transcript.readings[:1], batches=(), prior=prior))
    assert np.allclose(model.fit.project((0, 1, 2, 3, 4)), prior * model.transcript.total.rows)
    assert np.allclose(read_prior(COLUMNS, model), prior, atol=1e-3)


def test_readings_outweigh_a_prior_and_the_rest_stays() -> None:
    """The prior has the pairs that were not measured right, and one column wrong: it ends nearer than without."""
    true = make_rows()
    wrong = true.project((0, 1, 2, 3, 4)) * np.array([1, 9, 1, 1]).reshape(4, 1, 1, 1, 1)
    transcript = make_model(sets=((0, 1),)).transcript
    informed = replace(transcript, prior=wrong / wrong.sum())
    errors = []
    for each in (transcript, informed):
        fit = each.fit()
        errors.append(sum(np.abs(fit.project(pair) - true.project(pair)).sum() for pair in ((1, 2), (2, 3), (3, 4))))
        assert np.abs(fit.project((0,)) - true.project((0,))).max() < 120
    assert errors[1] < errors[0] / 2


def test_a_prior_is_part_of_what_is_asked_for_and_saved(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=100.0) as curator:
        how: dict[str, Any] = {"epsilon": 1, "columns": ["ward", "quantity"], "strategy": "mwem", "rounds": 2}
        paid = []
        for prior in (None, WARDS, WARDS, WARDS.slice(1), WARDS.slice(1).to_pandas(), None):
            model = synthesize(curator, "visits", 1, prior=prior, **how)
            assert model.receipt is not None
            paid.append(model.receipt.paid)
        assert paid == ["charged", "charged", "free", "charged", "free", "free"]
        model = synthesize(curator, "visits", 1, prior=WARDS, **how)
        model.save(tmp_path / "visits.model")
        loaded = load_model(tmp_path / "visits.model")
        assert np.array_equal(loaded.transcript.prior, model.transcript.prior)  # type: ignore[arg-type]
        assert loaded.sample(50, seed=1).equals(model.sample(50, seed=1))


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"prior": [1, 2]}, "an Arrow table or a pandas frame or a SyntheticModel"),
        ({"prior": WARDS.select(["ward"])}, "a table with the column quantity"),
        ({"prior": pa.table({"ward": ["north"], "quantity": ["many"]})}, "for quantity values of type integer"),
        ({"prior": make_model()}, "a model of the same columns with the same values and bins"),
        ({"prior": WARDS, "columns": ["ward", "quantity", OLD]}, "a table with the column old"),
        (
            {"prior": WARDS.append_column("old", WARDS["ward"]), "columns": ["ward", "quantity", OLD]},
            "a true or false in old",
        ),
        ({"prior": WARDS, "columns": None}, "left out, or give fewer columns or wider bins"),
    ],
    ids=lambda each: str(each)[:40],
)
def test_a_prior_that_does_not_fit_is_refused_before_the_charge(tmp_path: Path, how: dict[str, Any], said: str) -> None:
    with open_clinic(tmp_path) as curator:
        given: dict[str, Any] = {"epsilon": 1, "columns": ["ward", "quantity"]} | how
        with pytest.raises(ParameterError, match=said):
            synthesize(curator, "visits", 1, **given)
        assert kinds(curator) == ["CREATE"]


def test_the_average_is_the_mean_of_the_models_after_each_step() -> None:
    model = make_model()
    transcript = model.transcript
    parts = [
        replace(transcript, readings=transcript.readings[:count], batches=steps).fit()
        for count, steps in ((6, (1, 5)), (9, (1, 5, 3)))
    ]
    columns = (0, 1, 2, 3, 4)
    shares = [part.project(columns) / part.report.total for part in parts]
    found = model.average()
    assert np.allclose(found.fit.project(columns), np.mean(shares, axis=0) * parts[-1].report.total)
    assert not np.allclose(found.fit.project(columns), model.fit.project(columns))
    assert found.average().sample(20, seed=1).equals(found.sample(20, seed=1))


def test_a_tree_has_no_average() -> None:
    wide = tuple(replace(COLUMNS[1], name=f"age{place}") for place in range(6))
    model = make_model(wide)
    assert Marginals.of_order(model.transcript.domain, 1).domain.cells > 1 << 17
    with pytest.raises(ParameterError, match=r"of at most 131,072 cells; use the last model"):
        _ = model.average().fit
