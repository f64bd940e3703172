"""How attacks are told: a title, a line for each side, and what to think of it; counts as shares."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence

from discreet.answers.words import to_one_line

WIDTH = 100
OWNERS_EYES = "for the owner's eyes only"
EXACT = f"What this tells of the table is exact, costs nothing and is in no ledger: it is {OWNERS_EYES}, pictures too."
"""What is said of a table of one's own."""


def write_findings(title: str, lines: Sequence[tuple[str, str]], notes: Sequence[str] = ()) -> str:
    """Return a title, labelled lines below one another, and notes, as plain text."""
    width = max(len(label) for label, _ in lines)
    told = [to_one_line(title), ""]
    for label, words in lines:
        begin = f"  {label:<{width}}  "
        told += textwrap.wrap(begin + to_one_line(words), WIDTH, subsequent_indent=" " * len(begin)) or [begin]
    for note in notes:
        told += ["", *textwrap.wrap(to_one_line(note), WIDTH)]
    return "\n".join(told)


def write_caption(words: str, own: bool) -> str:
    """Return what stands below a picture; of a table of one's own it says who may see it."""
    return f"{words.removesuffix('.')}. These are exact facts of a table, {OWNERS_EYES}." if own else words


def write_guessed(share: float | None) -> str:
    """Return a share in percent; none where there was nothing to guess from."""
    return "none" if share is None else write_percent(share)


def write_times(count: int) -> str:
    """Return how often something was done.

    >>> write_times(1), write_times(2000)
    ('once', '2,000 times')
    """
    return "once" if count == 1 else f"{count:,} times"


def write_share(part: float, whole: float) -> str:
    """Return a count as a person reads it.

    >>> write_share(150, 200)
    '150 of 200 (75.0 %)'
    """
    return f"{part:,.0f} of {whole:,.0f} ({write_percent(part / whole if whole else 0.0)})"


def write_percent(share: float) -> str:
    """Return a share in percent.

    >>> write_percent(0.7311)
    '73.1 %'
    """
    return f"{share:.1%}".replace("%", " %")


def write_count(many: int, word: str) -> str:
    """Return how many there are of something.

    >>> write_count(1, "answer"), write_count(2000, "answer")
    ('1 answer', '2,000 answers')
    """
    return f"{many:,} {word}{'s' * (many != 1)}"


def find_standard_error(values: Sequence[float]) -> float:
    """Return the standard error of a mean of independent runs; infinite where there is one run."""
    count = len(values)
    if count < 2:
        return math.inf
    mean = math.fsum(values) / count
    return math.sqrt(math.fsum((each - mean) ** 2 for each in values) / (count - 1) / count)
