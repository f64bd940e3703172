"""`col.age >= 65`: conditions written in Python instead of SQL. They become the same text that SQL would have."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal

from discreet.base.errors import QueryError
from discreet.engines.duck.literals import quote_name, write_text


@dataclass(frozen=True, eq=False)
class Term:
    """A piece of a condition. Join conditions by & and |, and turn one around by ~."""

    sql: str

    def __eq__(self, other: object) -> Term:  # type: ignore[override]
        return self.is_null() if other is None else self._with("=", other)

    def __ne__(self, other: object) -> Term:  # type: ignore[override]
        return ~self.is_null() if other is None else self._with("<>", other)

    def __lt__(self, other: object) -> Term:
        return self._with("<", other)

    def __le__(self, other: object) -> Term:
        return self._with("<=", other)

    def __gt__(self, other: object) -> Term:
        return self._with(">", other)

    def __ge__(self, other: object) -> Term:
        return self._with(">=", other)

    def __add__(self, other: object) -> Term:
        return self._with("+", other)

    def __sub__(self, other: object) -> Term:
        return self._with("-", other)

    def __mul__(self, other: object) -> Term:
        return self._with("*", other)

    def __truediv__(self, other: object) -> Term:
        return self._with("/", other)

    def __floordiv__(self, other: object) -> Term:
        return self._with("//", other)

    def __mod__(self, other: object) -> Term:
        return self._with("%", other)

    def __radd__(self, other: object) -> Term:
        return Term(f"({write_value(other)} + {self.sql})")

    def __rsub__(self, other: object) -> Term:
        return Term(f"({write_value(other)} - {self.sql})")

    def __rmul__(self, other: object) -> Term:
        return Term(f"({write_value(other)} * {self.sql})")

    def __rtruediv__(self, other: object) -> Term:
        return Term(f"({write_value(other)} / {self.sql})")

    def __and__(self, other: object) -> Term:
        return self._with("AND", other)

    def __or__(self, other: object) -> Term:
        return self._with("OR", other)

    def __invert__(self) -> Term:
        return Term(f"(NOT {self.sql})")

    def __hash__(self) -> int:
        return hash(self.sql)

    def __bool__(self) -> bool:
        raise QueryError("a condition is neither true nor false by itself; join conditions by & and |, not by and, or")

    def between(self, low: object, high: object) -> Term:
        """low <= x <= high."""
        return Term(f"({self.sql} BETWEEN {write_value(low)} AND {write_value(high)})")

    def isin(self, values: list[object]) -> Term:
        """One of these values."""
        return Term(f"({self.sql} IN ({', '.join(write_value(value) for value in values)}))")

    def like(self, pattern: str) -> Term:
        """Matches a pattern of LIKE."""
        return Term(f"({self.sql} LIKE {write_text(pattern)})")

    def is_null(self) -> Term:
        """Has no value."""
        return Term(f"({self.sql} IS NULL)")

    def truncate(self, unit: str) -> Term:
        """Begin of the month (or another `unit`) that a date or time lies in: `col.day.truncate("month")`."""
        return Term(f"DATE_TRUNC({write_value(unit)}, {self.sql})")

    def extract(self, part: str) -> Term:
        """Part of a date or time, as a number: `col.day.extract("year")`."""
        return Term(f"DATE_PART({write_value(part)}, {self.sql})")

    def count(self) -> Term:
        """Count values that are not null."""
        return Term(f"COUNT({self.sql})")

    def sum(self) -> Term:
        """Sum values within declared bounds."""
        return Term(f"SUM({self.sql})")

    def mean(self) -> Term:
        """Average values within declared bounds."""
        return Term(f"AVG({self.sql})")

    def median(self) -> Term:
        """Return the middle of values within declared bounds."""
        return Term(f"MEDIAN({self.sql})")

    def min(self) -> Term:
        """Return about the smallest of values within declared bounds."""
        return Term(f"MIN({self.sql})")

    def max(self) -> Term:
        """Return about the largest of values within declared bounds."""
        return Term(f"MAX({self.sql})")

    def variance(self) -> Term:
        """Return the sample variance of values within declared bounds."""
        return Term(f"VARIANCE({self.sql})")

    def quantile(self, share: float) -> Term:
        """Return a quantile of values within declared bounds."""
        return Term(f"QUANTILE_CONT({self.sql}, {write_value(share)})")

    def _with(self, word: str, other: object) -> Term:
        return Term(f"({self.sql} {word} {write_value(other)})")


def write_value(value: object) -> str:
    """Return a Python value as SQL."""
    if isinstance(value, Term):
        return value.sql
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value]
    if isinstance(value, int | float | Decimal):
        number = format(Decimal(repr(value) if isinstance(value, float) else value), "f")
        return f"({number})" if number.startswith("-") else number
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP {write_text(value.isoformat(sep=' '))}"
    if isinstance(value, dt.date):
        return f"DATE {write_text(value.isoformat())}"
    if isinstance(value, str):
        return write_text(value)
    raise QueryError(f"{type(value).__name__} cannot stand in a condition; use numbers, text, booleans or dates")


class Columns:
    """The columns of whatever table is asked: `col.age`, or `col["weight (kg)"]`."""

    def __getattr__(self, name: str) -> Term:
        if name.startswith("__"):
            raise AttributeError(name)
        return Term(quote_name(name))

    def __getitem__(self, name: str) -> Term:
        return Term(quote_name(name))


col = Columns()
