"""What every privacy loss can do: answer delta(epsilon) and epsilon(delta) with certified bounds, travel as JSON."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, ClassVar

from flint import arb

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.errors import DiscreetError
from discreet.base.exact import read_exact, write_exact
from discreet.base.rounding import ball, down, float_down, precision, rounded_up, up
from discreet.base.search import least_float
from discreet.privacy.accountant.pairs import HUGE, DominatingPair
from discreet.privacy.certified import Certified
from discreet.privacy.tradeoff import LARGEST, bracket_false_negatives, choose_epsilons

LARGEST_EPSILON = 1e6

LossReader = Callable[..., "Loss"]
"""Makes a loss from the parameters that its JSON holds."""

LossComposer = Callable[["Iterable[tuple[Loss, int]]"], "Loss"]
"""Makes one loss of several, each with how often it occurs."""

_readers: dict[tuple[str, int], LossReader] = {}
_composers: list[LossComposer] = []


def register_reader(kind: str, version: int, reader: LossReader) -> None:
    """Say how JSON of this kind and version is read; the meaning of a kind and version never changes."""
    _readers[kind, version] = reader


def register_composer(composer: LossComposer) -> LossComposer:
    """Say how losses compose: `a + b` and `a * k` call this function, which knows all kinds and lives above them."""
    _composers[:] = [composer]
    return composer


@dataclass(frozen=True, eq=False, repr=False)
class Loss(ABC):
    """How far one release can tell two neighbours apart: an immutable value, the same forever once recorded.

    The guarantee: for every event S and both directions, Pr[M(x) in S] <= e^epsilon Pr[M(x') in S] + delta
    whenever delta >= self.delta(epsilon).high. `low` bounds the same number from below, for the worst mechanism
    and neighbours that the loss describes.
    """

    kind: ClassVar[str]
    version: ClassVar[int] = 1
    for_replace: ClassVar[bool] = False
    """Whether it is stated for replace neighbours, and for them alone."""

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        register_reader(cls.kind, cls.version, lambda **parameters: cls._from_parameters(**parameters))

    @property
    @abstractmethod
    def pure(self) -> float:
        """The least epsilon at delta = 0, rounded up; infinity where there is none."""

    @abstractmethod
    def _delta(self, epsilon: Exact) -> arb | tuple[arb, arb]:
        """Return a ball around delta(epsilon), or balls around a lower and an upper bound of it."""

    def delta(self, epsilon: Exact) -> Certified:
        """Return the least delta that goes with this epsilon >= 0."""
        return self._certified_delta(check.real("epsilon", epsilon, least=0))

    def epsilon(self, delta: Exact) -> Certified:
        """Return the least epsilon >= 0 that goes with this delta in [0, 1)."""
        target = float_down(check.delta("delta", delta))
        if delta == 0:
            return Certified(self._pure_low(), self.pure)
        high = self.pure  # the target may be 0 where a fraction is below the least float
        if target > 0:
            _, high = least_float(lambda e: self._certified_delta(e).high <= target, limit=self.pure)
        low, _ = least_float(lambda e: self._certified_delta(e).low <= target, limit=self.pure)
        return Certified(min(low, self._pure_low()), high)

    def __add__(self, other: Loss) -> Loss:
        """Compose with another loss: both releases on the same data."""
        return combine([(self, 1), (other, 1)]) if isinstance(other, Loss) else NotImplemented

    def __mul__(self, count: int) -> Loss:
        """Compose with itself: this many releases on the same data."""
        return combine([(self, check.integer("count", count, least=0))])

    __rmul__ = __mul__

    @property
    def has_pairs(self) -> bool:
        """Whether a dominating pair is known: what `list_pairs` would say, without listing anything."""
        return type(self).list_pairs is not Loss.list_pairs

    def list_pairs(self) -> list[DominatingPair] | None:
        """Return the dominating pair, or one for remove and one for add; nothing where none is known."""
        return None

    def list_attained_pairs(self) -> list[DominatingPair] | None:
        """Return pairs that some mechanism of this loss has: what a lower bound may be computed from."""
        return None if HUGE < self.pure < math.inf else self.list_pairs()

    def renyi(self, alpha: Exact) -> float:
        """Return a bound on the Renyi divergence of order alpha > 1, rounded up; infinity where there is none.

        No order has a larger divergence than the pure epsilon (van Erven, Harremoes 2014, Theorems 3 and 6).
        """
        return min(self._renyi(check.real("alpha", alpha, above=1)), self.pure)

    def _renyi(self, order: Exact) -> float:
        rho = self.zcdp()
        return rounded_up(lambda: ball(order) * ball(rho)) if math.isfinite(rho) else math.inf

    @property
    def exact_pure(self) -> Exact:
        """What `pure` rounds up, as filters add it: exactly what was stated, where it was; else `pure` itself."""
        return self.pure

    def exact_zcdp(self) -> Exact:
        """Return what `zcdp` rounds up, where that is a short decimal; else the same."""
        return self.zcdp()

    def exact_renyi(self, alpha: Exact) -> Exact:
        """Return what `renyi` rounds up, where that is a short decimal; else the same."""
        return self.renyi(alpha)

    def zcdp(self) -> float:
        """Return the rho of zero-concentrated differential privacy, rounded up; infinity where there is none.

        epsilon-differential privacy implies rho = epsilon^2 / 2 (Bun, Steinke 2016, Proposition 3.3).
        """
        pure = self.pure
        return rounded_up(lambda: ball(pure) ** 2 / 2) if math.isfinite(pure) else math.inf

    def group(self, size: int) -> Loss:
        """Return the loss for `size` people at once: k steps from neighbour to neighbour."""
        size = check.integer("size", size, least=1)
        return self if size == 1 else self._group(size)

    def replace(self) -> Loss:
        """Return the loss under replace neighbours: this one, where it is stated for them.

        Else it is stated for add-remove, and replacing a unit is removing one and adding another: two steps.
        """
        return self if self.for_replace else self.group(2)

    def _group(self, size: int) -> Loss:
        if math.isinf(self.pure):
            raise DiscreetError(
                f"no group privacy is known for {self!r}; state the loss at the larger sensitivity instead"
            )
        return _readers["pure", 1](epsilon=Fraction(self.pure) * size)

    def tradeoff(self, alpha: float) -> Certified:
        """Bracket the smallest false-negative rate of a test between neighbours at false-positive rate alpha."""
        return bracket_false_negatives(_sample_curve(self), alpha)

    def to_json(self) -> str:
        """Return the loss as JSON text with its kind and version."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the loss as plain data with its kind and version."""
        return {"kind": self.kind, "version": self.version, **self._write_parameters()}

    @staticmethod
    def from_json(text: str) -> Loss:
        """Read a loss back; an unknown kind or version is refused, never guessed."""
        try:
            return Loss.from_dict(json.loads(text))
        except json.JSONDecodeError as problem:
            raise DiscreetError("this is not a loss of a known kind and version: it is not JSON") from problem

    @staticmethod
    def from_dict(values: Any) -> Loss:
        """Read a loss back from plain data."""
        try:
            parameters = dict(values)
            version = parameters.pop("version")
            reader = _readers[parameters.pop("kind"), version if type(version) is int else -1]
            return reader(**{name: _read(value) for name, value in parameters.items()})
        except (ValueError, KeyError, TypeError) as problem:
            known = ", ".join(sorted(f"{kind} {version}" for kind, version in _readers))
            raise DiscreetError(f"this is not a loss of a known kind and version ({known})") from problem

    @classmethod
    def _from_parameters(cls, **parameters: Any) -> Loss:
        return cls(**parameters)

    def __eq__(self, other: object) -> bool:
        """Say whether the other is the same loss: 0.1, a decimal, is not Fraction(0.1), the double nearest to it.

        Python calls those two numbers equal, though they are charged differently (see `amounts`).
        """
        if type(other) is not type(self):
            return NotImplemented
        ours, theirs = self._list_values(), other._list_values()
        return ours == theirs and _list_types(ours) == _list_types(theirs)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self._list_values())

    def _list_values(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in _list_fields(type(self))])

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._parameters().items())
        return f"{type(self).__name__}({shown})"

    def _parameters(self) -> dict[str, Any]:
        """Return the constructor's arguments; a field `epsilon_` is the argument epsilon, beside the method."""
        return {name.rstrip("_"): getattr(self, name) for name in _list_fields(type(self))}

    def _write_parameters(self) -> dict[str, Any]:
        """Return the constructor's arguments as plain data: a Fraction is a text such as 1/3."""
        return {name: _write(value) for name, value in self._parameters().items()}

    def _certified_delta(self, epsilon: Exact) -> Certified:
        """Evaluate the curve in balls, at more bits as long as that makes them narrower."""
        if epsilon > LARGEST_EPSILON:  # delta only falls, and e^epsilon would leave the range of balls
            return Certified(0.0, self._certified_delta(LARGEST_EPSILON).high)
        bits, before = 128, -math.inf
        while True:
            with precision(bits):
                found = self._delta(epsilon)
                below, above = found if isinstance(found, tuple) else (found, found)
                low, high = down(below), up(above)
            accuracy = above.rel_accuracy_bits()
            if accuracy >= 60 or above.is_exact() or accuracy < before + 16 or bits >= 8192:
                return Certified(_clip_probability(low), _clip_probability(high))
            bits, before = 2 * bits, accuracy

    def _pure_low(self) -> float:
        return math.nextafter(self.pure, 0.0) if math.isfinite(self.pure) else self.pure

    def _store(self, **values: Exact) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


