"""Values from Python as constants: exactly, or refused."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Literal
from discreet.query.scalars.constants import to_literal


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        (True, Literal(True, Type.BOOLEAN)),
        (None, Literal(None, Type.BOOLEAN)),
        (2**126 - 1, Literal(2**126 - 1, Type.INTEGER)),
        (2**126, Literal(Fraction(2**126), Type.FLOAT)),
        (0.1, Literal(Fraction(1, 10), Type.DECIMAL)),
        (np.float64(0.1), Literal(Fraction(1, 10), Type.DECIMAL)),
        (Decimal("2.50"), Literal(Fraction(5, 2), Type.DECIMAL)),
        (Decimal("1e-37"), Literal(Fraction(1, 10**37), Type.DECIMAL)),
        (Decimal("1e-38"), Literal(Fraction(1, 10**38), Type.FLOAT)),
        (Decimal(f"{10**36}.1"), Literal(Fraction(10**37 + 1, 10), Type.FLOAT)),
        (Fraction(1, 3), Literal(Fraction(1, 3), Type.FLOAT)),
        ("x", Literal("x", Type.TEXT)),
        (dt.date(2026, 3, 1), Literal(dt.date(2026, 3, 1), Type.DATE)),
        (dt.datetime(2026, 3, 1), Literal(dt.datetime(2026, 3, 1, tzinfo=dt.UTC), Type.TIMESTAMP)),
    ],
)
def test_parameters_are_taken_exactly(value: object, literal: Literal) -> None:
    found = to_literal(value)
    assert found == literal
    assert type(found.value) is type(literal.value)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 10**400, Fraction(10**400), "a\x00b", "\ud800", b"x", [1], object()]
)
def test_parameters_that_no_engine_can_hold_are_refused(value: object) -> None:
    with pytest.raises(QueryError, match="the parameter"):
        to_literal(value, "the parameter")
    too_early = dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=23)))
    with pytest.raises(QueryError, match="is not a timestamp"):
        to_literal(too_early)
