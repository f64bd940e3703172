"""What intervals and tests return: values that say what they cover, what they cost and how many people they rest on."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from discreet.answers import Receipt
from discreet.answers.html_tables import render_table
from discreet.answers.numbers import format_interval, format_percent, format_value
from discreet.answers.words import describe_charge, to_one_line
from discreet.base.showing import ShownAsText
from discreet.robust.asking import PaidQuestion
from discreet.robust.pictures import draw_intervals

WIDTH = 100

COVERS = (
    "sampling and noise together: of samples of people from one population, each with noise of its own, {} have an "
    "interval that holds the population's {}"
)

CLAMPING = (
    "the bias of clamping: {} are clamped to these public bounds first, and no interval covers what that changes; nor "
)

NOT_COVERED = "{}rows that limits leave out, nor people who were not drawn at random"

TOO_FEW = "too few people to say: all that the public bounds allow"

TOO_FEW_TO_TEST = "too few people to say: p = 1"


@dataclass(frozen=True, slots=True)
class SampledGroup:
    """One group of people: its name, the noisy number of people, and how far that is off at 95 %."""

    name: str
    count: int
    within: int

    def __str__(self) -> str:
        named = f"{to_one_line(self.name)}: " if self.name else ""
        return f"{named}about {self.count:,} ± {self.within:,}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"name": self.name, "count": self.count, "within": self.within}


@dataclass(frozen=True, repr=False)
class PopulationInterval(ShownAsText):
    """An estimate for the population that the people were drawn from: its interval covers sampling and noise together.

    The intervals of `Answer` cover the noise alone; they are about the people in the table, these about all who could
    have been in it. `enough` is False where there are too few people to say: then low and high are all that the public
    bounds allow.
    """

    what: str
    """What is estimated, of whom."""
    unknown: str
    """The same in a few words: mean, share, difference of means."""
    estimate: float
    low: float
    high: float
    confidence: float
    groups: tuple[SampledGroup, ...]
    enough: bool
    clamped: str | None
    """What is clamped to which public bounds, if anything can be."""
    notes: tuple[str, ...]
    paid: PaidQuestion

    @property
    def receipt(self) -> Receipt:
        """The receipt of the one charge."""
        return self.paid.receipt

    @property
    def covers(self) -> str:
        """What the interval covers."""
        return COVERS.format(format_percent(self.confidence), self.unknown)

    @property
    def not_covered(self) -> str:
        """What no interval covers."""
        return NOT_COVERED.format("" if self.clamped is None else CLAMPING.format(self.clamped))

    def list_facts(self) -> list[tuple[str, str]]:
        """Return what is shown below the estimate: labels and words."""
        return [
            ("covers", self.covers),
            ("not covered", self.not_covered),
            *(("people", str(each)) for each in self.groups),
            *list_cost(self.paid),
            *(("note", note) for note in (*self.notes, *self.paid.remarks)),
        ]

    def __str__(self) -> str:
        return write_facts(self.what, write_estimate(self), self.list_facts())

    def _repr_html_(self) -> str:
        return render_facts(self.what, write_estimate(self), self.list_facts())

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return {
            "what": self.what,
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "confidence": self.confidence,
            "enough": self.enough,
            "people": [each.to_dict() for each in self.groups],
            "covers": self.covers,
            "not_covered": self.not_covered,
            "guarantee": self.paid.guarantee,
            "receipt": self.receipt.to_dict(),
            "question": self.paid.question,
            "notes": [*self.notes, *self.paid.remarks],
        }

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the estimate with its interval; saved where a path is given."""
        return plot_intervals([self], path)


def plot_intervals(results: list[PopulationInterval], path: str | Path | None = None) -> Any:
    """Draw estimates with their intervals below one another; saved where a path is given.

    Each holds on its own; all of several hold together less often.
    """
    rows = [(each.what, each.estimate if each.enough else math.nan, each.low, each.high) for each in results]
    confident = ", ".join(sorted({format_percent(each.confidence) for each in results}))
    below = [
        f"{confident} intervals for sampling and noise together, each on its own; not for the bias of clamping",
        "; ".join(dict.fromkeys(each.paid.guarantee for each in results)),
    ]
    return draw_intervals(rows, below, None if path is None else Path(path))


def write_estimate(found: PopulationInterval) -> str:
    """Return the estimate with its interval, or that there are too few people."""
    pair = (found.low, found.high)
    if not found.enough:
        return f"{TOO_FEW}: {format_value(found.low)} .. {format_value(found.high)}"
    shown = f"{format_value(found.estimate, pair)} {format_interval(found.estimate, pair)}"
    return f"{shown}   {format_percent(found.confidence)} interval for sampling and noise together"


def list_cost(paid: PaidQuestion) -> list[tuple[str, str]]:
    """Return the guarantee, the charge and the receipt."""
    return [
        ("guarantee", paid.guarantee),
        ("cost", describe_charge(paid.receipt)),
        ("receipt", str(paid.receipt)),
    ]


def write_facts(title: str, first: str, facts: list[tuple[str, str]]) -> str:
    """Return a title, a line and labelled lines as plain text."""
    lines = [to_one_line(title), to_one_line(first), ""]
    for label, words in facts:
        lines += textwrap.wrap(f"{label}: {to_one_line(words)}", WIDTH, subsequent_indent="  ", break_long_words=False)
    return "\n".join(lines)


def render_facts(title: str, first: str, facts: list[tuple[str, str]]) -> str:
    """Return the same as HTML, every text escaped."""
    table = render_table("", "", (), facts)
    return f"<div><p><b>{escape(title)}</b></p><p>{escape(first)}</p>{table}</div>"
