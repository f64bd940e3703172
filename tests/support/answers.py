"""Answers for tests: a receipt, and bounds that are the same half-width around every value."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from discreet.answers import Answer, Bounds, Field, Mark, Receipt
from discreet.answers.fields import Number
from discreet.base.types import Type
from discreet.privacy.charges import Charge

HEAD = "0123456789abcdef" * 4
RECEIPT = Receipt(Mark(7, HEAD), "alice", Charge(Fraction(1, 5), Fraction(1, 50)), "charged")
GUARANTEE = "0.2-differentially private"


def key(name: str = "city", type: Type = Type.TEXT) -> Field:
    return Field(name, type, noisy=False)


def noisy(name: str = "n", type: Type = Type.INTEGER, remark: str = "exact") -> Field:
    return Field(name, type, noisy=True, remark=remark)


def within(
    fields: tuple[Field, ...], rows: tuple[tuple[object, ...], ...], half: Number
) -> Callable[[float, bool], tuple[Bounds, ...]]:
    """Return bounds `half` around every noisy number, twice that where they are simultaneous."""

    def pair(field: Field, value: object, width: Number) -> tuple[Number, Number] | None:
        if not field.noisy or not field.type.numeric or value is None or value != value:
            return None
        return value - width, value + width  # type: ignore[operator]

    def bounds(confidence: float, simultaneous: bool) -> tuple[Bounds, ...]:
        width = half * 2 if simultaneous else half
        return tuple(tuple(pair(f, v, width) for f, v in zip(fields, row, strict=True)) for row in rows)

    return bounds


def answered(*fields: Field, rows: list[tuple[object, ...]], half: Number = 3, **more: object) -> Answer:
    """Return an answer whose noisy numbers have intervals of that half-width."""
    held = tuple(rows)
    bounds = more.pop("bounds", None) or within(fields, held, half)
    return Answer(fields, held, RECEIPT, GUARANTEE, bounds=bounds, **more)  # type: ignore[arg-type]


def cities() -> Answer:
    """Return a small answer with a count and a sum of floats."""
    rows: list[tuple[object, ...]] = [("Bern", 1200, 34.25), ("Graz", 830, 41.5), ("Ulm", 64, 9.125)]
    return answered(key(), noisy(), noisy("income", Type.FLOAT, "conservative: two noisy sums"), rows=rows)
