"""Numbers of rows: by one unit's rows alone, whatever their order, and no fewer rows charged than stay."""

from __future__ import annotations

from mutants.mutant import broken

NUMBERS = "tests/query/select/test_row_numbers.py"

MUTATIONS = [
    broken(
        "rows are numbered across units",
        "engines/rows.py",
        'by = ", ".join([UNIT, *(names[each] for each in number.partition)])',
        'by = ", ".join(["1", *(names[each] for each in number.partition)])',
        NUMBERS,
    ),
    broken(
        "rows that tie are numbered as they lie",
        "engines/rows.py",
        "terms += apart if number.kind is NumberKind.ROW else []",
        "terms += []",
        NUMBERS,
    ),
    broken(
        "equal rows have an order of their own for each number",
        "engines/rows.py",
        "if sum(number.kind is NumberKind.ROW for number in source.numbers) > 1:",
        "if not source.numbers:",
        NUMBERS,
    ),
    broken(
        "windows without the unit number rows",
        "query/select/row_numbers.py",
        "if not any(self.rows.names.is_unit(each) for each in by) or order is None:",
        "if order is None:",
        NUMBERS,
    ),
    broken(
        "ranks are taken for numbers that a unit has once",
        "plan/keys.py",
        "each.kind is NumberKind.ROW and not each.partition",
        "not each.partition",
        NUMBERS,
    ),
    broken(
        "numbers of parts of a unit's rows are taken for numbers of all",
        "plan/keys.py",
        "each.kind is NumberKind.ROW and not each.partition",
        "each.kind is NumberKind.ROW",
        NUMBERS,
    ),
    broken(
        "a condition on numbers leaves one row fewer than it does",
        "query/bounding/limits.py",
        'max(value - (name == "lt"), 1)',
        "max(value - 1, 1)",
        NUMBERS,
    ),
    broken(
        "NULL comes last where it is asked for first",
        "engines/rows.py",
        "THEN {int(not nulls_first)} ELSE {int(nulls_first)} END",
        "THEN 1 ELSE 0 END",
        NUMBERS,
    ),
]
