"""What every mechanism of the local model is: parameters in whole numbers, and a randomiser of one value."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import fields
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, Self

from .coins import Coins
from .errors import ClientError

PLAIN = 1 << 53
"""Whole numbers from here on are texts in JSON: other languages' numbers are floats."""


MOST_SEEDS = 1 << 56
"""Seeds of a mechanism that is made of several: a report holds them in at most seven bytes."""


class Randomised(NamedTuple):
    """What a report carries: a public seed or cohort, drawn without looking at the value, and the noisy payload."""

    seed: int
    payload: bytes


class Mechanism(ABC):
    """A randomiser of one person's value: a frozen value whose parameters are whole numbers.

    Guarantee: for any two values and any report, the report is at most e^epsilon times likelier for one than for the
    other, where `epsilon` is computed from the chances that are tossed and rounded up. What is sent has the same size,
    whatever the value.
    """

    kind: ClassVar[str]
    takes: ClassVar[str]
    """What it randomises: "item" (a whole number below `size`), "text" (bytes), "number" (from -1 to 1), "word" (a
    whole number of `bits` bits) or "record" (one of these for each attribute)."""
    remembers: ClassVar[bool] = False
    """Whether it has permanent noise."""

    @property
    @abstractmethod
    def epsilon(self) -> float:
        """What one report tells at most, rounded up."""

    @property
    def seeds(self) -> int:
        """How many seeds or cohorts there are; 1 where there are none."""
        return 1

    @property
    @abstractmethod
    def payload_size(self) -> int:
        """How many bytes a payload has."""

    @abstractmethod
    def randomise(self, value: Any, coins: Coins) -> Randomised:
        """Return a noisy report of a value."""

    def recall(self, value: Any, secret: bytes, coins: Coins) -> Randomised:
        """Return a report whose permanent noise, if there is any, is a function of the secret and the value.

        The secret serves this person, this metric and these parameters alone; cohorts are derived from it too.
        """
        return self.randomise(value, coins)

    def sum_epsilon(self, reports: int) -> Fraction:
        """Return what so many reports of one person tell at most together, for any values in any order.

        Without permanent noise they are independent, given the values, and add up.
        """
        return reports * Fraction(self.epsilon)

    def describe(self) -> dict[str, Any]:
        """Return the form of the mechanism, for JSON."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {"kind": self.kind, **{name: _write_field(value) for name, value in found.items()}}

    @classmethod
    def read(cls, form: dict[str, Any]) -> Self:
        """Return the mechanism of a form."""
        names = {field.name for field in fields(cls)}  # type: ignore[arg-type]
        if set(form) != names:
            raise ClientError(f"a mechanism of the kind {cls.kind} has the fields {', '.join(sorted(names))}")
        return cls(**{name: _read_field(name, value) for name, value in form.items()})


class ItemMechanism(Mechanism):
    """A mechanism over items 0 .. size - 1, of which a report supports some.

    `supported` and `strayed` are the chances that a report supports its own item, and that it supports one other given
    item. All that an estimate needs of a mechanism is these two (Wang, Blocki, Li, Jha 2017, "pure" protocols).
    """

    takes: ClassVar[str] = "item"
    size: int

    @property
    @abstractmethod
    def supported(self) -> Fraction:
        """The chance that a report supports the item that it was made of."""

    @property
    @abstractmethod
    def strayed(self) -> Fraction:
        """The chance that a report supports one given other item."""

    def variance(self, frequency: float = 0.0) -> float:
        """Return the variance of an estimated frequency, times the number of reports."""
        own, stray = float(self.supported), float(self.strayed)
        inside = frequency * own * (1 - own) + (1 - frequency) * stray * (1 - stray)
        return inside / (own - stray) ** 2


def lower(epsilon: float) -> float:
    """Return a little less than epsilon, so that chances computed from it in floats stay below epsilon for certain."""
    return epsilon - 2.0**-45 * (1 + epsilon)


def grow(epsilon: float) -> Fraction:
    """Return e^epsilon, or a little less, as a fraction: chances near 1 that follow from it are exact too."""
    return Fraction(math.exp(lower(epsilon)))


def count_bytes(most: int) -> int:
    """Return how many bytes hold every number up to the most."""
    return max(1, math.ceil(most.bit_length() / 8))


def check_part(name: str, value: object, *kinds: type[Mechanism]) -> None:
    """Refuse a part of a mechanism that is none of these."""
    if not isinstance(value, kinds):
        raise ClientError(f"{name} is {type(value).__name__}; write {' or '.join(kind.__name__ for kind in kinds)}")


def _write_field(value: Any) -> Any:
    if isinstance(value, Mechanism):
        return value.describe()
    if isinstance(value, tuple):
        return [_write_field(each) for each in value]
    return str(value) if isinstance(value, int) and value >= PLAIN else value


def _read_field(name: str, value: object) -> object:
    """Return a field: a whole number, or mechanisms that were read before."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 20:
        return int(value)
    if isinstance(value, int | Mechanism | tuple):
        return value
    raise ClientError(f"{name} is {value!r}; write a whole number")
