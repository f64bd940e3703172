"""One value for each person, in SQL: what sampling is about is people, not their rows.

A person's rows become one row by GROUP BY the unit, with one value and, where groups are compared, one group. A person
with rows in several of the groups is in none of them: samples that share people are not independent. Everything is a
question in SQL, so that bounds, limits and refusals are those of every question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from sqlglot import exp

from discreet.base import check
from discreet.base.errors import ParameterError, QueryError
from discreet.curator.session import Session
from discreet.policy.schema import Resolved
from discreet.query.parse import parse_condition
from discreet.robust.declared import check_comparisons

PER_UNIT = {"mean": "AVG", "sum": "SUM", "min": "MIN", "max": "MAX"}
"""What becomes of several values of one person."""

OWN_NAMES = frozenset(["value", "yes", "place", "last", "seen", "happened", "cell", "bin", "n", "v"])
"""What columns are called in questions about people, so that no unit may be."""

MOST_GROUPS = 50
"""Groups, or values of a table's side, that are compared at once."""


@dataclass(frozen=True, slots=True)
class People:
    """People of a private table: those with rows that fulfil a condition."""

    table: str
    unit: str | None
    """The unit's column; None where each row is a unit of its own."""
    where: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def word(self) -> str:
        """What one of them is called."""
        return "row" if self.unit is None else self.unit

    def describe(self) -> str:
        """Say which people these are."""
        return self.table if self.where is None else f"{self.table} where {self.where}"

    def write(self, columns: dict[str, tuple[str, str]], conditions: Sequence[str] = (), having: str = "") -> str:
        """Return a subquery with one row for each person: each column is (what becomes of several, expression).

        Where each row is a unit, there are no several values, and nothing to group by.
        """
        wanted = [f"({each})" for each in (*(() if self.where is None else (self.where,)), *conditions)]
        rows = f"FROM {_quote(self.table)}" + (f" WHERE {' AND '.join(wanted)}" if wanted else "")
        if self.unit is None:
            listed = ", ".join(f"{expression} AS {name}" for name, (_, expression) in columns.items())
            return f"(SELECT {listed} {rows})"
        unit = _quote(self.unit)
        listed = ", ".join(f"{function}({expression}) AS {name}" for name, (function, expression) in columns.items())
        return f"(SELECT {unit}, {listed} {rows} GROUP BY {unit}{having})"


def find_people(session: Session, table: str, where: str | None, params: Mapping[str, Any] | None = None) -> People:
    """Return the people of a private table, or refuse one that is public or whose units cannot be named."""
    resolved: Resolved = session.tables[check_text("table", table)]
    found = resolved.table
    if found.public:
        raise ParameterError("table", found.name, "a private one: a public table is about nobody")
    if found.unit is not None and found.unit in found.hidden:
        raise ParameterError(
            "table", found.name, "one whose unit column is not hidden, since people are told apart by it"
        )
    if found.unit is not None and (found.unit.casefold() in OWN_NAMES or found.unit.casefold().startswith("value_")):
        raise ParameterError("table", found.name, f"one whose unit is called otherwise: {found.unit!r} is taken here")
    people = People(found.name, found.unit, None, dict(params or {}))
    return people if where is None else replace(people, where=read_condition(session, people, "where", where))


def read_condition(session: Session, people: People, name: str, text: str) -> str:
    """Return one SQL expression as it is written into a question; anything else is refused.

    So is one in which a column is compared with what is none of its declared values.
    """
    found = parse_condition(check_text(name, text))
    check_comparisons(session.tables[people.table], name, found, people.parameters)
    return found.sql(dialect="duckdb")


def write_column(session: Session, people: People, name: str, text: str) -> str:
    """Return a column by its name, or else an SQL expression."""
    if session.tables[people.table].column(check_text(name, text)) is not None:
        return _quote(text)
    return read_condition(session, people, name, text)


