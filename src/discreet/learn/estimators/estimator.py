"""What all estimators share: parameters by name, declared classes, rows held in memory, and scores.

They fit rows in memory, for people who hold them; the guarantee is that of what is learned, and of nothing else.
Whoever holds rows owns them: `score` on training rows, and predictions for them, are not private. What is learned from
a table under a policy goes through a curator (`discreet.learn.fit`).
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.gradients.sums import MOST_ROWS
from discreet.learn.estimators.arrays import group_units
from discreet.learn.source import MemorySource
from discreet.privacy.neighbours import Neighbours


class Estimator:
    """What all estimators share: parameters by name, as scikit-learn's own tools expect them."""

    _estimator_type: ClassVar[str]

    @classmethod
    def _list_parameters(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters that this was made with."""
        return {name: getattr(self, name) for name in self._list_parameters()}

    def set_params(self, **params: Any) -> Self:
        """Change parameters by name."""
        for name, value in params.items():
            if name not in self._list_parameters():
                raise ParameterError("parameter", name, f"one of {', '.join(self._list_parameters())}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        given = inspect.signature(type(self).__init__).parameters
        changed = [f"{name}={value!r}" for name, value in self.get_params().items() if value is not given[name].default]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def __sklearn_tags__(self) -> Any:
        from discreet.learn.estimators.tags import make_tags

        return make_tags(self._estimator_type)


def hold_rows(points: Ints, units: Any, max_rows: Any, neighbours: str) -> MemorySource:
    """Return where sums over these rows come from; how many rows a unit may have is declared, never looked for."""
    factor = 2 if Neighbours.named(neighbours) is Neighbours.REPLACE else 1
    if units is None:
        return MemorySource(points, None, factor)
    if max_rows is None:
        raise ParameterError("max_rows", None, "given beside units: how many rows somebody has is private")
    most = check.integer("max_rows", max_rows, least=1, most=MOST_ROWS)
    kept, offsets = group_units(units, points, most)
    return MemorySource(kept, offsets, factor, most)


def check_classes(classes: Any) -> list[Any]:
    """Return the declared classes, or say that they must be declared."""
    declared = [] if classes is None else list(classes)
    if len(declared) < 2 or len(set(declared)) < len(declared):
        raise ParameterError("classes", classes, "all classes that there may be: which occur is private")
    return declared


class Classifier(Estimator, ABC):
    """What predicts one of declared classes."""

    _estimator_type: ClassVar[str] = "classifier"

    classes: Any
    classes_: Any

    @abstractmethod
    def predict(self, X: Any) -> Any:  # noqa: N803 (scikit-learn's own name)
        """Return the likeliest class of each row."""

    def score(self, X: Any, y: Any) -> float:  # noqa: N803
        """Return the share of rows whose class is predicted right. On training rows this is not private."""
        return float(np.mean(self.predict(X) == np.asarray(y)))


class Regressor(Estimator, ABC):
    """What predicts a number between declared bounds."""

    _estimator_type: ClassVar[str] = "regressor"

    target_bounds: Any

    @abstractmethod
    def predict(self, X: Any) -> Floats:  # noqa: N803
        """Return the predicted number of each row."""

    def score(self, X: Any, y: Any) -> float:  # noqa: N803
        """Return R^2. On training rows this is not private."""
        given = np.asarray(y, dtype=np.float64)
        return float(1 - ((given - self.predict(X)) ** 2).sum() / ((given - given.mean()) ** 2).sum())
