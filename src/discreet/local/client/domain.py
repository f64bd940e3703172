"""What values a metric takes. Every value has a place in it: nothing that a device holds makes a client raise."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from .coins import check_count
from .errors import ClientError

MOST_LETTERS = 1000
OTHER = "(other)"
"""What all values that were not listed are counted as."""


class Domain(ABC):
    """What values a metric takes, and what a mechanism gets of each."""

    kind: ClassVar[str]
    gives: ClassVar[str]
    """Which mechanisms it suits: those that take items, texts or numbers."""

    @abstractmethod
    def place(self, value: Any) -> Any:
        """Return what a mechanism randomises for a value, whatever it is."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Return the form of the domain, for JSON."""


@dataclass(frozen=True)
class Choices(Domain):
    """Listed texts; all other values are one more item, the last, so that they are counted apart and skew nothing."""

    kind: ClassVar[str] = "choices"
    gives: ClassVar[str] = "item"

    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.values or not all(isinstance(each, str) for each in self.values):
            raise ClientError("choices are texts, at least one")
        if len(set(self.values)) < len(self.values) or OTHER in self.values:
            raise ClientError(f"every choice is listed once, and {OTHER} is not one: it is added")

    @cached_property
    def _places(self) -> dict[str, int]:
        return {value: place for place, value in enumerate(self.values)}

    @property
    def size(self) -> int:
        """How many items there are, with the one for all others."""
        return len(self.values) + 1

    @property
    def names(self) -> tuple[str, ...]:
        """The items' names, in order."""
        return (*self.values, OTHER)

    def place(self, value: Any) -> int:
        """Return the item of a value."""
        return self._places.get(value, len(self.values)) if isinstance(value, str) else len(self.values)

    def describe(self) -> dict[str, Any]:
        """Return the form of the domain, for JSON."""
        return {"kind": self.kind, "values": list(self.values)}


@dataclass(frozen=True)
class Texts(Domain):
    """Any text, of which the first letters count: what nobody could list before."""

    kind: ClassVar[str] = "texts"
    gives: ClassVar[str] = "text"

    letters: int = 64

    def __post_init__(self) -> None:
        check_count("letters", self.letters, 1, MOST_LETTERS)

    def place(self, value: Any) -> bytes:
        """Return a text's bytes; what is no text counts as the empty one."""
        return value[: self.letters].encode("utf-8", "replace") if isinstance(value, str) else b""

    def describe(self) -> dict[str, Any]:
        """Return the form of the domain, for JSON."""
        return {"kind": self.kind, "letters": self.letters}


@dataclass(frozen=True)
class Numbers(Domain):
    """Numbers between public bounds; those beyond count as the bound, and what is no number as the middle."""

    kind: ClassVar[str] = "numbers"
    gives: ClassVar[str] = "number"

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (_is_number(self.low) and _is_number(self.high) and self.low < self.high):
            raise ClientError(f"bounds are {self.low!r} and {self.high!r}; write two numbers, the lower first")
        object.__setattr__(self, "low", float(self.low))
        object.__setattr__(self, "high", float(self.high))

    def place(self, value: Any) -> Fraction:
        """Return where a number lies, from -1 at the lower bound to 1 at the upper one."""
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            return Fraction(0)
        held = Fraction(self.high if value > self.high else self.low if value < self.low else value)
        return (2 * held - Fraction(self.low) - Fraction(self.high)) / (Fraction(self.high) - Fraction(self.low))

    def describe(self) -> dict[str, Any]:
        """Return the form of the domain, for JSON."""
        return {"kind": self.kind, "low": self.low, "high": self.high}


def read_domain(form: object) -> Domain:
    """Return the domain of a form."""
    if isinstance(form, dict):
        kind, fields = form.get("kind"), set(form) - {"kind"}
        if kind == "choices" and fields == {"values"} and isinstance(form["values"], list):
            return Choices(tuple(form["values"]))
        if kind == "texts" and fields == {"letters"}:
            return Texts(form["letters"])
        if kind == "numbers" and fields == {"low", "high"}:
            return Numbers(form["low"], form["high"])
    raise ClientError("a domain is choices with values, texts with letters, or numbers with low and high")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
