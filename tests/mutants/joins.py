"""The rules of keys and of units across foreign keys, each broken once."""

from __future__ import annotations

from mutants.mutant import Mutant, broken

ROWS, SOURCES = "tests/engines/test_rows.py", "tests/engines/test_sources.py"
KEYS, DECLARED = "tests/plan/test_keys.py", "tests/query/bounding/test_declared_keys.py"
PATHS = "tests/policy/test_paths.py"
UNITS = "SELECT DISTINCT {UNIT}, {', '.join(steps)} FROM ({reached}) AS q WHERE {UNIT} IS NOT NULL"

MUTATIONS = [
    broken(
        "joins: a key is trusted as unique",
        "engines/rows.py",
        "for key in scan.unique:",
        "for key in scan.unique[:0]:",
        ROWS,
    ),
    broken(
        "joins: of rows with one key the first one is kept",
        "engines/rows.py",
        "row_number() OVER (PARTITION BY {', '.join([UNIT, *key])} {order})",
        "row_number() OVER (PARTITION BY {', '.join([UNIT, *key])})",
        ROWS,
    ),
    broken(
        "joins: one row is kept of those without a key",
        "engines/rows.py",
        "WHERE __discreet_copy = 1 OR {missing}",
        "WHERE __discreet_copy = 1",
        ROWS,
    ),
    broken(
        "joins: a key holds for all people together",
        "engines/rows.py",
        "PARTITION BY {', '.join([UNIT, *key])} {order}",
        "PARTITION BY {', '.join(key)} {order}",
        "tests/conformance/test_paths.py::test_a_customer_moves_nothing_further_than_declared_and_no_row_of_others"
        "[duckdb-1]",
    ),
    broken(
        "joins: rows of different units meet",
        "engines/rows.py",
        'on = [f"{first}.{UNIT} = {name}.{UNIT}", *equal]',
        'on = [*equal] or ["TRUE"]',
        ROWS,
        DECLARED,
    ),
    broken(
        "joins: a key is covered by one of its columns",
        "plan/keys.py",
        "any(key <= theirs for key in find_keys(join.source))",
        "any(not key or key & theirs for key in find_keys(join.source))",
        KEYS,
    ),
    broken(
        "joins: a key of whole numbers is covered by floats",
        "plan/keys.py",
        "if pair[0].type is pair[1].type]",
        "if pair]",
        KEYS,
    ),
    broken(
        "joins: a key outlives a join that repeats its rows",
        "plan/keys.py",
        "found = keys if partners.right_once else ()",
        "found = keys",
        KEYS,
    ),
    broken(
        "joins: a key outlives a public table that repeats its rows",
        "plan/keys.py",
        "return keys if join.fan_out <= 1 else ()",
        "return keys",
        KEYS,
    ),
    broken(
        "joins: rows of a left join without a partner are not counted",
        "plan/keys.py",
        "+ (left if keep else 0)",
        "+ 0",
        KEYS,
    ),
    broken(
        "joins: a key that the policy declares is not enforced",
        "plan/keys.py",
        "for name in key) for key in source.unique]",
        'for name in key) for key in (source.unique or (("orderkey",),))]',
        KEYS,
    ),
    broken(
        "joins: people are paired by any columns",
        "query/select/from_clause.py",
        "if not covers_declared_key(joined, catalog):",
        "if not joined.joins:",
        DECLARED,
    ),
    broken(
        "paths: one of two units keeps the row",
        "engines/sources.py",
        UNITS,
        "SELECT min({UNIT}) AS {UNIT}, {', '.join(steps)} FROM ({reached}) AS q WHERE {UNIT} IS NOT NULL "
        "GROUP BY {', '.join(steps)}",
        SOURCES,
    ),
    broken(
        "paths: a row that two units reach is dropped",
        "engines/sources.py",
        UNITS,
        "SELECT min({UNIT}) AS {UNIT}, {', '.join(steps)} FROM ({reached}) AS q WHERE {UNIT} IS NOT NULL "
        "GROUP BY {', '.join(steps)} HAVING count(DISTINCT {UNIT}) = 1",
        SOURCES,
    ),
    broken(
        "paths: a row counts as often as its unit has the key",
        "engines/sources.py",
        "SELECT DISTINCT {UNIT}, {', '.join(steps)}",
        "SELECT {UNIT}, {', '.join(steps)}",
        SOURCES,
    ),
    Mutant(
        "paths: rows that reach nobody are somebody's",
        (
            ("engines/sources.py", "FROM ({rows}) AS a JOIN (", "FROM ({rows}) AS a LEFT JOIN ("),
            ("engines/sources.py", 'f"b.{UNIT}"]', 'f"coalesce(b.{UNIT}, 1) AS {UNIT}"]'),
        ),
        (SOURCES,),
    ),
    broken(
        "paths: wide keys are floats",
        "engines/sources.py",
        'f"{self.write_unit(each)} AS {name_key(place)}"',
        'f"{self.write_value(each)} AS {name_key(place)}"',
        SOURCES,
    ),
    broken(
        "paths: a changed path is the same policy",
        "policy/facts.py",
        '({"through": str(table.through)} if table.through is not None else {})',
        "{}",
        PATHS,
    ),
    broken(
        "paths: tables on the way have no version",
        "engines/engine.py",
        "return through | {",
        "return {",
        "tests/engines/test_engine.py",
    ),
    broken(
        "paths: private rows go from engine to engine",
        "policy/paths.py",
        "elif other.engine != table.engine:",
        "elif other.engine is None:",
        PATHS,
    ),
    broken(
        "paths: a public table says whose rows they are",
        "policy/paths.py",
        "if other.public:",
        "if other.public is None:",
        PATHS,
    ),
    broken(
        "paths: a column is the unit by its name",
        "policy/schema.py",
        "if name.casefold() == table.unit.casefold():",
        'if name == "":',
        "tests/policy/test_schema.py",
    ),
    broken(
        "paths: columns of different types are one key",
        "policy/schema.py",
        "elif mine_types[mine] is not their_types[theirs]:",
        "elif mine_types[mine] is None:",
        "tests/policy/test_schema.py",
    ),
]