def write_varying(session: Session, people: People, name: str, text: str) -> str:
    """Return the same; a constant, which all people would share, is refused, and so is one by its public bounds."""
    found = write_column(session, people, name, text)
    if parse_condition(found).find(exp.Column) is None:
        raise ParameterError(name, text, "one that mentions a column: this is the same for everybody")
    if _is_constant(session, people, found):
        raise ParameterError(name, text, "one whose bounds are apart: this is the same for everybody")
    return found


def _is_constant(session: Session, people: People, expression: str) -> bool:
    """Say whether the public bounds of an expression are one number, such as those of `0 * x`.

    Plans give a constant a width, upward from it: the lower bounds of x and of -x are the same number then, but for its
    sign. What has no bounds, or is no number, is refused elsewhere, if at all.
    """
    where = "" if people.where is None else f" WHERE {people.where}"
    sql = f"SELECT {expression} AS v, -({expression}) AS n FROM {_quote(people.table)}{where}"
    try:
        grids = [column.grid for column in session.plan_rows(sql, people.parameters).columns]
    except QueryError:
        return False
    low, other = (grid.center + grid.step * grid.lower for grid in grids)
    return low + other > -min(grid.step for grid in grids)


def check_text(name: str, text: object) -> str:
    """Return a text that is not empty."""
    if not isinstance(text, str) or not text.strip():
        raise ParameterError(name, text, "a text: a name, or an SQL expression")
    return text


def write_condition(condition: str) -> str:
    """Return 1 where a condition holds, 0 where it does not, and nothing where that is unknown."""
    return f"CASE WHEN ({condition}) THEN 1 WHEN NOT ({condition}) THEN 0 END"


def write_places(expression: str, values: Sequence[Any], prefix: str, parameters: dict[str, Any]) -> tuple[str, str]:
    """Return the place of an expression's value among public ones, and the condition that it has one."""
    names = [f"{prefix}_{place}" for place in range(len(values))]
    add_parameters(parameters, dict(zip(names, values, strict=True)))
    cases = " ".join(f"WHEN ({expression}) = ${name} THEN {place}" for place, name in enumerate(names))
    return f"CASE {cases} END", f"({expression}) IN ({', '.join(f'${name}' for name in names)})"


def add_parameters(parameters: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Add parameters of a question to those that somebody gave; refuse one that has the name of another."""
    for name in parameters.keys() & more.keys():
        raise ParameterError("params", name, "another name: this one is taken")
    parameters.update(more)


def check_values(name: str, values: object, least: int = 2, most: int = MOST_GROUPS) -> tuple[Any, ...]:
    """Return public values of one kind, none twice."""
    if isinstance(values, str) or not isinstance(values, Sequence) or not least <= len(values) <= most:
        allowed = f"{least} values" if least == most else f"{least} to {most} values"
        raise ParameterError(name, values, f"a list of {allowed} that groups have, such as ['f', 'm']")
    found = tuple(values)
    if any(not isinstance(each, str | int | date) for each in found):
        raise ParameterError(name, values, "texts, whole numbers, dates, or True and False")
    if len(set(found)) != len(found) or len({type(each) for each in found}) != 1:
        raise ParameterError(name, values, "values of one kind, none of them twice")
    return found


def find_values(
    session: Session, people: People, name: str, column: str, values: object, least: int = 2
) -> tuple[Any, ...]:
    """Return the values that were given, or else those that the policy declares for a column."""
    if values is not None:
        return check_values(name, values, least)
    declared = session.tables[people.table].column(column)
    if declared is None or declared.values is None:
        raise ParameterError(name, None, f"given: the policy declares no values of {column!r}, so that they are data")
    return check_values(name, list(declared.values), least)


def read_miss(confidence: float) -> float:
    """Return the probability with which an interval may miss."""
    miss = 1 - float(check.confidence(confidence))
    if not 1e-6 <= miss <= 0.9:
        raise ParameterError("confidence", confidence, "a number from 0.1 to 0.999999")
    return miss


def _quote(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql(dialect="duckdb")
