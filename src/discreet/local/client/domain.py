"""What values a metric takes. Every value has a place in it: nothing that a device holds makes a client raise."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from .coins import check_count
from .errors import ClientError

MOST_LETTERS = 1000
MOST_WORD_BITS = 64
UNKNOWN = "\ufffd"
"""How a letter is spelled that its alphabet lacks."""
OTHER = "(other)"
"""What all values that were not listed are counted as."""


class ValueDomain(ABC):
    """What values a metric takes, and what a mechanism gets of each."""

    kind: ClassVar[str]
    gives: ClassVar[str]
    """Which mechanisms it suits: those that take items, texts, words, numbers or records."""

    @abstractmethod
    def place(self, value: Any) -> Any:
        """Return what a mechanism randomises for a value, whatever it is."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Return the form of the domain, for JSON."""


@dataclass(frozen=True)
class Choices(ValueDomain):
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
class Texts(ValueDomain):
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
class BoundedNumbers(ValueDomain):
    """Numbers between public bounds; those beyond count as the bound, and what is no number as the middle."""

    kind: ClassVar[str] = "numbers"
    gives: ClassVar[str] = "number"

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (is_number(self.low) and is_number(self.high) and float(self.low) < float(self.high)):
            raise ClientError("bounds are two finite numbers that differ as floats; write the lower first")
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


@dataclass(frozen=True)
class AlphabetWords(ValueDomain):
    """Words of an alphabet as whole numbers: some bits for each letter, the first letter on top.

    Behind a word come zeros. Letters that the alphabet lacks are all one letter more, and letters too many are cut off.
    """

    kind: ClassVar[str] = "words"
    gives: ClassVar[str] = "word"

    alphabet: str
    letters: int

    def __post_init__(self) -> None:
        if not isinstance(self.alphabet, str) or not self.alphabet or len(set(self.alphabet)) < len(self.alphabet):
            raise ClientError("an alphabet is a text of letters, each of them once")
        if UNKNOWN in self.alphabet:
            raise ClientError(f"the letter {UNKNOWN!r} stands for those that the alphabet lacks; leave it out")
        check_count("letters", self.letters, 1, MOST_WORD_BITS // self.letter_bits)

    @cached_property
    def _symbols(self) -> dict[str, int]:
        return {letter: symbol for symbol, letter in enumerate(self.alphabet, start=1)}

    @property
    def letter_bits(self) -> int:
        """How many bits a letter has: enough for the alphabet, a letter that it lacks, and none."""
        return (len(self.alphabet) + 1).bit_length()

    @property
    def bits(self) -> int:
        """How many bits a word has."""
        return self.letters * self.letter_bits

    def place(self, value: Any) -> int:
        """Return the number of a text; what is no text counts as the empty word."""
        found = 0
        held = value if isinstance(value, str) else ""
        for place in range(self.letters):
            symbol = self._symbols.get(held[place], len(self.alphabet) + 1) if place < len(held) else 0
            found = found << self.letter_bits | symbol
        return found

    def spell(self, word: int) -> str | None:
        """Return the text of a number, or None where it is no word: a letter after the end, or one of none."""
        spelled = ""
        for place in range(self.letters):
            symbol = word >> (self.bits - self.letter_bits * (place + 1)) & ((1 << self.letter_bits) - 1)
            if symbol > len(self.alphabet) + 1 or (symbol and len(spelled) < place):
                return None
            spelled += ("", *self.alphabet, UNKNOWN)[symbol]
        return spelled

    def describe(self) -> dict[str, Any]:
        """Return the form of the domain, for JSON."""
        return {"kind": self.kind, "alphabet": self.alphabet, "letters": self.letters}


@dataclass(frozen=True)
class Records(ValueDomain):
    """Named attributes of one person, each with a domain of its own; one that is missing counts as no value."""

    kind: ClassVar[str] = "records"
    gives: ClassVar[str] = "record"

    names: tuple[str, ...]
    domains: tuple[ValueDomain, ...]

    def __post_init__(self) -> None:
        if not self.names or not all(isinstance(name, str) and name for name in self.names):
            raise ClientError("the names of attributes are texts, at least one")
        if len(set(self.names)) < len(self.names) or len(self.names) != len(self.domains):
            raise ClientError("every attribute has a name of its own and one domain")
        if not all(isinstance(each, ValueDomain) and not isinstance(each, Records) for each in self.domains):
            raise ClientError("an attribute is no record itself; write the inner record's attributes among the others")

    def place(self, value: Any) -> tuple[Any, ...]:
        """Return what a mechanism randomises for each attribute of a dictionary."""
        held = value if isinstance(value, dict) else {}
        return tuple(domain.place(held.get(name)) for name, domain in zip(self.names, self.domains, strict=True))

    def describe(self) -> dict[str, Any]:
        """Return the form of the domain, for JSON."""
        return {"kind": self.kind, "names": list(self.names), "domains": [each.describe() for each in self.domains]}


def read_domain(form: object) -> ValueDomain:
    """Return the domain of a form."""
    if isinstance(form, dict):
        kind, fields = form.get("kind"), set(form) - {"kind"}
        if kind == "choices" and fields == {"values"} and isinstance(form["values"], list):
            return Choices(tuple(form["values"]))
        if kind == "texts" and fields == {"letters"}:
            return Texts(form["letters"])
        if kind == "numbers" and fields == {"low", "high"}:
            return BoundedNumbers(form["low"], form["high"])
        if kind == "words" and fields == {"alphabet", "letters"}:
            return AlphabetWords(form["alphabet"], form["letters"])
        if kind == "records" and fields == {"names", "domains"}:
            return _read_records(form["names"], form["domains"])
    raise ClientError(
        "a domain is choices with values, texts with letters, numbers with low and high, words with alphabet and "
        "letters, or records with names and domains"
    )


def _read_records(names: object, domains: object) -> Records:
    if not isinstance(names, list) or not isinstance(domains, list):
        raise ClientError("records have a list of names and a list of domains")
    if any(isinstance(each, dict) and each.get("kind") == "records" for each in domains):
        raise ClientError("an attribute is no record itself; write its attributes among the others")
    return Records(tuple(names), tuple(read_domain(each) for each in domains))


def is_number(value: object) -> bool:
    """Say whether a value is a finite number, also as a float."""
    known = isinstance(value, int | float) and not isinstance(value, bool)
    return known and abs(value) <= sys.float_info.max  # type: ignore[arg-type]
