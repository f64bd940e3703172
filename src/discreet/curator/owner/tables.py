"""What may be asked about, for people to read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.policy.model import DeclaredColumn, DeclaredView
from discreet.policy.schema import Resolved


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of a policy, with what is public about their columns, and its views."""

    tables: tuple[Resolved, ...]
    views: tuple[DeclaredView, ...] = ()

    def __iter__(self) -> Iterator[Resolved]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def __getitem__(self, name: str) -> Resolved:
        for each in self.tables:
            if each.table.name.casefold() == name.casefold():
                return each
        raise QueryError(
            f"there is no table {name!r}; these exist: {', '.join(each.table.name for each in self.tables)}"
        )

    def __str__(self) -> str:
        views = [f"{each.name} (view)\n  {' '.join(each.sql.split())}" for each in self.views]
        return "\n\n".join([*(_table(each) for each in self.tables), *views])


def _table(resolved: Resolved) -> str:
    table = resolved.table
    kind = "public" if table.public else f"unit: {table.whose}"
    width = max((len(column.name) for column in resolved.columns), default=0)
    keys = "".join(f"; one row of a unit for each {' and '.join(key)}" for key in table.unique)
    lines = [f"{table.name} ({kind}{keys})"]
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
