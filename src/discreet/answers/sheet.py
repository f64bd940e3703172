"""The sheet: everything of an answer that is drawn or written for a person, at one confidence."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.answers.fields import Bounds, Field, Row
from discreet.answers.receipt import Receipt


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table's columns and rows, an interval or None for each cell, and what is said below it.

    An answer of a curator has a receipt; estimates from reports that were noisy before they came have none.
    """

    fields: tuple[Field, ...]
    rows: tuple[Row, ...]
    bounds: tuple[Bounds, ...]
    confidence: float
    simultaneous: bool
    receipt: Receipt | None
    guarantee: str
    question: str = ""
    notes: tuple[str, ...] = ()
    accuracy: str = ""
    left_out: str = ""
