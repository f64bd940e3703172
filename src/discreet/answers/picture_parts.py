"""What pictures have in common: colours, numbers that can be drawn, words that are no formulas, axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from discreet.answers.bars import Pair
from discreet.answers.fields import Field
from discreet.answers.numbers import format_interval, format_value, to_float
from discreet.answers.words import to_one_line

LONGEST_LABEL = 40
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
"""Of several series; people who see colours differently tell them apart (Okabe, Ito 2008)."""

_HUGEST = 1e300
"""Matplotlib squares and adds what it draws: what is larger is drawn at this place, beside its true number."""


def list_drawn(fields: Sequence[Field]) -> list[int]:
    """Return the places of the columns that a picture shows: noisy numbers."""
    return [place for place, field in enumerate(fields) if field.noisy and field.type.numeric]


def list_keys(fields: Sequence[Field]) -> list[int]:
    """Return the places of the keys."""
    return [place for place, field in enumerate(fields) if not field.noisy]


def write_label(values: Iterable[object]) -> str:
    """Return keys as one label, short enough to stand beside what is drawn."""
    return quote_label(", ".join(to_one_line(format_value(each, noisy=False)) or '""' for each in values))


def quote_label(text: str) -> str:
    """Return text of one line, cut, that matplotlib does not take for a formula."""
    line = to_one_line(text)
    return quote_text(line if len(line) <= LONGEST_LABEL else line[: LONGEST_LABEL - 1] + "…")


def quote_text(text: str) -> str:
    """Return text that matplotlib does not take for a formula."""
    return to_one_line(text).replace("$", r"\$")


def write_number_beside(value: object, pair: Pair | None) -> str:
    """Return the words beside a bar; a number that has no room there is rounded, and says so."""
    words = f"{format_value(value, pair)} {format_interval(value, pair)}".rstrip()
    if len(words) <= LONGEST_LABEL or not isinstance(value, int | float | Decimal):
        return words
    return f"about {Decimal(value):.3e}"


def hold(value: object) -> float:
    """Return a number that can be drawn, or NaN."""
    number = to_float(value)
    return number if math.isnan(number) else min(max(number, -_HUGEST), _HUGEST)


def find_reach(numbers: Iterable[float], pairs: Iterable[Pair | None]) -> float:
    """Return how far from zero values and finite ends of intervals go; 1 where none does."""
    ends = [abs(number) for number in numbers if not math.isnan(number)]
    ends += [abs(hold(end)) for pair in pairs if pair for end in pair if math.isfinite(to_float(end))]
    return max(ends, default=0.0) or 1.0


def hold_ends(pair: Pair, reach: float) -> tuple[float, float]:
    """Return an interval's ends as they are drawn: one that goes on for ever ends a little outside."""
    low, high = (min(max(hold(end), -1.1 * reach), 1.1 * reach) for end in pair)
    return low, high


def list_caps(pair: Pair) -> list[float]:
    """Return the ends that an interval has."""
    return [hold(end) for end in pair if math.isfinite(to_float(end))]


def dress_number_axis(axes: Any, axis: str) -> None:
    """Write numbers along an axis, with lines across."""
    axes.tick_params(axis=axis, labelsize=8)
    axes.locator_params(axis=axis, nbins=5)
    (axes.xaxis if axis == "x" else axes.yaxis).set_major_formatter(lambda value, _: write_tick(value))
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis=axis, color="0.9")
    axes.set_axisbelow(True)


def write_tick(value: float) -> str:
    """Return a number on an axis.

    >>> write_tick(1500000.0), write_tick(2.5e12), write_tick(1200.0), write_tick(0.25)
    ('1.5M', '2.5T', '1,200', '0.25')
    """
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if size <= abs(value) < 1e15:
            return f"{value / size:.6g}{letter}"
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.6g}"
