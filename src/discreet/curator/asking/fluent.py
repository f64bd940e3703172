"""Questions in Python, in the spirit of PINQ: each step returns a new question, and an aggregate asks it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from discreet.answers.answer import Answer
from discreet.base.errors import QueryError
from discreet.curator.asking.columns import Term, write_value
from discreet.engines.duck.literals import quote_name

QUOTED = re.compile(r"""'(?:[^']|'')*'|"((?:[^"]|"")*)\"""")
"""Texts, and names of columns, as terms are written."""


@dataclass(frozen=True, repr=False)
class TableQuestion:
    """A question being written. It becomes SQL, so it means and costs what the same SQL does."""

    ask: Callable[..., Answer]
    name: str
    conditions: tuple[str, ...] = ()
    keys: tuple[tuple[str, str], ...] = ()
    """What each key is called, and its SQL."""
    joins: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return f"question about {self._rows()}{self._groups()}; an aggregate such as count(epsilon=0.2) asks it"

    def where(self, condition: str | Term) -> TableQuestion:
        """Keep rows that fulfil a condition: SQL text, or `col.age >= 65`."""
        text = condition.sql if isinstance(condition, Term) else condition
        if not isinstance(text, str):
            raise QueryError(f"where takes SQL text or a condition on col, not {type(condition).__name__}")
        from discreet.query.parse import parse_condition

        parse_condition(text)
        return replace(self, conditions=(*self.conditions, text))

    def select(self, *columns: str | Term) -> TableQuestion:
        """Go on with these columns alone."""
        for column in columns:
            self._allowed(column)
        names = [_name(column) for column in columns]
        if None in names:
            raise QueryError(
                "select takes columns as they are; write expressions where they are used, as in sum(col.x * 2)"
            )
        return replace(self, only=tuple(name for name in names if name is not None))

    def group_by(self, *columns: str | Term, **named: str | Term) -> TableQuestion:
        """Ask for each value of these columns: a unit in several groups is charged for max_groups of them at most.

        Expressions have a name: `group_by("ward", decade=col.age // 10 * 10, month=col.day.truncate("month"))`.
        """
        keys = list(self.keys)
        for column in columns:
            name = _name(column)
            if name is None:
                raise QueryError("an expression needs a name here: write group_by(decade=col.age // 10 * 10)")
            keys.append((name, self._allowed(column)))
        keys += [(name, self._allowed(column)) for name, column in named.items()]
        return replace(self, keys=tuple(keys))

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

    def agg(self, aggregates: Mapping[str, str | Term] | None = None, /, **terms_and_how: Any) -> Answer:
        """Ask for several aggregates at once, by name: `agg(total=col.cost.sum(), mean=col.cost.mean(), epsilon=0.2)`.

        In a mapping they may be SQL too, as in `agg({"n": "COUNT(*)"}, epsilon=0.2)`. All else is as for `ask`.
        """
        how = {name: each for name, each in terms_and_how.items() if not isinstance(each, Term)}
        wanted = {**(aggregates or {}), **{name: each for name, each in terms_and_how.items() if name not in how}}
        if not wanted:
            raise QueryError("agg takes at least one aggregate, such as agg(mean=col.cost.mean(), epsilon=0.2)")
        written = []
        for name, each in wanted.items():
            text = self._allowed(each) if isinstance(each, Term) else _check_sql(each)
            written.append(f"{text} AS {quote_name(name)}")
        return self._asked(", ".join(written), how)

    def count(self, column: str | Term | None = None, **how: Any) -> Answer:
        """Count rows, or the values of a column that are not null."""
        return self._asked(f"COUNT({'*' if column is None else self._allowed(column)}) AS n", how)

    def count_units(self, unit: str, **how: Any) -> Answer:
        """Count distinct units."""
        return self._asked(f"COUNT(DISTINCT {quote_name(unit)}) AS n", how)

    def sum(self, column: str | Term, **how: Any) -> Answer:
        """Sum a column with declared bounds."""
        return self._aggregate("SUM", "sum", column, how)

    def mean(self, column: str | Term, **how: Any) -> Answer:
        """Average a column with declared bounds."""
        return self._aggregate("AVG", "mean", column, how)

    def variance(self, column: str | Term, **how: Any) -> Answer:
        """Return the sample variance of a column with declared bounds."""
        return self._aggregate("VARIANCE", "variance", column, how)

    def median(self, column: str | Term, **how: Any) -> Answer:
        """Return the median of a column with declared bounds."""
        return self._aggregate("MEDIAN", "median", column, how)

    def quantiles(self, column: str | Term, shares: list[float], **how: Any) -> Answer:
        """Return several quantiles, which share one price."""
        text, name = self._allowed(column), _name(column)
        listed = ", ".join(
            f"QUANTILE_CONT({text}, {share!r}) AS {quote_name(f'q{share:g}' + (f'_{name}' if name else ''))}"
            for share in shares
        )
        return self._asked(listed, how)

    def histogram(self, column: str | Term, width: float | None = None, **how: Any) -> Answer:
        """Count the rows at each declared value of a column, or in bins of one width between its declared bounds.

        A bin is named by where it begins: with `width=10`, 40 holds what is at least 40 and below 50.
        """
        if width is None:
            return self.group_by(column).count(**how)
        if isinstance(width, bool) or not isinstance(width, int | float) or not 0 < width < math.inf:
            raise QueryError(f"width must be a number above 0; got {width!r}")
        step = write_value(width)
        begin = Term(f"(FLOOR({self._allowed(column)} / {step}) * {step})")
        return self.group_by(**{_name(column) or "bin": begin}).count(**how)

    def _aggregate(self, function: str, word: str, column: str | Term, how: dict[str, Any]) -> Answer:
        """Ask for one aggregate of a column or an expression, called after both."""
        name = _name(column)
        called = quote_name(word if name is None else f"{word}_{name}")
        return self._asked(f"{function}({self._allowed(column)}) AS {called}", how)

    def _allowed(self, column: str | Term) -> str:
        """Return the SQL of a column or an expression, whose columns must be among those selected."""
        if not isinstance(column, str | Term):
            raise QueryError(f"a column is a name, or made from col, not {type(column).__name__}")
        for name in [column] if isinstance(column, str) else _list_columns(column):
            if self.only is not None and name not in self.only:
                raise QueryError(f"{name!r} was not selected; select(...) it, or leave select out")
        return quote_name(column) if isinstance(column, str) else column.sql

    def _asked(self, aggregates: str, how: dict[str, Any]) -> Answer:
        shown = "".join(
            f"{text}, " if text == quote_name(name) else f"{text} AS {quote_name(name)}, " for name, text in self.keys
        )
        return self.ask(f"SELECT {shown}{aggregates} FROM {self._rows()}{self._groups()}", **how)

    def _rows(self) -> str:
        """Return what stands behind FROM, up to GROUP BY."""
        text = quote_name(self.name) + "".join(f" {join}" for join in self.joins)
        conditions = " AND ".join(f"({condition})" for condition in self.conditions)
        return text + (f" WHERE {conditions}" if conditions else "")

    def _groups(self) -> str:
        keys = ", ".join(text for _, text in self.keys)
        return f" GROUP BY {keys}" if keys else ""


def _list_columns(term: Term) -> Iterable[str]:
    """Return the names of the columns that a term is made from."""
    return [each[1].replace('""', '"') for each in QUOTED.finditer(term.sql) if each[1] is not None]


def _name(column: str | Term) -> str | None:
    """Return what a column is called; None for an expression."""
    if not isinstance(column, Term):
        return column
    names = list(_list_columns(column))
    return names[0] if len(names) == 1 and column.sql == quote_name(names[0]) else None


def _check_sql(text: object) -> str:
    """Return SQL of one aggregate; what is no expression by itself is refused."""
    if not isinstance(text, str):
        raise QueryError(f"an aggregate is SQL text, or made from col, not {type(text).__name__}")
    from discreet.query.parse import parse_condition

    parse_condition(text)
    return text
