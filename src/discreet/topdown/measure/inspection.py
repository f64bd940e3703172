"""How the rows of a table fit a census spec, as its owner reads it: exact, unpaid, for nobody else."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

from discreet.answers.words import to_one_line
from discreet.base.showing import ShownAsText
from discreet.curator.owner.misfits import FOR_THE_OWNER, LookedAt, Misfit
from discreet.topdown.spec.invariants import NO_MOST

COPYING = (
    "areas, values, zeros and public numbers are public: changed after these numbers, they publish what the rows hold. "
    "Take them from what is known without the rows (an official list of areas, a register, a form)"
)
WIDTH = 110


@dataclass(frozen=True, slots=True)
class PublicGap:
    """A public number that the rows do not have."""

    area: str
    answer: str
    """What is counted, in words; empty where it is everybody."""
    low: int
    high: int
    """The number is public exactly where both are the same, and has no upper bound where this is `NO_MOST`."""
    counted: int

    @property
    def off(self) -> int:
        """How far the rows are from what is public: below 0 where they are fewer."""
        return min(self.counted - self.low, 0) + max(self.counted - self.high, 0)

    def __str__(self) -> str:
        where = f"{self.area}, {self.answer}" if self.answer else self.area
        rows = f"{self.counted:,} row{'' if self.counted == 1 else 's'}"
        if self.low == self.high:
            return f"{where}: {rows}, and {self.low:,} is public"
        public = f"at least {self.low:,}" if self.counted < self.low else f"at most {self.high:,}"
        return f"{where}: {rows}, and {public} is public"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        high = None if self.high == NO_MOST else self.high
        return {"area": self.area, "answer": self.answer, "low": self.low, "high": high, "counted": self.counted}


@dataclass(frozen=True, slots=True)
class InvariantFit:
    """How the rows fit one invariant: how many of its numbers they do not have, and the largest differences."""

    name: str
    level: str
    query: str
    off: int
    of: int
    areas: int
    """In how many areas some number differs."""
    largest: tuple[PublicGap, ...]

    def __str__(self) -> str:
        head = f"{self.off:,} of {self.of:,} public numbers of {self.query} in {self.areas:,} areas of {self.level}"
        told = "; ".join(map(str, self.largest))
        more = ", and more" if self.off > len(self.largest) else ""
        return f"{head} are not what the rows have. The release keeps the public ones. The largest: {told}{more}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        named = {"name": self.name, "level": self.level, "query": self.query}
        counts = {"off": self.off, "of": self.of, "areas": self.areas}
        return {**named, **counts, "largest": [each.to_dict() for each in self.largest]}


@dataclass(frozen=True, slots=True)
class EmptyAreas:
    """The areas of a level in which nobody is counted: how many, of how many, and the first of them."""

    level: str
    empty: int
    of: int
    first: tuple[str, ...]

    def __str__(self) -> str:
        more = ", ..." if self.empty > len(self.first) else ""
        verb = "has" if self.empty == 1 else "have"
        return f"{self.empty:,} of {self.of:,} areas {verb} nobody: {', '.join(self.first)}{more}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"level": self.level, "empty": self.empty, "of": self.of, "first": list(self.first)}


@dataclass(frozen=True, repr=False)
class CensusInspection(LookedAt, ShownAsText):
    """How the rows fit a spec. For the owner's eyes only: exact, read from private rows, and written down nowhere."""

    table: str
    rows: int
    counted: int
    """Rows that a release would count: in an area and a cell of the spec, and within their unit's limit."""
    looked_at: tuple[Misfit, ...]
    invariants: tuple[InvariantFit, ...]
    empty: tuple[EmptyAreas, ...]

    @property
    def to_do(self) -> int:
        """Return how many things are to be done: much that does not fit, and public numbers that rows do not have."""
        return self.count_much() + sum(each.off > 0 for each in self.invariants) + (self.counted == 0)

    def to_dict(self) -> dict[str, Any]:
        """Return everything for programs of the owner's."""
        return {
            "for": FOR_THE_OWNER,
            "warning": COPYING,
            "to_do": self.to_do,
            "table": self.table,
            "rows": self.rows,
            "counted": self.counted,
            "looked_at": [each.to_dict() for each in self.looked_at],
            "invariants": [each.to_dict() for each in self.invariants],
            "empty": [each.to_dict() for each in self.empty],
        }

    def __str__(self) -> str:
        lines = [f"{self.table}: {self.rows:,} rows, of which a release counts {self.counted:,}"]
        if not self.counted:
            lines.append("to do  there are no rows to count")
        for misfit in self.misfits:
            lines.append(f"{'to do' if misfit.to_do else 'note':5}  {misfit.what}: {misfit}")
        for invariant in self.invariants:
            told = invariant if invariant.off else f"every public number is what the rows have ({invariant.of:,})"
            lines.append(f"{'to do' if invariant.off else 'ok':5}  {invariant.name}: {told}")
        lines += [f"note   {each.level}: {each}" for each in self.empty if each.empty]
        if self.counted and not self.misfits:
            lines.append("ok     every row is counted")
        lines = [to_one_line(line) for line in lines]
        parts = (_wrap(FOR_THE_OWNER), "\n".join(lines), _wrap(f"warning: {COPYING}"))
        return "\n\n".join(parts)


def _wrap(text: str) -> str:
    return "\n".join(textwrap.wrap(text, WIDTH))
