"""What generated questions found, each put back once."""

from __future__ import annotations

from mutants.mutant import broken

FOUND = "tests/hostile/test_found.py"

MUTATIONS = [
    broken(
        "whole numbers that a subquery made count as a table's",
        "plan/lowering.py",
        "bits=count_bits(held) or COLUMN_BITS",
        "bits=COLUMN_BITS",
        FOUND,
        "tests/plan/test_functions.py",
    ),
    broken(
        "whole numbers that are public values count as a table's",
        "query/bounding/public_facts.py",
        "    bits = count_bits(expression) or COLUMN_BITS\n",
        "    bits = COLUMN_BITS\n",
        "tests/query/bounding/test_public_facts.py",
    ),
    broken(
        "widths of subqueries' columns are trusted",
        "query/build.py",
        "        check_widths(made.expressions(), made.block)\n",
        "",
        FOUND,
    ),
    broken(
        "days beyond the calendar are read",
        "engines/sources.py",
        "        if kind in ENDS:\n",
        "        if kind is Type.TIMESTAMP:\n",
        "tests/engines/test_rows.py",
    ),
    broken(
        "-0.0 may stand for 0.0",
        "engines/rows.py",
        "    if expression.type is Type.FLOAT:\n",
        "    if expression.type is Type.BOOLEAN:\n",
        FOUND,
    ),
    broken(
        "NULL is told as the text null",
        "engines/limiting/hashing.py",
        "    text = dialect.write_canonical(*value)\n",
        "    text = f\"coalesce({dialect.write_canonical(*value)}, 'null')\"\n",
        "tests/engines/limiting/test_hashing.py",
    ),
    broken(
        "two keys may be one float",
        "query/bounding/public_facts.py",
        "        if key.type in (Type.FLOAT, Type.DECIMAL):  # as engines",
        "        if key.type is Type.BOOLEAN:  # as engines",
        FOUND,
    ),
    broken(
        "decimals as units keep their zeros",
        "engines/duck/sources.py",
        "rtrim(rtrim({written}, '0'), '.') ELSE",
        "{written} ELSE",
        FOUND,
    ),
    broken(
        "units to the nanosecond are one to the microsecond",
        "engines/duck/sources.py",
        'self.kinds.get(name) == "TIMESTAMP_NS"',
        'self.kinds.get(name) == "no type"',
        FOUND,
    ),
    broken(
        "partners in public tables are not counted",
        "query/select/from_clause.py",
        "        return Lookup(name, place, tuple(columns), keep, fan_out)",
        "        return Lookup(name, place, tuple(columns), keep, min(fan_out, 1))",
        "tests/query/select/test_from_clause.py",
        "tests/query/bounding/test_limits.py",
    ),
]
