"""What a bound on privacy is here: a bracket."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Certified:
    """A bracket around a real number: low <= truth <= high. `high` is what a privacy claim may use."""

    low: float
    high: float
