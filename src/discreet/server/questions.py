"""What is asked over any wire, and what comes back: plain values that travel between processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from discreet.answers.answer import CONFIDENCE
from discreet.answers.fields import Bounds, Field, Row


@dataclass(frozen=True, slots=True)
class Asked:
    """One question as an analyst sends it. Amounts are decimal text, so that no wire rounds them.

    One of `epsilon`, `rho` and `within` says the price; there is no default. `fresh` needs a `key`, by which a repeated
    request is known.
    """

    sql: str
    epsilon: str | None = None
    rho: str | None = None
    within: Mapping[str, float] | None = None
    params: Mapping[str, object] | None = None
    fresh: bool = False
    key: str | None = None
    confidence: float = CONFIDENCE
    simultaneous: bool = False
    clamping: bool = False
    keys: tuple[object, ...] | None = None
    key_delta: str | None = None
    max_rows: int | None = None
    max_groups: int | None = None
    max_rows_per_group: int | None = None
    left_out: str | int | None = None
    """What limits leave out, counted for a part of the price: `units`, or the most rows of each."""

    @property
    def text(self) -> str:
        """What was asked, as it is written down."""
        return self.sql


@dataclass(frozen=True, slots=True)
class AskedChoice:
    """A choice among public candidates as an analyst sends it: a list of them, or a `span` of lower, upper and step."""

    score: str
    candidates: tuple[object, ...] = ()
    span: tuple[object, object, object] | None = None
    epsilon: str | None = None
    rho: str | None = None
    within: float | None = None
    table: str | None = None
    largest: bool = True
    count: int = 1
    params: Mapping[str, object] | None = None
    fresh: bool = False
    key: str | None = None
    confidence: float = CONFIDENCE
    simultaneous: bool = False
    max_rows: int | None = None
    max_groups: int | None = None
    max_rows_per_group: int | None = None

    @property
    def text(self) -> str:
        """What was asked, as it is written down."""
        return f"choose {self.count} by {'the largest' if self.largest else 'the smallest'}: {self.score}"


@dataclass(frozen=True, slots=True)
class AskedBounds:
    """Bounds of a numeric column, such as visits.cost, to be found privately. They are never found afresh."""

    column: str
    epsilon: str | None = None
    confidence: float = CONFIDENCE
    simultaneous: bool = False
    fresh: ClassVar[bool] = False
    key: ClassVar[str | None] = None

    @property
    def text(self) -> str:
        """What was asked, as it is written down."""
        return f"bounds of {self.column}"


AnyAsked = Asked | AskedChoice | AskedBounds


@dataclass(frozen=True, slots=True)
class Described:
    """What a question would give and cost. Nothing was charged for it, and no private row was read."""

    fields: tuple[Field, ...]
    text: str
    """The explanation, for people to read."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a question would give at one price: how far each of its numbers errs, and how often it still fits."""

    epsilon: str
    errors: tuple[tuple[str, str], ...]
    """What is computed, and how far it errs, in words."""
    more: int


@dataclass(frozen=True, slots=True)
class Preview:
    """What is shown while somebody types: the price list, and the explanation where a price was named. Free."""

    offers: tuple[Offer, ...]
    chosen: Offer | None
    text: str
    """The explanation at the chosen price; nothing where none was named."""
    known: bool
    """Whether this analyst has paid for this answer: then asking again is free."""
    seconds: float
    """The public time after which the answer leaves."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """An answer, with the intervals at the confidence that was asked for."""

    fields: tuple[Field, ...]
    rows: tuple[Row, ...]
    bounds: tuple[Bounds, ...]
    guarantee: str
    notes: tuple[str, ...]
    question: str
    receipt: Mapping[str, Any]
    """What it cost, as JSON values."""
    accuracy: tuple[str, int, float] | None = None
    """Of what was chosen: the score, how many, and how far they may fall short of the best at that confidence."""
    left_out: tuple[str, int, float] | None = None
    """What limits left out: in words, how many, and how far that errs at that confidence."""
