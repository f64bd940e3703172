"""`discreet check --fit`: how the rows fit what the policy says of them. Exact, unpaid, for the owner's eyes only.

No session and no server leads here, and no ledger is opened: it reads the policy and the tables, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.base import check
from discreet.base.types import Type
from discreet.curator.owner.misfits import FOR_THE_OWNER, LookedAt, Misfit, write_share
from discreet.engines.engines import Engines
from discreet.engines.survey import SurveyedColumn, SurveyedTable
from discreet.mechanisms import Laplace
from discreet.policy import Policy, load
from discreet.policy.model import Bound, DeclaredColumn, Table
from discreet.policy.schema import Resolved
from discreet.privacy.neighbours import Neighbours

__all__ = ["COPYING", "FOR_THE_OWNER", "LimitChoice", "Misfit", "PolicyFit", "TableFit", "fit_policy", "write_share"]

ONE_OF = 10
"""What part of the budget the count costs whose noise is shown, where nothing is said."""

COPYING = (
    "bounds, values and limits are public: chosen after these numbers they publish what the rows hold. Take them from "
    "what is known without the data (a tariff, a law, a form), or pay for them: `discreet bounds TABLE.COLUMN -e E`"
)


@dataclass(frozen=True, slots=True)
class LimitChoice:
    """What a limit on rows would do: the units that have more, their rows that are lost, the noise of a count."""

    max_rows: int
    units_beyond: int
    rows_lost: int
    noise: float
    declared: bool


@dataclass(frozen=True, slots=True)
class TableFit(LookedAt):
    """How the rows of one table fit."""

    table: str
    rows: int
    units: int | None
    """None where rows are units, and of public tables."""

    counted: int
    """Rows that belong to a unit, once for each; all, where there are no units."""

    looked_at: tuple[Misfit, ...]
    choices: tuple[LimitChoice, ...]

    @property
    def to_do(self) -> int:
        """Return how many things are to be done."""
        return self.count_much() + (self.rows == 0)


@dataclass(frozen=True, slots=True)
class PolicyFit:
    """How the rows of all tables fit, and at which epsilon the noise of a count is shown."""

    epsilon: float
    tables: tuple[TableFit, ...]

    @property
    def to_do(self) -> int:
        """Return how many things are to be done."""
        return sum(each.to_do for each in self.tables)

    def as_dict(self) -> dict[str, Any]:
        """Return everything for programs of the owner's."""
        return {
            "for": FOR_THE_OWNER,
            "warning": COPYING,
            "epsilon": self.epsilon,
            "to_do": self.to_do,
            "tables": [_table_dict(each) for each in self.tables],
        }


def fit_policy(path: Path, epsilon: float | None = None) -> PolicyFit:
    """Return how the rows fit a policy. For the owner alone: private rows are read and counted exactly."""
    policy = load(path)
    at = float(policy.epsilon) / ONE_OF if epsilon is None else float(check.positive("epsilon", epsilon))
    with closing(Engines(policy, partly=True)) as engines:
        resolved = [engines.tables[name] for name in engines.tables]
        return PolicyFit(at, tuple(_fit_table(policy, each, engines.survey(each.table.name), at) for each in resolved))


def _fit_table(policy: Policy, resolved: Resolved, found: SurveyedTable, epsilon: float) -> TableFit:
    table = resolved.table
    types = dict(resolved.source_types)
    looked_at = [
        misfit
        for column in found.columns
        for misfit in _fit_column(table, table.column(column.name) or DeclaredColumn(column.name), column, types)
    ]
    if table.public or table.unit is None:
        return TableFit(table.name, found.rows, None, found.rows, tuple(looked_at), ())
    units = sum(count for _, count in found.rows_of_units)
    words = "of the rows belong to no unit and never count" + (" (no row leads to one)" if table.through else "")
    looked_at.append(Misfit(table.unit, "no unit", words, found.lost, found.rows))
    choices = _list_choices(policy, table, found, epsilon)
    declared = next((each for each in choices if each.declared), None)
    counted = sum(rows * count for rows, count in found.rows_of_units)
    if declared is not None:
        words = f"of the units have more rows than max_rows = {declared.max_rows}"
        looked_at.append(Misfit("max_rows", "units beyond", words, declared.units_beyond, units, weighs=False))
        words = f"of the rows are left out for max_rows = {declared.max_rows}"
        looked_at.append(Misfit("max_rows", "rows lost", words, declared.rows_lost, counted))
    looked_at += _fit_groups(table, found, units)
    return TableFit(table.name, found.rows, units, counted, tuple(looked_at), tuple(choices))


