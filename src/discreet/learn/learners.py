"""The kinds of models that are learned from a table: what each predicts, its settings, and how it is learned."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.gradients.encoding import Encoding
from discreet.learn.allowance import GaussianAllowance
from discreet.learn.clusters import MOST_CENTRES, fit_clusters
from discreet.learn.components import fit_components
from discreet.learn.features import CategoryColumn, LearnedColumn
from discreet.learn.kinds import KINDS, Predicts
from discreet.learn.learner import Learner, count_classes
from discreet.learn.linear_learners import DESCENT, DescentLearner, find_linear_learner
from discreet.learn.models.bayes_model import BayesModel
from discreet.learn.models.cluster_model import ClusterModel
from discreet.learn.models.component_model import ComponentModel
from discreet.learn.models.model import Model, Subject
from discreet.learn.models.regression_model import RegressionModel
from discreet.learn.models.stumps_model import StumpsModel
from discreet.learn.naive_bayes import fit_naive_bayes
from discreet.learn.regression import fit_regression
from discreet.learn.source import GradientSource
from discreet.learn.stumps import fit_stumps
from discreet.query.placed_columns import BinnedColumn, ListedWhole


@dataclass(frozen=True, slots=True)
class SumLearner(Learner):
    """A model that is made of noisy sums: what is recorded is what the model says of itself."""

    model: ClassVar[type[Model]]

    @abstractmethod
    def learn(
        self, source: GradientSource, subject: Subject, encoding: Encoding, allowance: GaussianAllowance
    ) -> Model:
        """Return the model, for all of an allowance."""

    def measure(
        self, source: GradientSource, subject: Subject, encoding: Encoding, allowance: GaussianAllowance
    ) -> Json:
        """Learn, and return what the model says of itself."""
        return self.learn(source, subject, encoding, allowance).describe()

    def make_model(self, subject: Subject, measured: Any) -> Model:
        """Return the model of what it said."""
        return self.model.read(subject, measured)


@dataclass(frozen=True, slots=True)
class RegressionLearner(SumLearner):
    """Linear regression, or with a ridge: |X w - y|^2 + alpha |w|^2 in features and target scaled by their bounds."""

    predicts: ClassVar[Predicts] = "number"
    model: ClassVar[type[Model]] = RegressionModel

    alpha: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", float(check.real("alpha", self.alpha, least=0, most=1e12)))

    def settings(self) -> dict[str, Json]:
        """Return the ridge, if there is one."""
        return {"alpha": repr(self.alpha)} if self.alpha else {}

    def learn(
        self, source: GradientSource, subject: Subject, encoding: Encoding, allowance: GaussianAllowance
    ) -> RegressionModel:
        """Return coefficients, from moments and corrections."""
        return RegressionModel.make(subject, fit_regression(source, encoding, allowance, self.alpha), self.alpha)


@dataclass(frozen=True, slots=True)
class ComponentLearner(SumLearner):
    """So many principal components."""

    predicts: ClassVar[None] = None
    model: ClassVar[type[Model]] = ComponentModel

    components: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "components", check.integer("components", self.components, least=1))

    def settings(self) -> dict[str, Json]:
        """Return how many components there are."""
        return {"components": self.components}

    def learn(
        self, source: GradientSource, subject: Subject, encoding: Encoding, allowance: GaussianAllowance
    ) -> ComponentModel:
        """Return components, from moments."""
        if self.components > encoding.width - 1:
            raise ParameterError("components", self.components, f"at most {encoding.width - 1} for these features")
        return ComponentModel.make(subject, fit_components(source, encoding, self.components, allowance))


@dataclass(frozen=True, slots=True)
class ClusterLearner(SumLearner):
    """So many clusters."""

    predicts: ClassVar[None] = None
    model: ClassVar[type[Model]] = ClusterModel

    clusters: int = 8

    def __post_init__(self) -> None:
        held = check.integer("clusters", self.clusters, least=1, most=MOST_CENTRES)
        object.__setattr__(self, "clusters", held)

    def settings(self) -> dict[str, Json]:
        """Return how many clusters there are."""
        return {"clusters": self.clusters}

    def learn(
        self, source: GradientSource, subject: Subject, encoding: Encoding, allowance: GaussianAllowance
    ) -> ClusterModel:
        """Return clusters, from sums around centres."""
        return ClusterModel.make(subject, fit_clusters(source, encoding, self.clusters, allowance))


@dataclass(frozen=True, slots=True)
class BayesLearner(SumLearner):
    """Naive Bayes."""

    predicts: ClassVar[Predicts] = "classes"
    model: ClassVar[type[Model]] = BayesModel

    def learn(
        self, source: GradientSource, subject: Subject, encoding: Encoding, allowance: GaussianAllowance
    ) -> BayesModel:
        """Return what the rows of each class are like, from their sums."""
        found = fit_naive_bayes(source, encoding, count_classes(subject.target), allowance)
        return BayesModel.make(subject, found)


@dataclass(frozen=True, slots=True)
class StumpsLearner(SumLearner):
    """An additive model of step functions, of two classes."""

    placed: ClassVar[bool] = True
    predicts: ClassVar[Predicts] = "classes"
    model: ClassVar[type[Model]] = StumpsModel

    def learn(
        self, source: GradientSource, subject: Subject, encoding: Encoding, allowance: GaussianAllowance
    ) -> StumpsModel:
        """Return steps, from sums of residuals in bins."""
        classes = count_classes(subject.target)
        if classes != 2:
            raise ParameterError("target", classes, "one of two classes for stumps; logistic and bayes take more")
        ordered = [count_ordered(column) for column in subject.columns]
        return StumpsModel.make(subject, fit_stumps(source, encoding, ordered, allowance))


def count_ordered(column: LearnedColumn) -> int:
    """Return how many of a column's places are bins or numbers with an order: all but the first, which is NULL."""
    ordered = isinstance(column, CategoryColumn) and isinstance(column.placed, BinnedColumn | ListedWhole)
    return len(column.weights) - 1 if ordered else 0


USUAL: dict[str, Learner] = {
    **{name: DescentLearner(kind) for name, kind in KINDS.items()},
    "linear": RegressionLearner(),
    "ridge": RegressionLearner(1.0),
    "pca": ComponentLearner(),
    "kmeans": ClusterLearner(),
    "bayes": BayesLearner(),
    "stumps": StumpsLearner(),
}
"""Every kind by its name, with the settings that it has where nobody says otherwise."""

SETTINGS = {**dict.fromkeys(KINDS, "method"), "ridge": "alpha", "pca": "components", "kmeans": "clusters"}
"""The setting of each kind that has one."""


def find_learner(model: str, settings: Mapping[str, Any]) -> Learner:
    """Return the learner of this kind with these settings, or say which there are."""
    if model not in USUAL:
        raise ParameterError("model", model, f"one of {', '.join(USUAL)}")
    for name, value in settings.items():
        if name != SETTINGS.get(model):
            takes = f"{model} takes {SETTINGS[model]}" if model in SETTINGS else f"{model} has no settings"
            raise ParameterError(name, value, f"left out: {takes}")
    if model in KINDS:
        return find_linear_learner(KINDS[model], settings.get("method", DESCENT))
    return replace(USUAL[model], **settings) if settings else USUAL[model]  # type: ignore[type-var]
