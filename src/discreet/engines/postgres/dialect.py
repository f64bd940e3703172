"""PostgreSQL's SQL, as a dialect."""

from __future__ import annotations

import re
import sys
from fractions import Fraction

from discreet.engines.dialect import Dialect
from discreet.engines.postgres.forms import FORMS, is_nan, write_canonical, write_sql
from discreet.engines.postgres.literals import SQL_TYPES, WIDE, quote_name, write_constant, write_double, write_number
from discreet.engines.postgres.once import computed

LONGEST = 150_000
"""Planning copies nested subqueries level by level: a product nested nine deep takes ten seconds and a million letters,
and two levels more all the memory there is."""

TINY = 1e-290
PLAIN = re.compile(r'(CAST\()?"?\w+"?(\."?\w+"?)?( AS DOUBLE PRECISION\))?')
"""A column, as a float or as it is: cheap to write twice."""


def tame(value: str, most: Fraction) -> str:
    """Return a float held within `most`, and 0 where it is so small that PostgreSQL could raise on a product."""
    end = write_double(float(min(most, Fraction(sys.float_info.max) / 4)))

    def body(x: str) -> str:
        held = f"least(greatest({x}, -{end}), {end})"
        return f"(CASE WHEN abs({x}) < {write_double(TINY)} THEN {write_double(0.0)} ELSE {held} END)"

    return body(value) if PLAIN.fullmatch(value) else computed(f"{value} AS x", body("v.x"))


POSTGRES = Dialect(
    types=SQL_TYPES,
    wide=WIDE,
    once="MATERIALIZED",
    forms=FORMS,
    write_sql=write_sql,
    quote_name=quote_name,
    write_constant=write_constant,
    write_number=write_number,
    is_nan=is_nan,
    write_canonical=write_canonical,
    leading_bits=lambda digits: f"('x' || substr({digits}, 1, 15))::bit(60)::bigint",
    quotient=lambda above, below: f"div({above}, {below})",
    total=lambda value: f"sum(CAST({value} AS BIGINT))",
    tame=tame,
    fence=" OFFSET 0",
    longest=LONGEST,
    halves=lambda value: (f"sum(CAST({value} >> 15 AS INTEGER))", f"sum(CAST({value} & 32767 AS INTEGER))"),
)
