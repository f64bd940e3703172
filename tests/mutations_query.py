"""The rules of plans, queries and engines, each broken once: what `mutants.py` puts into a copy of the source."""

from __future__ import annotations

from mutations import broken

STATEMENTS, SOURCES, FORMS = (
    "tests/engines/test_statements.py",
    "tests/engines/test_sources.py",
    "tests/engines/test_forms.py",
)
BOUND, PRICE, BOUNDED = "tests/query/test_bound.py", "tests/query/test_price.py", "tests/plan/test_bounded.py"
RELATIONS, AGGREGATES, BUILD = (
    "tests/query/test_relations.py",
    "tests/query/test_aggregates.py",
    "tests/query/test_build.py",
)
EXPRESSIONS, PARSE, CANONICAL = (
    "tests/query/test_expressions.py",
    "tests/query/test_parse.py",
    "tests/query/test_canonical.py",
)

MUTATIONS = [
    broken(
        "rows without a unit are kept",
        "engines/statements.py",
        'conditions = [] if plan.unit.column is None else [f"{unit} IS NOT NULL"]',
        "conditions: list[str] = []",
        STATEMENTS,
    ),
    broken(
        "values are not clamped",
        "engines/statements.py",
        "low, high = number(Fraction(grid.lower)), number(Fraction(grid.upper))",
        'low, high = "CAST(-9e9 AS DOUBLE)", "CAST(9e9 AS DOUBLE)"',
        STATEMENTS,
    ),
    broken(
        "NaN is counted",
        "engines/statements.py",
        'return f"({value} IS NULL OR isnan(CAST({value} AS DOUBLE)))"',
        'return f"({value} IS NULL)"',
        STATEMENTS,
    ),
    broken(
        "wide units become floats",
        "engines/sources.py",
        "return quoted(name) if self.types[name] is Type.DECIMAL else self._value(name)",
        "return self._value(name)",
        SOURCES,
    ),
    broken(
        "collations multiply rows",
        "engines/sources.py",
        'return f"({value} COLLATE C)" if kind is Type.TEXT else value',
        "return value",
        SOURCES,
    ),
    broken(
        "cells that do not fit raise",
        "engines/sources.py",
        'value = f"TRY_CAST(',
        'value = f"CAST(',
        SOURCES,
    ),
    broken(
        "moments are read in the machine's zone",
        "engines/duckdb.py",
        "SET GLOBAL TimeZone = 'UTC'",
        "SET TimeZone = 'UTC'",
        SOURCES,
    ),
    broken(
        "files are read from several places at once",
        "engines/header.py",
        "ignore_errors = true, parallel = false",
        "ignore_errors = true",
        "tests/engines/test_header.py",
    ),
    broken(
        "the types of objects are guessed from the rows",
        "engines/frames.py",
        'if str(column.dtype) == "object" else None',
        'if str(column.dtype) == "none" else None',
        "tests/engines/test_frames.py",
    ),
    broken(
        "the separator of csv is guessed from its rows",
        "engines/header.py",
        "auto_detect = false, header = true",
        "auto_detect = true, header = true",
        SOURCES,
        "tests/engines/test_header.py",
    ),
    broken(
        "quotes in text are not doubled",
        "engines/forms.py",
        """return "'" + value.replace("'", "''") + "'\"""",
        """return "'" + value + "'\"""",
        FORMS,
    ),
    broken(
        "shares of the charge add up to more than one",
        "query/price.py",
        "Fraction(1, len(bounded.sources) * len(source))",
        "Fraction(1, len(bounded.sources))",
        PRICE,
    ),
    broken(
        "Gaussian noise where delta is zero",
        "query/price.py",
        "    if policy.question_delta == 0:\n        return laplace\n",
        "",
        PRICE,
    ),
    broken(
        "replace neighbours are charged as add-remove",
        "query/bound.py",
        "factor = 1 if catalog.policy.neighbours is Neighbours.ADD_REMOVE else 2",
        "factor = 1",
        BOUND,
        STATEMENTS,
    ),
    broken(
        "a question may loosen the policy's limits",
        "query/bound.py",
        "found[name] = min(given)",
        "found[name] = given[-1]",
        BOUND,
    ),
    broken(
        "squares of rows in groups are charged as rows",
        "plan/bounded.py",
        "return full * each**2 + rest**2",
        "return full * each + rest",
        BOUNDED,
    ),
    broken(
        "a tree of ranks is charged as one level",
        "plan/bounded.py",
        "return self.factor * rows * measure.reach * measure.levels",
        "return self.factor * rows * measure.reach",
        BOUNDED,
        STATEMENTS,
    ),
    broken(
        "public tables multiply rows",
        "query/relations.py",
        "if not self.catalog.public_key(other.table.name, tuple(name for _, name in on)):",
        "if not on:",
        RELATIONS,
    ),
    broken(
        "floats are joined to integers",
        "query/relations.py",
        "if expression.type is not column.type:",
        "if expression.type.numeric is not column.type.numeric:",
        RELATIONS,
    ),
    broken(
        "values that are one float are two keys",
        "query/bound.py",
        "if key.type in INEXACT and len(",
        "if key.type is Type.BOOLEAN and len(",
        BOUND,
    ),
    broken(
        "parts that nobody looks at are ignored",
        "query/parse.py",
        "if name not in allowed and value not in (None, False, []):",
        "if remedies and name not in allowed and value not in (None, False, []):",
        AGGREGATES,
        BUILD,
        RELATIONS,
    ),
    broken(
        "unknown clauses are ignored",
        "query/parse.py",
        "    known(select, CLAUSES, REMEDIES)\n",
        "",
        PARSE,
    ),
    broken(
        "COUNT(NULL) counts rows",
        "query/aggregates.py",
        "if isinstance(argument, Literal) and argument.value is None:",
        "if argument is None:",
        AGGREGATES,
    ),
    broken(
        "NOT LIKE is LIKE",
        "query/expressions.py",
        'return call("not", made) if node.args.get("negate") else made',
        "return made",
        EXPRESSIONS,
    ),
    broken(
        "AND and OR are one in the canonical form",
        "query/canonical.py",
        'result = Call("or", (result, term), Type.BOOLEAN)',
        'result = Call("and", (result, term), Type.BOOLEAN)',
        CANONICAL,
    ),
    broken(
        "files are believed what they say about their rows",
        "engines/duckdb.py",
        'return sorted(known - PLAIN - {"extension"})',
        "return []",
        "tests/engines/test_statistics.py",
    ),
]
