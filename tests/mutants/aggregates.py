"""Distinct values: each counts once, clamped before, among rows that are kept, and moves as far as is charged.

Units are counted once by a condition on their rows, and GROUPING tells public numbers of keys alone.
"""

from __future__ import annotations

from mutants.mutant import broken

MEASURES, ROWS = "tests/query/bounding/test_measures.py", "tests/engines/limiting/test_rows.py"
BOUNDED, INSIDE = "tests/plan/test_bounded.py", "tests/query/select/test_per_unit.py"

MUTATIONS = [
    broken(
        "distinct values are added up as often as rows have them",
        "engines/dialect.py",
        'return f"sum(DISTINCT {self.whole(value)})"',
        'return f"sum({self.whole(value)})"',
        ROWS,
    ),
    broken(
        "a unit moves a sum of distinct values by one for each row",
        "plan/bounded.py",
        "            Part.DISTINCT_SUM: first,\n",
        "",
        MEASURES,
    ),
    broken(
        "sums of distinct values only grow",
        "plan/bounded.py",
        "if self.part in (Part.SUM, Part.DISTINCT_SUM) and self.grid is not None:",
        "if self.part is Part.SUM and self.grid is not None:",
        BOUNDED,
    ),
    broken(
        "a mean of distinct points divides by how many values were told apart before rounding",
        "query/bounding/measures.py",
        "[Measure(Part.DISTINCT, argument, grid), Measure(Part.DISTINCT_SUM",
        "[Measure(Part.DISTINCT, argument), Measure(Part.DISTINCT_SUM",
        MEASURES,
    ),
    broken(
        "distinct values are those of all rows, not of those that are kept",
        "engines/limiting/statement.py",
        "kept = select_kept_rows(grouped, limits, by_unit) if unit else grouped.rows",
        'kept = select_kept_rows(grouped, limits, by_unit) if unit and "DISTINCT_SUM" not in parts else grouped.rows',
        ROWS,
    ),
    broken(
        "a mean of one unit's distinct values divides by its rows",
        "engines/rows.py",
        "count = f\"count({'DISTINCT ' if once else ''}{name})\" if",
        'count = f"count({name})" if',
        INSIDE,
    ),
    broken(
        "units with a condition are counted by all their rows",
        "engines/limiting/sums.py",
        'return ((f"max({self.name})", self.name),)',
        'return ((f"sum({self.name})", self.name),)',
        MEASURES,
    ),
    broken(
        "units whose rows are kept are counted whatever the condition says",
        "engines/limiting/grouped_rows.py",
        "return HOLDERS if holders else measure.part.name",
        "return measure.part.name",
        MEASURES,
    ),
    broken(
        "among rows that are kept, units with a condition are counted by rows",
        "engines/limiting/statement.py",
        'return f"count(DISTINCT CASE WHEN {name} = 1 THEN {UNIT} END)" if',
        'return f"sum({name})" if',
        MEASURES,
    ),
    broken(
        "GROUPING numbers its keys from the first",
        "query/select/grouping_sets.py",
        "for at, key in enumerate(reversed(keys))",
        "for at, key in enumerate(keys)",
        "tests/query/select/test_grouping_sets.py",
    ),
    broken(
        "GROUPING takes columns of rows for keys",
        "query/build.py",
        "        if key is None or key not in self.keys:\n",
        "        if key not in self.keys and key is not None:\n            self.keys.append(key)\n"
        "        if key is None:\n",
        "tests/query/select/test_grouping_sets.py",
    ),
]
