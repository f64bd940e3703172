"""The campaign must be able to fail: with a rule broken on purpose, it finds a violation in few questions.

Most are found in the first world. Rows that are picked at random may be missed there, and are met again in the next;
which of two rules they break first is left to chance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from discreet.engines import contributions, rows
from discreet.engines.duck.engine import DuckEngine
from discreet.engines.duck.literals import write_number
from discreet.engines.limiting import rows as limited_rows
from discreet.engines.limiting import statement
from hostile.campaign import explored
from hostile.judging import Violation

Patch = pytest.MonkeyPatch


def nothing_is_cut(patch: Patch) -> None:
    def sums(grouped: Any, limits: Any, parts: Any) -> str:
        return statement._sums(grouped, parts, f"({grouped.rows}) AS q")

    patch.setattr(statement, "sum_limited", sums)
    patch.setattr(statement, "select_kept_rows", lambda grouped, limits: grouped.rows)


def rows_are_picked_at_random(patch: Patch) -> None:
    patch.setattr(limited_rows, "write_values", lambda names, dialect: "CAST(random() AS VARCHAR)")


def partners_are_not_counted(patch: Patch) -> None:
    patch.setattr(DuckEngine, "fan_out", lambda self, table, columns: 1)
    whole = rows.Writer._lookup
    patch.setattr(rows.Writer, "_lookup", lambda self, join: whole(self, replace(join, fan_out=10**6)))


def values_are_not_clamped(patch: Patch) -> None:
    def point(value: str, grid: Any, dialect: Any) -> str:
        steps = f"floor(({value} - {write_number(grid.center)}) / {write_number(grid.step)})"
        return f"coalesce(TRY_CAST({steps} AS BIGINT), 0)"

    patch.setattr(contributions, "write_point", point)


def scans_are_cut_by_position(patch: Patch) -> None:
    whole = rows.Writer._scan

    def cut(self: rows.Writer, scan: Any) -> str:
        before, found, after = whole(self, scan).partition("ORDER BY __discreet_content")
        return before + "ORDER BY 1) AS __discreet_rank" + after.split(" AS __discreet_rank", 1)[1] if found else before

    patch.setattr(rows.Writer, "_scan", cut)


def one_row_is_in_two_groups(patch: Patch) -> None:
    found: Any = statement.KeyColumn.stored
    patch.setattr(statement.KeyColumn, "stored", property(lambda self: (*found.fget(self)[:-1], *found.fget(self)[:1])))


def the_size_of_a_table_is_a_limit(patch: Patch) -> None:
    found = DuckEngine.run

    def run(self: DuckEngine, plan: Any) -> Any:
        rows_ = self._cursor({"a"}).execute(f"SELECT count(*) FROM ({self._select('a', frozenset())})").fetchone()
        if rows_ is not None and rows_[0] > 9:
            raise MemoryError("out of memory")
        return found(self, plan)

    patch.setattr(DuckEngine, "run", run)


BROKEN: list[tuple[Callable[[Patch], None], int, str]] = [
    (nothing_is_cut, 0, "^(squared L2|L1) .* > "),
    (rows_are_picked_at_random, 1, "^(not unit-local: |(squared L2|L1) .* > )"),
    (partners_are_not_counted, 0, "^(squared L2|L1) .* > "),
    (values_are_not_clamped, 0, "^((squared L2|L1) .* > |OutOfRangeException: )"),
    (scans_are_cut_by_position, 1, "^(not unit-local: |(squared L2|L1) .* > )"),
    (one_row_is_in_two_groups, 0, "^((squared L2|L1) .* > |0 is counted of a unit that is over its limits)"),
    (the_size_of_a_table_is_a_limit, 0, "^MemoryError: out of memory"),
]


@pytest.mark.many
@pytest.mark.parametrize(("broken", "seed", "words"), BROKEN, ids=[each[0].__name__ for each in BROKEN])
def test_a_broken_rule_is_noticed(broken: Callable[[Patch], None], seed: int, words: str, monkeypatch: Patch) -> None:
    broken(monkeypatch)
    with pytest.raises(Violation, match=words):
        explored(range(seed, seed + 5), 35)
