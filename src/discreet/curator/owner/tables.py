"""What may be asked about, for people to read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from discreet.answers.html_tables import render_table
from discreet.base.errors import QueryError
from discreet.base.showing import ShownAsText
from discreet.base.types import Type
from discreet.policy.model import DeclaredColumn, DeclaredView, Table
from discreet.policy.schema import Resolved


@dataclass(frozen=True, slots=True, repr=False)
class Tables(ShownAsText):
    """The tables of a policy, with what is public about their columns, and its views."""

    tables: tuple[Resolved, ...]
    views: tuple[DeclaredView, ...] = ()

    def __iter__(self) -> Iterator[Resolved]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tables, then of the views."""
        return (*(each.table.name for each in self.tables), *(each.name for each in self.views))

    def __getitem__(self, name: str) -> Resolved:
        for each in self.tables:
            if each.table.name.casefold() == name.casefold():
                return each
        raise QueryError(f"there is no table {name!r}; these exist: {', '.join(self.names)}")

    def __str__(self) -> str:
        views = [f"{each.name} (view)\n  {' '.join(each.sql.split())}" for each in self.views]
        return "\n\n".join([*(_table(each) for each in self.tables), *views])

    def find(self, name: str) -> Tables:
        """Return the one table or view of this name, to be shown alone."""
        views = tuple(each for each in self.views if each.name.casefold() == name.casefold())
        return Tables((), views) if views else Tables((self[name],))

    def _repr_html_(self) -> str:
        tables = [
            render_table(
                each.table.name,
                _describe_kind(each.table),
                ("column", "type", "public facts"),
                ((column.name, str(column.type), describe_column(column)) for column in each.columns),
            )
            for each in self.tables
        ]
        views = [render_table(each.name, "view", (), ((each.sql,),)) for each in self.views]
        return f"<div>{''.join([*tables, *views])}</div>"


def _describe_kind(table: Table) -> str:
    """Say whose rows they are, how many of them a unit keeps, and which are unique."""
    kind = "public" if table.public else f"unit: {table.whose}"
    limits = [("max_rows", table.max_rows), ("max_groups", table.max_groups)]
    limits += [("max_rows_per_group", table.max_rows_per_group)]
    if table.unit is not None:
        kind += "".join(f"; {name} = {limit:,}" for name, limit in limits if limit is not None)
    return kind + "".join(f"; one row of a unit for each {' and '.join(key)}" for key in table.unique)


def _table(resolved: Resolved) -> str:
    width = max((len(column.name) for column in resolved.columns), default=0)
    lines = [f"{resolved.table.name} ({_describe_kind(resolved.table)})"]
    lines += [
        f"  {column.name:<{width}}  {column.type!s:<9}  {describe_column(column)}".rstrip()
        for column in resolved.columns
    ]
    return "\n".join(lines)


def describe_column(column: DeclaredColumn) -> str:
    """Return what is declared about a column, in words."""
    told = []
    if column.lower is not None:
        told.append(f"{_shown(column.lower)} to {_shown(column.upper)}")
    if column.step is not None:
        told.append(f"step {_shown(column.step)}")
    if column.values is not None:
        listed = ", ".join(str(value) for value in column.values[:8])
        told.append(listed + (f", ... ({len(column.values)} values)" if len(column.values) > 8 else ""))
    if column.type is Type.TEXT and (column.values is None or column.longest is not None):
        told.append(f"up to {column.most_letters:,} letters")
    return "; ".join(told)


def _shown(value: object) -> str:
    return f"{float(value):g}" if isinstance(value, Fraction) else str(value)
