"""The report on a model: one page without scripts, of noisy numbers and public facts only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from discreet.answers.drawing import safe
from discreet.answers.export import replacing
from discreet.answers.page import check_page, wrap_page
from discreet.answers.words import describe_charge, describe_guarantee
from discreet.learn.models.bayes_model import BayesModel
from discreet.learn.models.cluster_model import ClusterModel
from discreet.learn.models.component_model import ComponentModel
from discreet.learn.models.linear_model import LinearModel
from discreet.learn.models.model import Model
from discreet.learn.models.regression_model import RegressionModel
from discreet.learn.models.stumps_model import StumpsModel
from discreet.learn.report.parts import Shown
from discreet.learn.report.profiles import show_classes, show_clusters
from discreet.learn.report.steps import show_steps
from discreet.learn.report.weights import show_components, show_regression, show_weights
from discreet.learn.targets import ClassTarget

SHOW: dict[type[Model], Callable[[Any], Shown]] = {
    LinearModel: show_weights,
    RegressionModel: show_regression,
    ComponentModel: show_components,
    ClusterModel: show_clusters,
    BayesModel: show_classes,
    StumpsModel: show_steps,
}
"""What is shown of each kind of model."""


def write_learning_report(model: Model, path: str | Path) -> Path:
    """Write the report on a model to a file."""
    target = check_page(path)
    with replacing(target) as part:
        part.write_text(render_learning_page(model), encoding="utf-8")
    return target


def render_learning_page(model: Model) -> str:
    """Return the report as one HTML page."""
    of = model.table if model.target is None else model.target.name
    shown = SHOW[type(model)](model)
    title = f"{shown.title} of {of}"
    parts = [
        f"<h1>{safe(title)}</h1>",
        f'<p class="soft">Of the table {safe(model.table)}. Noisy numbers and public facts only: this page may be '
        "shown to anybody.</p>",
        _show_facts(model, shown.fact),
        "<h2>Cost and guarantee</h2>",
        _show_cost(model, shown.method),
        *shown.sections,
    ]
    return wrap_page(title, parts)


def _show_facts(model: Model, own: tuple[str, str]) -> str:
    facts = [
        (f"{model.rows:,}", "rows, about: counted with noise"),
        (f"{len(model.columns)}", f"features: {len(model.names):,} numbers when scaled"),
        own,
    ]
    if isinstance(model.target, ClassTarget):
        facts.append((f"{len(model.classes)}", "classes: " + ", ".join(map(str, model.classes))))
    cards = "".join(
        f'<div class="card"><b>{safe(number)}</b><span>{safe(words)}</span></div>' for number, words in facts
    )
    return f'<div class="facts">{cards}</div>'


def _show_cost(model: Model, method: str) -> str:
    lines = [("cost", "not said: the model came without a receipt")]
    if model.receipt is not None:
        lines = [("guarantee", describe_guarantee(model.receipt)), ("cost", describe_charge(model.receipt))]
        lines += [("receipt", str(model.receipt))]
    listed = "".join(f"<dt>{name}</dt><dd>{safe(words)}</dd>" for name, words in [*lines, ("learned by", method)])
    return f'<div class="card"><dl>{listed}</dl></div>'
