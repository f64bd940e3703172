"""The rules of what units keep, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

KEEPING = "tests/engines/limiting/test_statement.py"
LIMITS, HEAVY, SUMS, WINDOWS, ROWS, HASHING, STATEMENT = (
    f"engines/limiting/{name}.py"
    for name in ("unit_limits", "heavy_units", "sums", "windows", "rows", "hashing", "statement")
)

MUTATIONS = [
    broken(
        "a public table that grew multiplies rows without a unit",
        "engines/rows.py",
        "WHERE __discreet_rank <= {join.fan_out}",
        "WHERE __discreet_rank <= 1000000",
        "tests/engines/test_rows.py",
    ),
    broken(
        "kept: sums of units are not limited at all",
        STATEMENT,
        "sum_limited(grouped, limits, parts) if unit else",
        "sum_limited(grouped, limits, parts) if unit and len(parts) > 9 else",
        KEEPING,
    ),
    broken(
        "kept: picked rows of units are not limited at all",
        STATEMENT,
        "kept = select_kept_rows(grouped, limits) if unit else grouped.rows",
        "kept = grouped.rows",
        KEEPING,
    ),
    broken(
        "kept: one group too many",
        LIMITS,
        "return min(self.limits.groups, self.limits.rows)",
        "return min(self.limits.groups + 1, self.limits.rows)",
        KEEPING,
    ),
    broken(
        "kept: one row in a group too many",
        LIMITS,
        "return min(self.limits.rows_per_group, self.limits.rows)",
        "return min(self.limits.rows_per_group + 1, self.limits.rows)",
        KEEPING,
    ),
    broken(
        "kept: rows in all are not limited",
        LIMITS,
        "return self.most_per_group > 1 and self.limits.rows < groups * self.most_per_group",
        "return False",
        KEEPING,
    ),
    broken(
        "kept: rows of the group itself count as those before it",
        LIMITS,
        "AND 1 PRECEDING",
        "AND CURRENT ROW",
        KEEPING,
    ),
    broken("kept: groups after the last row count a unit", WINDOWS, " WHERE {KEEP} > 0", "", KEEPING),
    broken(
        "kept: units with as many rows as groups are light",
        LIMITS,
        "return min(self.most_per_group, self.most_groups) if self.too_many_groups else self.most_per_group",
        "return self.most_per_group",
        KEEPING,
    ),
    broken(
        "kept: units are light with a row too many",
        HEAVY,
        "count(*) > {limits.least}",
        "count(*) > {limits.least} + 1",
        KEEPING,
    ),
    broken(
        "kept: light units are counted as one",
        HEAVY,
        "*([UNIT] if by_unit else [])",
        "*([UNIT] if not by_unit else [])",
        KEEPING,
    ),
    broken(
        "kept: heavy units are cut together",
        HEAVY,
        "windows.cut(limits, heavy, PLACE)",
        "windows.cut(limits, heavy, '1')",
        KEEPING,
    ),
    broken(
        "kept: sums beside cells lose what is beyond 62 bits", STATEMENT, "(high * HALF + low for", "(low for", KEEPING
    ),
    broken(
        "kept: scaled sums are not scaled",
        SUMS,
        "{self.name} ELSE {_scaled(self.name, self.dialect)} END",
        "{self.name} ELSE {self.name} END",
        KEEPING,
    ),
    broken(
        "kept: scaled sums are rounded beyond their bound",
        SUMS,
        "* {KEEP} + {part})",
        "* {KEEP} + {part} + 1)",
        KEEPING,
    ),
    broken(
        "kept: scaled sums are rounded down",
        SUMS,
        "* {KEEP} + {spread})",
        "* {KEEP})",
        KEEPING,
    ),
    broken(
        "kept: negative sums are rounded toward zero",
        SUMS,
        'rest = f"((({name} % {ROWS}) + {ROWS}) % {ROWS})"',
        'rest = f"({name} % {ROWS})"',
        KEEPING,
    ),
    broken(
        "kept: halves of sums that do not fit",
        "engines/dialect.py",
        "LOW, HALVED = 1 << 15, 1 << 30",
        "LOW, HALVED = 1 << 15, 1 << 64",
        "tests/engines/test_dialect.py",
    ),
    broken(
        "kept: windows keep one group too many",
        WINDOWS,
        'within = f"{PLACE} <= {limits.most_groups}"',
        'within = f"{PLACE} <= {limits.most_groups} + 1"',
        KEEPING,
    ),
    broken(
        "kept: windows do not count the rows before",
        WINDOWS,
        "{limits.limits.rows} - {BEFORE}",
        "{limits.limits.rows}",
        KEEPING,
    ),
    broken(
        "kept: only wide units are ranked by their texts",
        WINDOWS,
        '    found = [f"max({ROWS}) {by} > {limits.most_per_group}"]\n',
        '    found = ["FALSE"]\n',
        KEEPING,
    ),
    broken(
        "questions join across engines",
        "query/select/one_engine.py",
        "        if other.engine != first.engine:\n",
        "        if other.engine == first.name:\n",
        "tests/query/select/test_one_engine.py",
    ),
    broken(
        "SQL that cannot be planned is run",
        "engines/statements.py",
        "if dialect.longest is not None and len(text) > dialect.longest:",
        "if dialect.longest is not None and len(text) < 0:",
        "tests/engines/test_statements.py",
    ),
    broken(
        "kept: which groups depends on where rows lie",
        HASHING,
        "(SELECT *, {x} AS {first} FROM {source}",
        "(SELECT *, ({x} + row_number() OVER ()) % {PRIME} AS {first} FROM {source}",
        KEEPING,
    ),
    broken("kept: which groups depends on nothing but the key", HASHING, "{unit} * {UNITS} + {key}", "{key}", KEEPING),
    broken(
        "kept: the order of groups is linear",
        HASHING,
        "({square} * {square} % {PRIME}) * {first} % {PRIME} AS",
        "(0 * {square}) + {first} AS",
        KEEPING,
    ),
    broken(
        "kept: texts of units run into each other",
        HASHING,
        "coalesce({length} || {dialect.text(':')} || {text}, ",
        "coalesce({text}, ",
        KEEPING,
    ),
    broken(
        "kept: keys outside their domain are in a group",
        STATEMENT,
        'tables.append(f"JOIN {_domain',
        'tables.append(f"LEFT JOIN {_domain',
        KEEPING,
    ),
    broken("kept: keys of the data that are NULL are a group", STATEMENT, "r.{key.name} IS NOT NULL", "TRUE", KEEPING),
    broken(
        "kept: the first key is the fastest",
        STATEMENT,
        "({index} * {size} + {place})",
        "({place} * {factors[0][1]} + {index})",
        KEEPING,
    ),
    broken(
        "kept: picked rows in a group are not limited",
        ROWS,
        " WHERE in_group <= {most.rows_per_group}",
        "",
        KEEPING,
    ),
    broken("kept: picked rows of crowded groups are not limited", ROWS, " WHERE in_group <= {KEEP} ", " ", KEEPING),
    broken(
        "kept: distinct numbers of 38 digits fail where units are over a limit",
        HASHING,
        "dialect.bigint(f'({numbers[0]} % {PRIME})')",
        "dialect.bigint(numbers[0])",
        KEEPING,
    ),
    broken("kept: rows of crowded groups are kept twice", ROWS, "WHERE {KEEP} = {ROWS} ", "", KEEPING),
    broken("kept: groups of picks are not limited", ROWS, "in_groups <= {most.groups} AND ", "", KEEPING),
    broken("kept: picked rows in all are not limited", ROWS, " AND in_all <= {most.rows} ", " ", KEEPING),
    broken(
        "kept: which rows depends on where they lie",
        ROWS,
        'return ", ".join([CONTENT, *(each',
        'return "1" or ", ".join([CONTENT, *(each',
        KEEPING,
    ),
    broken(
        "kept: units with too many rows in all are taken for light ones",
        ROWS,
        " OR sum(c) > {most.rows}",
        "",
        KEEPING,
    ),
]
