"""How much the accountant takes on: no call takes more than about 30 seconds or 2 GB.

What is too large is refused, or computed on a coarser grid, whose bracket is wider. The limits count laws, atoms and
grid points, not seconds: the same question has the same answer on every machine.
"""

from __future__ import annotations

from discreet.privacy.accountant.pairs import Releases

FINEST = 1 << 20
"""The most grid points across one law or one window."""

COARSEST = 1 << 11
"""Every law may have this many points, however many laws there are."""

MOST_POINTS = 1 << 21
"""The most grid points of all laws together, each counted with its effort."""

MOST_RELEASES = 10**13
"""With more releases than this the round-off of one law, times their number, is no longer small."""

MOST_LAWS = 60
"""The most laws that are put on a grid one by one; those of one family go together."""

MOST_EFFORT = 1000.0
"""The most effort of such laws in all."""

MOST_ROWS = 5000
"""The most laws, those of one family included."""

MOST_ATOMS = 1 << 22
"""The most atoms of all pairs together."""


def explain_refusal(releases: Releases) -> str:
    """Say why these releases are too many for the accountant, or nothing where they are not."""
    if sum(count for _, count in releases) > MOST_RELEASES:
        return f"it composes at most {MOST_RELEASES:.0e} releases"
    if sum(pair.family is None for pair, _ in releases) > MOST_LAWS or _add_effort(releases) > MOST_EFFORT:
        return f"it composes at most {MOST_LAWS} different losses of such kinds, and fewer mixtures"
    if len(releases) > MOST_ROWS:
        return f"it composes at most {MOST_ROWS} different losses"
    return ""


def explain_atoms(count: int) -> str:
    """Say why pairs with so many atoms in all are too large, or nothing where they are not."""
    return f"it composes losses of at most {MOST_ATOMS} outcomes in all" if count > MOST_ATOMS else ""


def choose_finest(releases: Releases) -> int:
    """Return the most grid points that one of these laws may have."""
    return int(max(COARSEST, min(FINEST, MOST_POINTS / max(1.0, _add_effort(releases)))))


def explain_coarse_grid(releases: Releases) -> str:
    """Say that the grid may be coarser than it should be, or nothing where it has all points."""
    finest = choose_finest(releases)
    return f"the grid of each loss was limited to {finest} points" if finest < FINEST else ""


def _add_effort(releases: Releases) -> float:
    return sum(pair.effort for pair, _ in releases if pair.family is None)
