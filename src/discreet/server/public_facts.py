"""Tables and budgets as they travel: no more than is public, or the analyst's own, and read as the same values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from discreet.base.exact import read_exact
from discreet.base.types import Type
from discreet.curator.owner.budget import Budget, Share
from discreet.curator.owner.tables import Tables
from discreet.ledger import Suspension
from discreet.policy.model import DeclaredColumn, DeclaredView, Table
from discreet.policy.schema import Resolved
from discreet.privacy.budget import BudgetFilter

LIMITS = ("max_rows", "max_groups", "max_rows_per_group")
BOUNDS = ("lower", "upper", "step")


def write_tables(tables: Tables) -> list[dict[str, Any]]:
    """Return what is public about tables and views, as JSON values: not where they lie, nor what is hidden in them."""
    found: list[dict[str, Any]] = [_write_table(each) for each in tables]
    return found + [{"name": view.name, "kind": "view", "sql": view.sql} for view in tables.views]


def _write_table(resolved: Resolved) -> dict[str, Any]:
    table = resolved.table
    return {
        "name": table.name,
        "kind": "public" if table.public else "private",
        "unit": None if table.public else table.whose,
        "size": table.size,
        **{name: getattr(table, name) for name in LIMITS},
        "unique": table.unique,
        "columns": [_write_column(column) for column in resolved.columns],
    }


def _write_column(column: DeclaredColumn) -> dict[str, Any]:
    told: dict[str, Any] = {"name": column.name, "type": str(column.type)}
    for name in BOUNDS:
        value = getattr(column, name)
        if value is not None:
            told[name] = float(value) if isinstance(value, Fraction) else str(value)
    if column.longest is not None:
        told["longest"] = column.longest
    if column.values is not None:
        told["values"] = [value if isinstance(value, str | int | bool) else str(value) for value in column.values]
    return told


def read_tables(told: Sequence[Mapping[str, Any]]) -> Tables:
    """Return the tables and views that `write_tables` wrote."""
    views = tuple(DeclaredView(each["name"], each["sql"]) for each in told if each["kind"] == "view")
    return Tables(tuple(_read_table(each) for each in told if each["kind"] != "view"), views)


def _read_table(told: Mapping[str, Any]) -> Resolved:
    columns = tuple(map(_read_column, told["columns"]))
    public, rows = told["kind"] == "public", told["unit"] == "each row"
    table = Table(
        told["name"],
        public=public,
        unit=None if public or rows else told["unit"],
        rows_are_units=rows,
        size=told["size"],
        max_rows=told["max_rows"],
        max_groups=told.get("max_groups"),
        max_rows_per_group=told.get("max_rows_per_group"),
        columns=columns,
        unique=tuple(map(tuple, told.get("unique", ()))),
    )
    return Resolved(table, columns, tuple((each.name, each.type) for each in columns if each.type), None)


def _read_column(told: Mapping[str, Any]) -> DeclaredColumn:
    kind = Type(told["type"])
    lower, upper, step = (None if name not in told else _read_bound(told[name], kind) for name in BOUNDS)
    values = tuple(_read_value(each, kind) for each in told["values"]) if "values" in told else None
    assert step is None or isinstance(step, Fraction)
    return DeclaredColumn(told["name"], kind, lower, upper, step, values, told.get("longest"))


def _read_bound(told: Any, kind: Type) -> Any:
    """Return an end of a column's range: numbers are the decimals that they print as."""
    return Fraction(str(told)) if kind.numeric else _read_value(told, kind)


def _read_value(told: Any, kind: Type) -> Any:
    if kind is Type.DATE:
        return date.fromisoformat(told)
    if kind is Type.TIMESTAMP:
        return datetime.fromisoformat(told)
    return Fraction(told) if kind.numeric and isinstance(told, str) else told


class UnnumberedSuspension(Suspension):
    """A suspension as its analyst is told of it: without the number of an entry, which would tell of others."""

    def __str__(self) -> str:
        return f"asking is suspended for {self.analyst!r} after a question that failed or was late"


def read_budget(told: Mapping[str, Any]) -> Budget:
    """Return an analyst's own cap as a budget: what is left, and how many more questions fit."""
    exact = told["exact"]
    epsilon, delta = Fraction(read_exact(exact["epsilon"])), Fraction(read_exact(exact["delta"]))
    spent = tuple(read_exact(each) for each in exact["spent"])
    share = Share(told["analyst"], epsilon, delta, BudgetFilter(epsilon, delta, spent=spent))
    return Budget(share, (), (UnnumberedSuspension(told["analyst"], 0, ""),) if told["suspended"] else ())
