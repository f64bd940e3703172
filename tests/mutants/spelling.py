"""Other spellings of a question: each must mean what it says, and no looser join."""

from __future__ import annotations

from mutants.mutant import broken

LINKING = "tests/query/select/test_linking.py"
SPELLING = "tests/query/test_spelling.py"
PUBLIC = "tests/query/select/test_public_selects.py"
TEXT_ROWS = "tests/query/test_text_rows.py"
KEYS_ALONE = "tests/curator/asking/test_keys_alone.py"

MUTATIONS = [
    broken(
        "rows are made of texts that have no such part",
        "query/text_rows.py",
        "yield one.where(_has_place(text, between, place), copy=False)",
        "yield one",
        TEXT_ROWS,
    ),
    broken(
        "one unnest inside another becomes as long as it likes",
        "query/text_rows.py",
        "if len(places) * sum(1 for _ in select.walk()) > MOST_NODES:",
        "if len(places) > MOST_NODES:",
        TEXT_ROWS,
    ),
    broken(
        "what WITH names is forgotten where rows are made of texts",
        "query/text_rows.py",
        'made.set("with_", select.args.get("with_"))',
        "pass",
        TEXT_ROWS,
    ),
    broken(
        "a text of one part has none",
        "query/text_rows.py",
        "exp.Literal.number((place - 1) * len(between.name))",
        "exp.Literal.number(place * len(between.name))",
        TEXT_ROWS,
    ),
    broken(
        "rows are numbered after they were made several",
        "query/text_rows.py",
        "if any(each.find(exp.Window) for each in select.expressions):",
        "if False:",
        TEXT_ROWS,
    ),
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
    broken(
        "keys of the data are listed as if they were public",
        "query/price.py",
        "    if not bounded.plan.measures and not selects:\n",
        "    if not bounded.plan.measures:\n",
        KEYS_ALONE,
    ),
    broken(
        "the receipt of what is free is for the newest entry of anybody",
        "curator/session.py",
        "Receipt(self._holdings.ledger.birth,",
        "Receipt(self._holdings.ledger.head,",
        KEYS_ALONE,
    ),
    broken(
        "NOT IN a public list with NULL keeps rows",
        "query/select/public_selects.py",
        "if not values or (null and anti):",
        "if not values:",
        PUBLIC,
    ),
    broken(
        "a joined subquery over a public table forgets its conditions",
        "query/select/from_clause.py",
        "        for each in conditions if not keep else ():\n            self.add_condition(each)\n",
        "",
        PUBLIC,
    ),
    broken(
        "a public table that stands first forgets its conditions",
        "query/select/from_clause.py",
        "        for each in self.late:\n            self.add_condition(each)\n",
        "",
        PUBLIC,
    ),
    broken(
        "columns that are computed inside are there without a partner",
        "query/select/from_clause.py",
        "if keep and not all(isinstance(each.expression, Column) for each in view.outputs):",
        "if keep and not view.outputs:",
        PUBLIC,
    ),
    broken(
        "a condition on the row that a LEFT JOIN keeps is one on its partner",
        "query/select/linking.py",
        "if self._find_owners(each) == {place}]",
        "if len(self._find_owners(each)) == 1]",
        LINKING,
    ),
]
