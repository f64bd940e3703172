"""PostgreSQL's SQL, as a dialect."""

from __future__ import annotations

import re
import sys
from fractions import Fraction

from discreet.engines.dialect import Dialect
from discreet.engines.postgres.forms import FORMS, is_nan, sql, told
from discreet.engines.postgres.literals import SQL_TYPES, WIDE, constant, double, number, quoted
from discreet.engines.postgres.once import computed

LONGEST = 150_000
"""Planning copies nested subqueries level by level: a product nested nine deep takes ten seconds and a million letters,
and two levels more all the memory there is."""

TINY = 1e-290
PLAIN = re.compile(r'(CAST\()?"?\w+"?(\."?\w+"?)?( AS DOUBLE PRECISION\))?')
"""A column, as a float or as it is: cheap to write twice."""


def tame(value: str, most: Fraction) -> str:
    """Return a float held within `most`, and 0 where it is so small that PostgreSQL could raise on a product."""
    end = double(float(min(most, Fraction(sys.float_info.max) / 4)))

    def body(x: str) -> str:
        held = f"least(greatest({x}, -{end}), {end})"
        return f"(CASE WHEN abs({x}) < {double(TINY)} THEN {double(0.0)} ELSE {held} END)"

    return body(value) if PLAIN.fullmatch(value) else computed(f"{value} AS x", body("v.x"))


POSTGRES = Dialect(
    types=SQL_TYPES,
    wide=WIDE,
    once="MATERIALIZED",
    forms=FORMS,
    sql=sql,
    quoted=quoted,
    constant=constant,
    number=number,
    is_nan=is_nan,
    told=told,
    leading_bits=lambda digits: f"('x' || substr({digits}, 1, 15))::bit(60)::bigint",
    quotient=lambda above, below: f"div({above}, {below})",
    total=lambda value: f"sum(CAST({value} AS BIGINT))",
    tame=tame,
    fence=" OFFSET 0",
    longest=LONGEST,
)
