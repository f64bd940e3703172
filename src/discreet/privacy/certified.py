"""What a bound on privacy is here: a bracket."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Certified:
    """A bracket around a real number: low <= truth <= high. `high` is what a privacy claim may use.

    `note` says why the bracket is wide, where it could have been narrower with more time or memory; else it is empty.
    """

    low: float
    high: float
    note: str = field(default="", compare=False)
