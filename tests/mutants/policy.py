"""The rules of the policy, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

LOAD, TABLES, COLUMNS = "tests/policy/test_load.py", "tests/policy/test_tables.py", "tests/policy/test_columns.py"
SCHEMA, SECTION, FACTS = "tests/policy/test_schema.py", "tests/policy/test_section.py", "tests/policy/test_facts.py"

MUTATIONS = [
    broken(
        "delta times size may publish a person",
        "policy/load.py",
        "delta * table.size > MOST_PUBLISHED",
        "delta > MOST_PUBLISHED",
        LOAD,
    ),
    broken(
        "a delta without a size is believed",
        "policy/load.py",
        '    if "size" not in section:\n',
        '    if "sizes" in section:\n',
        LOAD,
    ),
    broken(
        "an analyst's epsilon above the budget",
        "policy/load.py",
        "epsilon is not None and share > epsilon",
        "epsilon is not None and share > 2 * epsilon",
        LOAD,
    ),
    broken(
        "an analyst's delta above the budget",
        "policy/load.py",
        "own_delta is not None and delta is not None and own_delta > delta",
        "own_delta is not None and delta is not None and own_delta >= 1",
        LOAD,
    ),
    broken(
        "a question's delta above the budget",
        "policy/load.py",
        "question_delta is not None and question_delta > delta",
        "question_delta is not None and question_delta >= 1",
        LOAD,
    ),
    broken(
        "numbers are read as floats",
        "policy/exact.py",
        '        return Decimal(text.replace("_", ""))\n',
        '        return Decimal(float(text.replace("_", "")))\n',
        LOAD,
        "tests/policy/test_exact.py",
    ),
    broken(
        "unknown keys are passed over",
        "policy/section.py",
        "if known is not None and name not in known:",
        "if known is not None and not name:",
        LOAD,
        TABLES,
    ),
    broken(
        "names that differ in case only",
        "policy/section.py",
        "seen.setdefault(name.casefold(), name)",
        "seen.setdefault(name, name)",
        SECTION,
    ),
    broken(
        "names that discreet uses itself",
        "policy/section.py",
        'if name.casefold().startswith("__discreet"):',
        'if name.startswith("__discreet_"):',
        SECTION,
    ),
    broken(
        "hidden columns stay visible",
        "policy/schema.py",
        "        if name not in table.hidden\n",
        "        if name not in table.hidden[1:]\n",
        SCHEMA,
    ),
    broken(
        "a hidden column that the source spells otherwise is passed over",
        "policy/schema.py",
        '    wanted += [(("hidden",), name) for name in table.hidden]\n',
        "",
        SCHEMA,
    ),
    broken(
        "types of a private csv file come from its rows",
        "policy/schema.py",
        "if table.format is SourceFormat.CSV and not table.public:",
        "if table.format is SourceFormat.CSV and not schema:",
        SCHEMA,
    ),
    broken(
        "bounds the wrong way round",
        "policy/columns.py",
        "    if not lower < upper:",
        "    if lower == upper:",
        COLUMNS,
    ),
    broken(
        "a unit column without any bound on its rows",
        "policy/tables.py",
        '("max_groups" in section and "max_rows_per_group" in section)',
        '("max_groups" in section or "max_rows_per_group" in section)',
        TABLES,
    ),
    broken(
        "limits of any size",
        "policy/tables.py",
        "        if most is not None and most > MOST_ROWS:\n",
        "        if most is not None and most < 0:\n",
        "tests/policy/test_load.py",
    ),
    broken(
        "secrets in sources",
        "policy/tables.py",
        "    if SECRET.search(source):\n",
        "    if not source:\n",
        TABLES,
    ),
    broken(
        "nobody need say who asks",
        "policy/model.py",
        "        if name is None and not self.analysts:\n",
        "        if name is None:\n",
        "tests/policy/test_model.py",
    ),
    broken(
        "another unit is the same identity",
        "policy/facts.py",
        'found = {"unit": table.unit, ',
        'found = {"unit": bool(table.unit), ',
        FACTS,
    ),
    broken(
        "a question may cost nothing",
        "policy/load.py",
        "not 0 < share <= 1",
        "not 0 <= share <= 1",
        LOAD,
    ),
    broken(
        "texts may be as long as anybody writes",
        "policy/columns.py",
        "    if longest > MOST_LONGEST:\n",
        "    if longest > 2 * MOST_LONGEST:\n",
        COLUMNS,
    ),
    broken(
        "texts without categories are thought short",
        "policy/model.py",
        "max(1, *categories) if categories else USUAL_LONGEST",
        "max([1, *categories])",
        COLUMNS,
    ),
]
