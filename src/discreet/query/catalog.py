"""What may be asked about: the policy's tables with their columns and types, found by name. No data is behind it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from discreet.base.errors import QueryError
from discreet.plan.expressions import Column, Constant, Expression, GivenRows
from discreet.plan.relations import Scan
from discreet.policy.model import DeclaredColumn as Declared
from discreet.policy.model import Policy
from discreet.policy.schema import Resolved

PublicValues = Callable[[str, str], tuple[Constant, ...]]
"""The distinct values of a column of a public table."""

FanOut = Callable[[str, tuple[str, ...]], int]
"""In how many rows of a public table these columns have the same values, at most."""

Evaluate = Callable[[Expression, dict[Column, tuple[Constant, ...]]], tuple[Constant, ...]]
"""The distinct values of an expression, without NULL, when its columns take all combinations of these and NULL."""

PublicRows = Callable[[str, tuple[str, ...], int], tuple[tuple[Constant, ...], ...]]
"""The distinct rows of some columns of a public table, NULL where they are; one more than so many at most."""

Combine = Callable[[tuple[Expression, ...], Expression | None, tuple[GivenRows, ...]], tuple[tuple[Constant, ...], ...]]
"""The distinct rows of some expressions, without NULL, over all combinations of given rows that meet a condition."""


class PublicSide(Protocol):
    """What engines tell of a policy's tables before anybody pays: schemas, and what public tables hold."""

    policy: Policy
    tables: Mapping[str, Resolved]

    @property
    def public_values(self) -> PublicValues: ...  # noqa: D102

    @property
    def fan_out(self) -> FanOut: ...  # noqa: D102

    @property
    def evaluate(self) -> Evaluate: ...  # noqa: D102

    @property
    def public_rows(self) -> PublicRows: ...  # noqa: D102

    @property
    def combine(self) -> Combine: ...  # noqa: D102


@dataclass(frozen=True)
class Catalog:
    """The policy, its resolved tables by folded name, and what public tables hold."""

    policy: Policy
    tables: Mapping[str, Resolved]
    public_values: PublicValues
    fan_out: FanOut
    evaluate: Evaluate
    public_rows: PublicRows
    combine: Combine
    shown: frozenset[str] | None = None
    """The folded names of tables and views that whoever asks may name; None: all."""

    @classmethod
    def of(cls, side: PublicSide) -> Catalog:
        """Return the catalog of what engines hold."""
        shown = (side.public_values, side.fan_out, side.evaluate, side.public_rows, side.combine)
        return cls(side.policy, side.tables, *shown)

    def show(self, names: tuple[str, ...] | None) -> Catalog:
        """Return the catalog of somebody who may name these tables and views alone; None: all."""
        return replace(self, shown=None if names is None else frozenset(name.casefold() for name in names))

    def shows(self, name: str) -> bool:
        """Say whether a table or view may be named."""
        return self.shown is None or name.casefold() in self.shown

    def table(self, name: str) -> Resolved:
        """Return the table of that name."""
        found = self.tables.get(name.casefold())
        if found is None:
            raise self._refuse(name)
        return found

    def find_named(self, name: str) -> Resolved:
        """Return the table that whoever asks named; one that they may not name is not there for them."""
        if not self.shows(name):
            raise self._refuse(name)
        return self.table(name)

    def _refuse(self, name: str) -> QueryError:
        every = [*(each.name for each in self.policy.tables), *(each.name for each in self.policy.views)]
        names = [each for each in every if self.shows(each)]
        return QueryError(f"there is no table {name!r}; {suggest_name(name, names)}")

    def scan(self, table: Resolved, relation: str) -> Scan:
        """Return the scan of a private table, with the tables through which its rows reach their units."""
        path = tuple(each.name for each in self.policy.list_path(table.table))
        return Scan(table.table.name, relation, through=path)

    def column(self, table: Resolved, name: str) -> Declared:
        """Return the column of that name of a table."""
        found = table.column(name)
        if found is None:
            names = [column.name for column in table.columns]
            raise QueryError(f"{table.table.name!r} has no column {name!r}; {suggest_name(name, names)}")
        return found


def suggest_name(name: str, names: list[str]) -> str:
    """Return what to write instead of a name that does not exist."""
    near = difflib.get_close_matches(name.casefold(), [each.casefold() for each in names], n=1, cutoff=0.6)
    if near:
        return f"did you mean {next(each for each in names if each.casefold() == near[0])!r}?"
    return f"these exist: {', '.join(sorted(names)) or 'none'}"
