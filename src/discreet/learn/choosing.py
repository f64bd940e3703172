"""The operation behind a choice among settings: each is tried several times, and nobody sees but the best try.

A try is a whole training and the noisy error of its model on the same rows (`gradients/errors.py`), within one
allowance. `privacy/losses/best_of.py` says what the best of them costs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import numpy as np

from discreet.base import check
from discreet.base.canonical import Json, write_json
from discreet.base.errors import ParameterError
from discreet.curator.door.desk import Desk
from discreet.curator.door.unit_time import check_unit_time
from discreet.gradients.errors import PredictionErrors
from discreet.gradients.sums import LinearGradients
from discreet.learn.allowance import GaussianAllowance
from discreet.learn.descent import Trained, train
from discreet.learn.linear_learners import DescentLearner
from discreet.learn.models.linear_model import ChosenSetting, LinearModel
from discreet.learn.rehearsal import Rehearsal
from discreet.learn.source import DeskSource, GradientSource
from discreet.learn.training import MOST_TEXT, Training
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy import BestOfLoss
from discreet.privacy.charges import Charge, charge_of

CHANCE = Fraction(1, 2)
"""The probability that a try counts."""

SCORE_SHARE = Fraction(1, 20)
"""The part of a try's allowance that its score is computed for."""

MOST_SETTINGS = 100


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One of several ways to learn: public choices. What is not given is as for all."""

    features: Sequence[str] | None = None
    bins: Mapping[str, int | Sequence[Any]] | None = None
    patience: float = 1.0
    """How many times as long as usual to descend: less regularises more."""

    def __post_init__(self) -> None:
        check.real("patience", self.patience, least=1 / 64, most=64)

    def __str__(self) -> str:
        said = [] if self.features is None else ["features " + ", ".join(self.features)]
        if self.bins:
            said.append("bins " + ", ".join(f"{name}: {bins}" for name, bins in self.bins.items()))
        if self.patience != 1:
            said.append(f"patience {self.patience:g}")
        return "; ".join(said) or "as usual"


def read_settings(settings: Sequence[Setting | Mapping[str, Any]]) -> tuple[Setting, ...]:
    """Return the settings that somebody states: values of `Setting`, or dictionaries with its fields."""
    if not isinstance(settings, list | tuple) or not 2 <= len(settings) <= MOST_SETTINGS:
        raise ParameterError("settings", settings, f"a list of 2 to {MOST_SETTINGS} settings")
    names = [each.name for each in fields(Setting)]
    for each in settings:
        if not isinstance(each, Setting | Mapping) or (isinstance(each, Mapping) and set(each) - set(names)):
            raise ParameterError("settings", each, f"a dictionary with some of {', '.join(names)}")
    return tuple(each if isinstance(each, Setting) else Setting(**each) for each in settings)


def read_tries(tries: Any, settings: int) -> int:
    """Return how many tries are made: as somebody says, or two of each setting."""
    if tries is None:
        return 2 * settings
    found = check.integer("tries", tries, least=settings, most=1000)
    if found % settings:
        raise ParameterError("tries", tries, f"a multiple of {settings}: each setting is tried equally often")
    return found


@dataclass(frozen=True)
class BestTraining:
    """Learns a linear model with the best of several settings; each training is within the allowance of one try."""

    kind: ClassVar[str] = "best training"
    version: ClassVar[int] = 1

    trainings: tuple[Training, ...]
    settings: tuple[str, ...]
    """What to say of each training."""
    loss: BestOfLoss

    @property
    def charge(self) -> Charge:
        """What all tries cost together."""
        return charge_of(self.loss)

    def parameters(self) -> Json:
        """Return all that shapes the result beside the plans, which are listed in the order of the trainings."""
        return {
            "loss": self.loss.to_json(),
            "trainings": [training.parameters() for training in self.trainings],
            "settings": list(self.settings),
        }

    def describe(self) -> str:
        """Say in a line what is learned, for the ledger's readers."""
        text = f"best of {len(self.settings)} settings by up to {self.loss.tries} tries: {self.trainings[0].describe()}"
        return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 3]}..."

    def plans(self) -> tuple[RowsPlan, ...]:
        """Return the plan of each training."""
        return tuple(training.plan for training in self.trainings)

    def run(self, desk: Desk) -> bytes:
        """Try every setting, and return what the best try found."""
        return desk.best_of([partial(self._try, place) for place in range(len(self.trainings))], self.loss)

    def finish(self, measured: bytes) -> LinearModel:
        """Return the model, and which setting it has."""
        form = json.loads(measured)
        training = self.trainings[form["setting"]]
        model = self._find_learner(training).make_model(training.subject, form["trained"])
        return replace(model, choice=ChosenSetting(form["setting"], self.settings, self.loss.tries))

    def rehearse(self) -> None:
        """Refuse what would fail after the charge, or take too long in all tries: it follows from public facts."""
        sources = [Rehearsal(training.plan) for training in self.trainings]
        for place, source in enumerate(sources):
            self.finish(self._measure(place, source)[0])
        taken = sum(source.row_time for source in sources) * self.loss.tries // len(sources)
        for training in self.trainings:
            check_unit_time(training.plan, taken)

    def _try(self, place: int, desk: Desk) -> tuple[bytes, int]:
        return self._measure(place, DeskSource(desk, self.trainings[place].plan))

    def _measure(self, place: int, source: GradientSource) -> tuple[bytes, int]:
        training = self.trainings[place]
        learner = self._find_learner(training)
        gradients = learner.make_gradients(training.subject, training.encoding)
        trained, error = try_training(source, gradients, learner.kind.name, training.allowance, learner.patience)
        return write_json({"setting": place, "trained": trained.describe()}).encode(), -error

    def _find_learner(self, training: Training) -> DescentLearner:
        assert isinstance(training.learner, DescentLearner)
        return training.learner


def try_training(
    source: GradientSource, gradients: LinearGradients, model: str, allowance: GaussianAllowance, patience: float
) -> tuple[Trained, int]:
    """Train a model and return its noisy error on the same rows, all of it within one allowance."""
    trained = train(source, gradients, model, allowance.take(1 - SCORE_SHARE), patience=patience)
    weights = np.array(trained.weights).reshape(gradients.shape)
    errors = PredictionErrors(gradients, tuple(map(tuple, weights.tolist())))
    noise = allowance.take(SCORE_SHARE).make_noise(source.factor * errors.clip)
    (error,) = source.draw_moments(errors, noise)
    return trained, error
