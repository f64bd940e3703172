"""The types of columns, the same on every engine."""

from __future__ import annotations

from enum import StrEnum

Digits = tuple[int, int]
"""Of a decimal number: its digits in all, and how many of them stand behind the point."""


class Type(StrEnum):
    """What a column or an expression holds, in the words that a policy uses."""

    BOOLEAN = "boolean"
    INTEGER = "integer"
    """A whole number of at most 64 bits with its sign."""

    DECIMAL = "decimal"
    """A whole number of powers of ten, exact."""

    FLOAT = "float"
    TEXT = "text"
    DATE = "date"
    TIMESTAMP = "timestamp"
    """A point in time, in UTC."""

    @property
    def numeric(self) -> bool:
        """Say whether values of this type can be added."""
        return self in (Type.INTEGER, Type.DECIMAL, Type.FLOAT)
