"""What a replay found: a frozen report, with every finding, and how far one unit moved each call beside its price."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from discreet.base.errors import DiscreetError
from discreet.base.showing import ShownAsText


class FindingKind(StrEnum):
    """What differs on a neighbour, or is wrong by itself."""

    SENSITIVITY = "sensitivity"
    """One unit moves what goes into a mechanism farther than is paid for."""

    CALLS = "calls"
    """Another mechanism is called, one more or one less, or one with other parameters."""

    SHAPE = "shape"
    """What goes in or comes out has another shape."""

    RESULT = "result"
    """The result differs, though all noise is the same: something reached it past the mechanisms."""

    ERROR = "error"
    """It raises on one database and not on the other, or something else."""

    NUMBER = "no number"
    """A mechanism says something that is no number, such as NaN."""

    UNSTEADY = "unsteady"
    """It does something else on the very same database."""

    TIME = "time"
    """It takes so much longer on one database that the clock tells which it is."""

    HANG = "hang"
    """It does not end."""


@dataclass(frozen=True, slots=True)
class ReplayFinding:
    """One thing that tells neighbours apart, or may: on which neighbour, and in words."""

    kind: FindingKind
    neighbour: str
    words: str

    def __str__(self) -> str:
        return f"{self.kind.value}, {self.neighbour}: {self.words}"


@dataclass(frozen=True, slots=True)
class Moved:
    """How far one unit moved what went into one call, on some neighbour, beside what was declared for it.

    `squared` numbers are squares of L2 distances, which are exact; they are shown as their roots.
    """

    call: str
    norm: str
    declared: Fraction | float | None
    observed: Fraction | float
    squared: bool = False
    priced: bool = False
    """Whether its loss was added up, beside the epsilon that was declared for all together."""

    @property
    def exceeds(self) -> bool:
        """Whether a unit moves it farther than is declared."""
        return self.declared is not None and self.observed > self.declared

    @property
    def declared_words(self) -> str:
        """What was declared, as it is shown; a dash where nothing was."""
        return "-" if self.declared is None else self._show(self.declared)

    @property
    def observed_words(self) -> str:
        """What was observed, as it is shown."""
        return self._show(self.observed)

    def __str__(self) -> str:
        told = self.declared_words, self.observed_words
        if self.exceeds and told[0] == told[1]:
            told = f"{float(self.declared or 0)!r}", f"{float(self.observed)!r}"
        declared = "nothing declared" if self.declared is None else f"declared {told[0]}"
        return f"{self.call}: {declared}, observed {told[1]} ({self.norm})"

    def _show(self, number: Fraction | float) -> str:
        if not self.squared:
            return show_number(number)
        return show_number(math.sqrt(number) if number < LARGEST else Fraction(math.isqrt(int(number))))


LARGEST = 1e300
"""From here on numbers are no floats."""


def show_number(number: Fraction | float) -> str:
    """Return a number in few digits."""
    if LARGEST <= number != math.inf:
        return f"{Decimal(int(number)):.6g}"
    whole = float(number)
    return f"{int(whole):,}" if whole.is_integer() and abs(whole) < 1e15 else f"{whole:.6g}"


UNDECLARED = "nothing says how far a unit may move {}: say sensitivity=, or epsilon= for this library's mechanisms"


class ReplayError(DiscreetError, AssertionError):
    """A replay found something: an assertion that does not hold, for tests."""


@dataclass(frozen=True, slots=True, repr=False)
class ReplayReport(ShownAsText):
    """What one operation did on a database and on its neighbours, under the same recorded randomness.

    No finding is no proof: neighbours that nobody generated were not tried.
    """

    operation: str
    neighbours: tuple[str, ...]
    """The neighbours that were tried."""

    findings: tuple[ReplayFinding, ...]
    moved: tuple[Moved, ...]
    """Of each call, the farthest that any neighbour moved it."""

    calls: int
    """How many mechanisms and desks were asked on the database itself."""

    seconds: float
    refused: str | None = None
    """What was raised on the database itself: then nothing was replayed but that error."""

    @property
    def ok(self) -> bool:
        """Whether something was replayed, nothing was found, and all that a unit moves says how far it may."""
        return not self.findings and self.refused is None and not self.undeclared

    @property
    def undeclared(self) -> tuple[str, ...]:
        """The calls that a unit moves though nothing says how far it may."""
        wrong = [each.call for each in self.moved if each.observed > 0 and each.declared is None and not each.priced]
        return tuple(dict.fromkeys(wrong))

    @property
    def matter(self) -> str:
        """The first thing that is the matter, or "nothing found"."""
        if self.refused is not None:
            return self.refused
        if self.findings:
            return str(self.findings[0])
        return UNDECLARED.format(", ".join(self.undeclared)) if self.undeclared else "nothing found"

    def raise_if_any(self) -> ReplayReport:
        """Return this report, or raise a `ReplayError` with every finding: the line of a test."""
        if not self.ok:
            raise ReplayError(str(self))
        return self

    def __str__(self) -> str:
        many = f"{len(self.neighbours)} neighbour{'s' * (len(self.neighbours) != 1)}"
        head = f"{self.operation}: {many}, {self.calls} call{'s' * (self.calls != 1)}"
        found = f"{len(self.findings)} finding{'s' * (len(self.findings) != 1)}" if self.findings else "nothing found"
        lines = [f"{head}, {found}"]
        if self.refused is not None:
            lines = [head, f"  nothing was replayed: {self.refused}"]
        lines += [*(f"  {each}" for each in self.moved), *(f"  FOUND {each}" for each in self.findings)]
        if self.undeclared:
            lines.append("  " + UNDECLARED.format(", ".join(self.undeclared)))
        return "\n".join(lines)


def keep_farthest(every: list[Moved]) -> tuple[Moved, ...]:
    """Return the farthest of each call and norm, in the order in which they came first; what exceeds goes before."""
    best: dict[tuple[object, ...], Moved] = {}
    for each in every:
        key = each.call, each.norm, each.declared, each.priced
        known = best.get(key)
        if known is None or (each.exceeds, each.observed) > (known.exceeds, known.observed):
            best[key] = each
    return tuple(best.values())
