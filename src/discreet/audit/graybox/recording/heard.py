"""Which methods of which mechanisms tapes hear, and which of their arguments are data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet import mechanisms
from discreet.base.errors import ParameterError
from discreet.mechanisms.additive import Additive
from discreet.mechanisms.robust.inverse_sensitivity import InverseSensitivity, MostFrequent
from discreet.mechanisms.robust.propose_test_release import ProposeTestRelease
from discreet.mechanisms.robust.sample_threshold import SampleThreshold
from discreet.mechanisms.robust.smooth_noises import SmoothNoise
from discreet.mechanisms.robust.stable_histogram import StableHistogram
from discreet.mechanisms.robust.stable_value import StableValue
from discreet.mechanisms.robust.unbounded import InterquartileRange, UnboundedMean
from discreet.mechanisms.robust.universal import UniversalMean, UniversalQuartiles, UniversalVariance

HeardMethods = dict[str, tuple[str, ...]]

VECTORS: dict[type, HeardMethods] = {
    Additive: {"release": ("value",)},
    mechanisms.TruncatedLaplace: {"release": ("value",)},
    mechanisms.CountingQueries: {"release": ("values",)},
    mechanisms.Exponential: {"release": ("scores",), "release_several": ("scores",)},
    mechanisms.NoisyMax: {"release": ("scores",), "release_with_gap": ("scores",)},
    mechanisms.PermuteAndFlip: {"release": ("scores",)},
    mechanisms.RandomizedResponse: {"release": ("answers",), "release_signs": ("bits",)},
    mechanisms.SparseVector: {"release": ("values",)},
    InverseSensitivity: {"release": ("lengths",)},
    MostFrequent: {"release": ("counts",)},
}
"""Methods that take so many numbers, in an order that is public, by the names of the arguments that are data."""

SHAPELESS: dict[type, HeardMethods] = {
    mechanisms.Exponential: {"release_from": ("edges", "scores")},
    mechanisms.KeySelection: {"release": ("counts",)},
    mechanisms.KeyThreshold: {"release": ("noisy",)},
    mechanisms.Quantile: {"release": ("cells",)},
    InverseSensitivity: {"release_from": ("edges", "lengths")},
    ProposeTestRelease: {"release": ("values",), "decide": ("point", "distance")},
    SampleThreshold: {"release": ("counts",)},
    SmoothNoise: {"release": ("values",)},
    StableHistogram: {"release": ("counts",)},
    StableValue: {"decide": ("value", "distance"), "release_mode": ("counts",)},
    UnboundedMean: {"release": ("values",)},
    InterquartileRange: {"release": ("values",)},
    UniversalMean: {"release": ("values",)},
    UniversalVariance: {"release": ("values",)},
    UniversalQuartiles: {"release": ("values",)},
}
"""Methods whose data may have any shape: values, keys of the data, pieces of a range."""


@dataclass(frozen=True)
class HeardMethod:
    """A method, its arguments that are data, and whether their shape is public."""

    kind: type
    name: str
    data: tuple[str, ...]
    shaped: bool


def list_heard() -> Iterator[HeardMethod]:
    """Return every method that is heard."""
    for kinds, shaped in ((VECTORS, True), (SHAPELESS, False)):
        for kind, methods in kinds.items():
            for name, data in methods.items():
                yield HeardMethod(kind, name, data, shaped)


class ArgumentReader:
    """Tells which arguments of a function's calls are data, however they are written: in their places or by name."""

    def __init__(self, function: Callable[..., Any], data: tuple[str, ...] | None = None) -> None:
        """Take the names of the arguments that are data; without them, the first is, or the one behind `self`."""
        try:
            self._signature: inspect.Signature | None = inspect.signature(function)
        except (TypeError, ValueError):  # some that are not written in Python have none
            self._signature = None
        known = dict(self._signature.parameters) if self._signature else {}
        first = [each for each in known.values() if each.name != "self"][:1]
        if data is None and self._signature and (not first or first[0].kind is first[0].VAR_KEYWORD):
            name = getattr(function, "__name__", type(function).__name__)
            raise ParameterError("mechanism", name, "a function whose first argument is data")
        self._data = tuple(each.name for each in first) if data is None else data
        self._has_many = data is None and bool(first) and first[0].kind is first[0].VAR_POSITIONAL
        if not known.keys() >= set(self._data):
            raise LookupError(f"{function!r} takes {', '.join(known)}, and not {', '.join(self._data)}")

    def split(self, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return what of a call is data, and its other arguments by name; what was left out has its default."""
        try:
            bound = None if self._signature is None else self._signature.bind(*given, **named)
        except TypeError:  # it is called as it cannot be, and will say so itself
            bound = None
        if bound is None or self._has_many:
            return given[:1], {"others": given[1:], **named}
        bound.apply_defaults()
        public = dict(bound.arguments)
        values = tuple(public.pop(name) for name in self._data)
        return (values[0] if len(values) == 1 else values), public


def write_public(public: dict[str, Any]) -> str:
    """Return arguments as they are shown."""
    return ", ".join(f"{name}={each!r}" for name, each in sorted(public.items()))


def find_shape(value: Any) -> tuple[int, ...] | None:
    """Return the shape of numbers; None of what has none, which a mechanism itself refuses."""
    try:
        return tuple(int(each) for each in np.shape(value))
    except ValueError:
        return None