def combine(parts: Iterable[tuple[Loss, int]]) -> Loss:
    """Compose losses, each with how often it occurs, by the composer that was registered."""
    (composer,) = _composers
    return composer(parts)


@lru_cache(maxsize=64)
def _sample_curve(loss: Loss) -> tuple[tuple[float, Certified], ...]:
    """Return (epsilon, delta) along the curve: what every question about the trade-off of a loss is read from."""
    furthest = loss.pure if math.isfinite(loss.pure) else min(loss.epsilon(1e-12).high, LARGEST)
    return tuple((epsilon, loss.delta(epsilon)) for epsilon in choose_epsilons(furthest))


def _clip_probability(value: float) -> float:
    return min(value, 1.0) if value > 0 else 0.0


@lru_cache(maxsize=256)
def _list_fields(kind: type[Loss]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _list_types(values: tuple[Any, ...]) -> list[Any]:
    """Return the types of all values, also of those in tuples."""
    return [_list_types(each) if isinstance(each, tuple) else type(each) for each in values]


def _write(value: Any) -> Any:
    """Return a parameter as plain data."""
    if isinstance(value, tuple):
        return [_write(each) for each in value]
    return write_exact(value) if isinstance(value, Fraction) else value


def _read(value: Any) -> Any:
    """Return a parameter from plain data: a text with a stroke is a Fraction."""
    if isinstance(value, list):
        return [_read(each) for each in value]
    return read_exact(value) if isinstance(value, str) and "/" in value else value
