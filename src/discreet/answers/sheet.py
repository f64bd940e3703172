"""The sheet: everything of an answer that is drawn or written for a person, at one confidence."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.answers.fields import Bounds, Field, Row
from discreet.answers.receipt import Receipt


@dataclass(frozen=True, slots=True)
class Sheet:
    """An answer's columns and rows, an interval or None for each cell, and what is said below the table."""

    fields: tuple[Field, ...]
    rows: tuple[Row, ...]
    bounds: tuple[Bounds, ...]
    confidence: float
    simultaneous: bool
    receipt: Receipt
    guarantee: str
    question: str = ""
    notes: tuple[str, ...] = ()
    accuracy: str = ""
