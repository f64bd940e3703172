"""What is asked of public tables: which values a column has, and how many partners a row can find."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from discreet.base.errors import PolicyError
from discreet.engines.dialect import Dialect
from discreet.engines.sources import TableSource, write_select
from discreet.engines.statements import to_constant
from discreet.engines.survey import SurveyedTable, survey_table
from discreet.plan.expressions import Constant
from discreet.policy.schema import Resolved


class PublicLookups(ABC):
    """What an engine tells of its public tables: the statements are those of every engine, in its own dialect."""

    dialect: ClassVar[Dialect]
    tables: dict[str, Resolved]
    _sources: Mapping[str, TableSource]

    def public_values(self, table: str, column: str) -> tuple[Constant, ...]:
        """Return the distinct values of a public table's column, without NULL."""
        statement = select_values(self._public(table, frozenset({column})), column, self.dialect)
        return tuple(value for (value,) in self._read_constants(table, (column,), statement))

    def public_rows(self, table: str, columns: tuple[str, ...], most: int) -> tuple[tuple[Constant, ...], ...]:
        """Return the distinct rows of some columns of a public table, NULL where they are; no more than most + 1."""
        statement = select_rows(self._public(table, frozenset(columns)), columns, most, self.dialect)
        return self._read_constants(table, columns, statement)

    def fan_out(self, table: str, columns: tuple[str, ...]) -> int:
        """Return in how many rows of a public table these columns are equal, at most; NULL equals nothing."""
        ((found,),) = self._read(table, select_fan_out(self._public(table, frozenset(columns)), columns, self.dialect))
        return int(found)

    def survey(self, table: str) -> SurveyedTable:
        """Return how a table's rows fit what is declared about them: exact, so for the owner alone."""
        try:
            return survey_table(self._sources, table, lambda statement: self._read(table, statement))
        except PolicyError:
            raise PolicyError(f"table {table!r} cannot be read to its end; check that its source is there") from None

    @abstractmethod
    def _read(self, table: str, statement: str) -> list[tuple[Any, ...]]:
        """Return the rows of a statement about a public table, or, for the owner alone, about a private one."""

    def _select(self, table: str, columns: frozenset[str]) -> str:
        return write_select(self._sources, table, columns)

    def _public(self, table: str, columns: frozenset[str]) -> str:
        if not self.tables[table.casefold()].table.public:
            raise PolicyError(f"{table!r} is private: its values are not listed")
        return self._select(table, columns)

    def _read_constants(self, table: str, columns: tuple[str, ...], statement: str) -> tuple[tuple[Constant, ...], ...]:
        source = self._sources[table]
        return tuple(
            tuple(source.count_places(name, to_constant(value)) for name, value in zip(columns, row, strict=True))
            for row in self._read(table, statement)
        )


def explain_unreadable(table: str) -> PolicyError:
    """Return what somebody who asks is told: nothing of what an engine says of its files."""
    return PolicyError(f"public table {table!r} cannot be read; its owner is to check that its source is there")


def select_values(select: str, column: str, dialect: Dialect) -> str:
    """Return the statement for the distinct values of a column, without NULL, in their order."""
    name = dialect.quote_name(column)
    return f"SELECT DISTINCT {name} FROM ({select}) AS q WHERE {name} IS NOT NULL ORDER BY {name}"


def select_fan_out(select: str, columns: Iterable[str], dialect: Dialect) -> str:
    """Return the statement for the most rows in which these columns are equal, and 1 at least; NULL equals nothing."""
    names = [dialect.quote_name(column) for column in columns]
    some = " AND ".join(f"{name} IS NOT NULL" for name in names)
    counts = f"SELECT count(*) AS n FROM ({select}) AS q WHERE {some} GROUP BY {', '.join(names)}"
    return f"SELECT coalesce(max(n), 1) AS n FROM ({counts}) AS q"


def select_rows(select: str, columns: Iterable[str], most: int, dialect: Dialect) -> str:
    """Return the statement for the distinct rows of some columns, NULL where they are; one more than `most` at most."""
    names = ", ".join(dialect.quote_name(column) for column in columns)
    return f"SELECT DISTINCT {names} FROM ({select}) AS q LIMIT {most + 1}"
