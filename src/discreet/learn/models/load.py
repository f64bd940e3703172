"""Models from files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from discreet.answers import Receipt
from discreet.base.errors import DiscreetError
from discreet.learn.kinds import KINDS
from discreet.learn.models.bayes_model import BayesModel
from discreet.learn.models.cluster_model import ClusterModel
from discreet.learn.models.component_model import ComponentModel
from discreet.learn.models.linear_model import LinearModel
from discreet.learn.models.model import FORMAT, VERSION, Model, read_subject
from discreet.learn.models.regression_model import RegressionModel
from discreet.learn.models.stumps_model import StumpsModel

MODELS: dict[str, type[Model]] = {
    **dict.fromkeys(KINDS, LinearModel),
    "linear": RegressionModel,
    "ridge": RegressionModel,
    "pca": ComponentModel,
    "kmeans": ClusterModel,
    "bayes": BayesModel,
    "stumps": StumpsModel,
}


def load_model(path: str | Path) -> Model:
    """Return the model that was saved in a file, of whatever kind, or say plainly what is wrong with the file."""
    try:
        form: Any = json.loads(Path(path).read_text(encoding="utf-8"))
        if form["format"] != FORMAT:
            raise ValueError
    except OSError as trouble:
        raise DiscreetError(f"{path} cannot be read ({trouble.strerror})") from None
    except (ValueError, KeyError, TypeError):
        raise DiscreetError(f"{path} is no model: name a file that model.save(...) wrote") from None
    if form["version"] != VERSION:
        raise DiscreetError(f"{path} is a model of version {form['version']}; this release reads version {VERSION}")
    try:
        found = MODELS[form["kind"]].read(read_subject(form), form)
        found.tabulate()
        return found if form["receipt"] is None else found.with_receipt(Receipt.from_dict(form["receipt"]))
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError):
        raise DiscreetError(f"{path} is damaged: load a copy of it, or save the model again") from None
