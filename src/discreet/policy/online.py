"""Tables whose counts may be answered from earlier releases: which columns, and the most that histograms may cost."""

from __future__ import annotations

import math
from datetime import date, datetime
from fractions import Fraction

from discreet.policy import exact
from discreet.policy.model import DeclaredColumn, DeclaredOnline, Table
from discreet.policy.problems import quote_value
from discreet.policy.section import Section

KEYS = ("columns", "epsilon", "confidence")

MOST_CELLS = 1 << 16
"""Cells of one histogram: the values of each column, and one for all that is none of them."""

USUAL = Fraction(19, 20)


def read_online(section: Section, table: Table) -> DeclaredOnline | None:
    """Return what `[tables.T.online]` declares; None where it is not there, or wrong."""
    if "online" not in section:
        return None
    part = section.section("online", KEYS)
    columns, epsilon = _columns(part, table), _epsilon(part)
    confidence = part.number("confidence", "write a number above 0.5 and below 1, such as confidence = 0.95")
    if confidence is not None and not Fraction(1, 2) < confidence < 1:
        wrong = f"is {exact.write_number(confidence)}"
        part.wrong("confidence", wrong, "write a number above 0.5 and below 1, such as confidence = 0.95")
    if not table.rows_are_units and ("max_groups" in section or "max_rows_per_group" in section):
        part.wrong(
            (),
            "is for tables whose units are cut to max_rows alone, once for all questions: max_groups and "
            "max_rows_per_group cut them in each question otherwise",
            "take these two out and write max_rows",
        )
    return DeclaredOnline(columns, epsilon, confidence or USUAL) if columns and epsilon else None


def _epsilon(part: Section) -> Fraction | None:
    remedy = "write the most that histograms may cost, such as epsilon = 0.5"
    epsilon = part.number("epsilon", remedy)
    if "epsilon" not in part:
        part.wrong("epsilon", "is missing", remedy)
    elif epsilon is not None and epsilon <= 0:
        part.wrong("epsilon", f"is {exact.write_number(epsilon)}", remedy)
        return None
    return epsilon


def _columns(part: Section, table: Table) -> tuple[str, ...]:
    columns = part.texts("columns")
    if not columns and not ("columns" in part and part.content["columns"]):
        part.wrong("columns", "names none", 'write the columns of the histogram, such as columns = ["ward", "age"]')
    cells, found = 1, []
    for name in columns:
        size = count_values(table.column(name))
        if size is None or name in (*table.hidden, table.unit):
            wrong = f"{quote_value(name)} has no declared values that everybody may use"
            part.wrong("columns", wrong, "declare its values, or bounds of whole numbers or dates, or take it out")
            continue
        cells *= size + 1
        found.append(name)
    if cells > MOST_CELLS:
        wrong = f"they have {cells:,} cells together, with one more value for each column; {MOST_CELLS:,} is the most"
        part.wrong("columns", wrong, "name fewer columns, or declare fewer values")
    return tuple(found) if len(found) == len(columns) and cells <= MOST_CELLS else ()


def count_values(column: DeclaredColumn | None) -> int | None:
    """Return how many values a column has by what is declared; None where that does not say."""
    if column is None or (column.values is None and column.lower is None):
        return None
    if column.values is not None:
        return None if any(isinstance(value, datetime) for value in column.values) else len(column.values)
    lower, upper = column.lower, column.upper
    if isinstance(lower, date) and isinstance(upper, date):
        return None if isinstance(lower, datetime) else (upper - lower).days + 1
    if isinstance(lower, Fraction) and isinstance(upper, Fraction):
        return math.floor(upper) - math.ceil(lower) + 1
    return None
