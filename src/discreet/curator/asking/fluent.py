"""Questions in Python, in the spirit of PINQ: each step returns a new question, and an aggregate asks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from discreet.answers.answer import Answer
from discreet.base.errors import QueryError
from discreet.curator.asking.columns import Term
from discreet.engines.duck.literals import quote_name


@dataclass(frozen=True)
class TableQuestion:
    """A question being written. It becomes SQL, so it means and costs what the same SQL does."""

    ask: Callable[..., Answer]
    name: str
    conditions: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None

    def where(self, condition: str | Term) -> TableQuestion:
        """Keep rows that fulfil a condition: SQL text, or `col.age >= 65`."""
        text = condition.sql if isinstance(condition, Term) else condition
        if not isinstance(text, str):
            raise QueryError(f"where takes SQL text or a condition on col, not {type(condition).__name__}")
        from discreet.query.parse import parse_condition

        parse_condition(text)
        return replace(self, conditions=(*self.conditions, text))

    def select(self, *columns: str) -> TableQuestion:
        """Go on with these columns alone."""
        for column in columns:
            self._allowed(column)
        return replace(self, only=columns)

    def group_by(self, *columns: str) -> TableQuestion:
        """Ask for each value of these columns: a unit in several groups is charged for max_groups of them at most."""
        for column in columns:
            self._allowed(column)
        return replace(self, keys=(*self.keys, *columns))

    def join(self, table: str | TableQuestion, on: str | list[str], how: str = "inner") -> TableQuestion:
        """Look up the row of a public table with equal columns; `how="left"` keeps rows without a partner."""
        if isinstance(table, TableQuestion):
            if table != TableQuestion(table.ask, table.name):
                raise QueryError("join takes a table as it is; filter after joining it")
            table = table.name
        if not isinstance(table, str):
            raise QueryError(f"join takes a table or its name, not {type(table).__name__}")
        if how not in ("inner", "left"):
            raise QueryError(f'how must be "inner" or "left"; got {how!r}')
        names = [on] if isinstance(on, str) else on
        word = "LEFT JOIN" if how == "left" else "JOIN"
        using = ", ".join(quote_name(name) for name in names)
        return replace(self, joins=(*self.joins, f"{word} {quote_name(table)} USING ({using})"))

    def count(self, column: str | None = None, **how: Any) -> Answer:
        """Count rows, or the values of a column that are not null."""
        return self._asked(f"COUNT({'*' if column is None else self._allowed(column)}) AS n", how)

    def count_units(self, unit: str, **how: Any) -> Answer:
        """Count distinct units."""
        return self._asked(f"COUNT(DISTINCT {quote_name(unit)}) AS n", how)

    def sum(self, column: str, **how: Any) -> Answer:
        """Sum a column with declared bounds."""
        return self._asked(f"SUM({self._allowed(column)}) AS {quote_name(f'sum_{column}')}", how)

    def mean(self, column: str, **how: Any) -> Answer:
        """Average a column with declared bounds."""
        return self._asked(f"AVG({self._allowed(column)}) AS {quote_name(f'mean_{column}')}", how)

    def variance(self, column: str, **how: Any) -> Answer:
        """Return the sample variance of a column with declared bounds."""
        return self._asked(f"VARIANCE({self._allowed(column)}) AS {quote_name(f'variance_{column}')}", how)

    def median(self, column: str, **how: Any) -> Answer:
        """Return the median of a column with declared bounds."""
        return self._asked(f"MEDIAN({self._allowed(column)}) AS {quote_name(f'median_{column}')}", how)

    def quantiles(self, column: str, shares: list[float], **how: Any) -> Answer:
        """Return several quantiles, which share one price."""
        name = self._allowed(column)
        listed = ", ".join(
            f"QUANTILE_CONT({name}, {share!r}) AS {quote_name(f'q{share:g}_{column}')}" for share in shares
        )
        return self._asked(listed, how)

    def histogram(self, column: str, **how: Any) -> Answer:
        """Count the rows at each declared value of a column."""
        return self.group_by(column).count(**how)

    def _allowed(self, column: str) -> str:
        if self.only is not None and column not in self.only:
            raise QueryError(f"{column!r} was not selected; select(...) it, or leave select out")
        return quote_name(column)

    def _asked(self, aggregates: str, how: dict[str, Any]) -> Answer:
        keys = ", ".join(quote_name(key) for key in self.keys)
        text = f"SELECT {f'{keys}, ' if keys else ''}{aggregates} FROM {quote_name(self.name)}"
        text += "".join(f" {join}" for join in self.joins)
        if self.conditions:
            text += " WHERE " + " AND ".join(f"({condition})" for condition in self.conditions)
        return self.ask(text + (f" GROUP BY {keys}" if keys else ""), **how)
