"""Other spellings of a question: each must mean what it says, and no looser join."""

from __future__ import annotations

from mutants.mutant import broken

LINKING = "tests/query/select/test_linking.py"
SPELLING = "tests/query/test_spelling.py"

MUTATIONS = [
    broken(
        "equalities that were moved to ON are forgotten where no join takes them",
        "query/select/linking.py",
        "self.parts = [each for each in self.parts if not any(each is link for link in links)]",
        "self.parts = [each for each in self.parts if not isinstance(each, exp.EQ)]",
        LINKING,
    ),
    broken(
        "a natural join is on the first column that both have",
        "query/select/linking.py",
        "for name in shared])",
        "for name in shared[:1]])",
        LINKING,
    ),
    broken(
        "COUNT_IF forgets its FILTER",
        "query/spelling.py",
        "condition = count.this if outer is None else exp.And(this=exp.paren(count.this), expression=exp.paren(outer))",
        "condition = count.this",
        SPELLING,
    ),
    broken(
        "every schema is that of the policy's tables",
        "query/spelling.py",
        "and schema.name.casefold() in (*SCHEMAS, table.casefold()):",
        "and schema.name:",
        SPELLING,
    ),
    broken(
        "an offset inside is forgotten",
        "query/select/wrapping.py",
        "inner.offset + offset)",
        "offset)",
        SPELLING,
    ),
    broken(
        "a limit inside counts from the offset outside",
        "query/select/wrapping.py",
        "max(0, inner.limit - offset)",
        "inner.limit",
        SPELLING,
    ),
]
