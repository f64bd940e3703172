"""What is public about areas and must hold in every release: totals, and numbers of facilities."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.base.wide import LIMIT, Ints
from discreet.topdown.spec.queries import Query

NO_MOST = LIMIT
"""Of an answer of which nothing is said from above."""


@dataclass(frozen=True, eq=False)
class Invariant:
    """Public numbers by area of a level: the answers of a query are these (`exact`), or at least these.

    They come from a public table of the owner's, never from private rows.
    """

    name: str
    level: int
    query: Query
    values: Ints
    """A row for each area of the level, a number for each answer of the query."""
    exact: bool = True
    most: Ints | None = None
    """Where given, the answers are at most these too: 0 where there is no facility, `NO_MOST` where nothing is said."""
