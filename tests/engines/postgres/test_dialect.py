"""PostgreSQL's part of what all engines write alike, and floats held where no operation on them raises."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import Any

import psycopg
import pytest

from discreet.base.types import Type
from discreet.engines.postgres.dialect import POSTGRES, TINY, tame
from discreet.engines.postgres.literals import write_double


def value(server: psycopg.Connection[Any], written: str) -> Any:
    return server.execute(f"SELECT {written}".encode(), None, binary=True).fetchall()[0][0]


def test_leading_bits_are_the_first_fifteen_digits(server: psycopg.Connection[Any]) -> None:
    for digits in ("f" * 32, "0" * 32, "0123456789abcdef" * 2):
        assert value(server, POSTGRES.leading_bits(f"'{digits}'")) == int(digits[:15], 16)


def test_quotients_of_whole_numbers_are_exact_and_rounded_down(server: psycopg.Connection[Any]) -> None:
    for above, below in ((10**38 - 1, 7), (10**38 - 1, 10**37 + 1), (0, 3), (2**126, 2**31 - 1), (-21, 7)):
        assert value(server, POSTGRES.quotient(f"{above}::numeric", f"{below}::numeric")) == above // below


def test_sums_do_not_overflow(server: psycopg.Connection[Any]) -> None:
    rows = f"(VALUES ({2**63 - 1}), ({2**63 - 1}), (NULL)) AS q(x)"
    assert value(server, f"{POSTGRES.total('x')} FROM {rows}") == 2**64 - 2


@pytest.mark.parametrize("given", [0.0, -0.0, 1.5, -7.0, 5e-324, -1e-291, 1e-289, 1e308, -math.inf, math.inf, math.nan])
@pytest.mark.parametrize("most", [Fraction(100), Fraction(10) ** 400])
def test_tame_floats_can_be_multiplied_and_divided(
    server: psycopg.Connection[Any], given: float, most: Fraction
) -> None:
    for column in (f"{write_double(given)} + '0'::float8", "x"):
        held = value(server, f"{tame(column, most)} FROM (SELECT {write_double(given)} AS x) AS q")
        end = float(min(most, Fraction(sys.float_info.max) / 4))
        if abs(given) < TINY:
            assert held == 0
        elif not math.isnan(given):
            assert held == min(max(given, -end), end)


def test_statements_are_written_for_postgresql() -> None:
    assert (POSTGRES.once, POSTGRES.fence, POSTGRES.wide, POSTGRES.heavy_first) == (
        "MATERIALIZED",
        " OFFSET 0",
        "NUMERIC",
        False,
    )
    assert POSTGRES.typed("x", Type.FLOAT) == "CAST(x AS DOUBLE PRECISION)"