def _fit_column(table: Table, column: DeclaredColumn, found: SurveyedColumn, types: dict[str, Any]) -> Iterator[Misfit]:
    name, kind = column.name, types[column.name]
    unread = found.filled - found.read
    if column.values is not None:
        words = f"of the values are none of the {len(column.values)} declared ones: as keys they never show"
        yield Misfit(name, "outside", words, found.outside + unread, found.filled)
    else:
        words = f"of the values cannot be read as {kind} and count as NULL"
        if kind is Type.TEXT:
            words = f"of the texts are longer than {table.most_letters(name):,} letters and count as NULL"
        yield Misfit(name, "another type", words, unread, found.filled)
    if found.changed:
        words = (
            "lose their time of day: write timestamp" if kind is Type.DATE else "are rounded: write decimal or float"
        )
        yield Misfit(name, "changed", f"of the values are read as {kind} and {words}", found.changed, found.read)
    if column.lower is not None and column.upper is not None:
        words = f"of the values are below {_write(column.lower)} and are clamped to it"
        yield Misfit(name, "below", words, found.below, found.read)
        words = f"of the values are above {_write(column.upper)} and are clamped to it"
        yield Misfit(name, "above", words, found.above, found.read)


def _fit_groups(table: Table, found: SurveyedTable, units: int) -> Iterator[Misfit]:
    for each in found.groups:
        by = "in a question without GROUP BY" if each.column is None else f"in a question by {each.column}"
        if table.max_groups is not None and each.column is not None:
            words = f"of the units are in more groups than max_groups = {table.max_groups} {by}"
            yield Misfit("max_groups", "units beyond", words, each.over_groups, units)
        if table.max_rows_per_group is not None:
            words = f"of the units have more rows in a group than max_rows_per_group = {table.max_rows_per_group} {by}"
            yield Misfit("max_rows_per_group", "units beyond", words, each.over_rows, units)
    for key, count in found.repeated:
        words = f"of the units have two rows of one {', '.join(key)}; joins on it keep one of them"
        yield Misfit("unique", "units beyond", words, count, units)


def _list_choices(policy: Policy, table: Table, found: SurveyedTable, epsilon: float) -> list[LimitChoice]:
    """Return what limits of 1, 2, 5, 10, ... and the declared one would do, up to one that nobody is beyond."""
    most = max((rows for rows, _ in found.rows_of_units), default=1)
    limits = {1} if table.max_rows is None else {1, table.max_rows}
    step = 0
    while max(limits - {table.max_rows}, default=1) < most:
        limits.add((1, 2, 5)[step % 3] * 10 ** (step // 3))
        step += 1
    factor = 2 if policy.neighbours is Neighbours.REPLACE else 1
    return [
        LimitChoice(
            limit,
            sum(units for rows, units in found.rows_of_units if rows > limit),
            sum((rows - limit) * units for rows, units in found.rows_of_units if rows > limit),
            float(Laplace.calibrate(epsilon, factor * limit).interval(0.95)),
            limit == table.max_rows,
        )
        for limit in sorted(limits)
    ]


def _write(bound: Bound) -> str:
    return f"{float(bound):,.10g}" if isinstance(bound, Fraction) else bound.isoformat()


def _table_dict(fit: TableFit) -> dict[str, Any]:
    return {
        "table": fit.table,
        "rows": fit.rows,
        "units": fit.units,
        "counted": fit.counted,
        "looked_at": [each.to_dict() for each in fit.looked_at],
        "max_rows": [
            {
                "max_rows": each.max_rows,
                "units_beyond": each.units_beyond,
                "rows_lost": each.rows_lost,
                "noise": each.noise,
                "declared": each.declared,
            }
            for each in fit.choices
        ],
    }
