"""What does not fit, as an owner reads it: exact numbers from private rows, unpaid, for nobody else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MUCH = 0.05
"""A larger part of values or rows that do not fit is something to do."""

FOR_THE_OWNER = (
    "for the owner's eyes only: these numbers are exact and read from private rows. They cost nothing since nobody "
    "else may see them; nothing is written into the ledger"
)


@dataclass(frozen=True, slots=True)
class Misfit:
    """Some values, rows or units of a table that do not fit, and of how many."""

    what: str
    """A column, or what is limited."""

    kind: str
    words: str
    count: int
    of: int
    weighs: bool = True
    """Whether it is something to do where it is much; another one says the same where not."""

    @property
    def share(self) -> float:
        """Return which part does not fit."""
        return self.count / self.of if self.of else 0.0

    @property
    def to_do(self) -> bool:
        """Say whether so much does not fit that what was declared is likely to be wrong."""
        return self.weighs and self.share > MUCH

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        named = {"what": self.what, "kind": self.kind, "words": self.words}
        return {**named, "count": self.count, "of": self.of, "share": self.share, "to_do": self.to_do}

    def __str__(self) -> str:
        return f"{write_share(self.share)} {self.words} ({self.count:,} of {self.of:,})"


class LookedAt:
    """Rows that were looked at for what does not fit; `looked_at` has all that was looked for, found or not."""

    __slots__ = ()
    looked_at: tuple[Misfit, ...]

    @property
    def misfits(self) -> tuple[Misfit, ...]:
        """Return what does not fit."""
        return tuple(each for each in self.looked_at if each.count)

    def count_much(self) -> int:
        """Return of how many things so much does not fit that they are to be done."""
        return sum(each.to_do for each in self.looked_at)

    def find(self, what: str, kind: str) -> Misfit:
        """Return what was found of one thing that was looked for."""
        return next(each for each in self.looked_at if (each.what, each.kind) == (what, kind))


def write_share(share: float) -> str:
    """Return a share as a person reads it: none is nothing, and none is everything, that is not.

    >>> write_share(0.5), write_share(0.00001), write_share(0.99999), write_share(1.0)
    ('50.0 %', 'under 0.1 %', 'over 99.9 %', '100.0 %')
    """
    if 0 < share < 0.001:
        return "under 0.1 %"
    return "over 99.9 %" if 0.999 < share < 1 else f"{share:.1%}".replace("%", " %")
