"""Several answers in one statement, each rule broken once: all are paid for, and no private row meets another."""

from __future__ import annotations

from mutants.mutant import broken

SCALARS = "tests/query/select/test_scalar_subqueries.py"
VALUES = "tests/query/select/test_public_values.py"
JOINED = "tests/query/select/test_joined_answers.py"
WHERE = "tests/query/select/test_where_clause.py"
FROM = "tests/query/select/test_from_clause.py"
SEVERAL = "tests/query/test_price_several.py"
ANSWERS = "tests/curator/asking/test_several_answers.py"
FINISHED = "tests/curator/estimates/test_finished.py"
BESIDE = "tests/plan/test_beside.py"

READING = [
    broken(
        "beside: private rows meet an answer",
        "query/select/scalar_subqueries.py",
        '    if isinstance(node, exp.Subquery):\n        raise QueryError(f"{quote_sql(node)}: {AMONG_ROWS}")\n',
        "    if isinstance(node, exp.Subquery):\n        return read_scalar(node, reading)\n",
        SCALARS,
    ),
    broken(
        "beside: an answer of many rows stands for a value",
        "query/select/scalar_subqueries.py",
        "    if not has_one_row(question):\n",
        "    if not question.finish.outputs:\n",
        SCALARS,
    ),
    broken(
        "beside: an answer of groups has one row",
        "query/select/scalar_subqueries.py",
        "            single = single or not any(each.made.function == KEY for each in stage.columns)\n",
        "            single = True\n",
        SCALARS,
    ),
    broken(
        "beside: answers are shared by their keys alone",
        "plan/beside.py",
        "    return (one.block, one.keys, one.aggregates, one.sets, one.pick) == (\n        other.block,\n",
        "    return (other.block, one.keys, one.aggregates, one.sets, one.pick) == (\n        other.block,\n",
        BESIDE,
    ),
    broken(
        "beside: rows are ordered by the place that a value names",
        "plan/beside.py",
        "        return tuple(term for term in changed if not isinstance(term.by, Literal))\n",
        "        return tuple(changed)\n",
        BESIDE,
    ),
    broken(
        "beside: the same answer is released twice",
        "plan/beside.py",
        "        if place is None:\n            place = len(found)\n",
        "        if place is not None or place is None:\n            place = len(found)\n",
        BESIDE,
    ),
]

PUBLIC = [
    broken(
        "beside: a public value has more digits than engines compute with",
        "query/select/public_values.py",
        "int(found).bit_length() > MOST_BITS)",
        "int(found).bit_length() > 10 * MOST_BITS)",
        VALUES,
    ),
    broken(
        "public values: equal rows count once",
        "query/select/public_values.py",
        "    if rows and not once and (not full or reading.catalog.fan_out(name, full) > 1):\n",
        "    if rows and not once and not full:\n",
        VALUES,
    ),
    broken(
        "public values: rows with NULL are told apart",
        "query/select/public_values.py",
        "if all(row[at] is not None for row in rows))",
        "if any(row[at] is not None for row in rows))",
        VALUES,
    ),
    broken(
        "public values: conditions are forgotten",
        "query/select/public_values.py",
        "        self.where = join_conditions(conditions)\n",
        "        self.where = join_conditions(conditions[:0])\n",
        VALUES,
    ),
    broken(
        "public values: any of several rows is taken",
        "query/select/public_values.py",
        "        if kept > 1:\n",
        "        if kept > 1000:\n",
        VALUES,
    ),
]

PAYING = [
    broken(
        "beside: only the first answer is charged",
        "query/price_several.py",
        "        charge = add_charges(charge, each.charge)\n",
        "        charge = add_charges(charge, replace(each.charge, epsilon=Fraction(0), rho=Fraction(0)))\n",
        SEVERAL,
        ANSWERS,
    ),
    broken(
        "beside: each answer has the whole epsilon",
        "query/price_several.py",
        "None if epsilon is None else epsilon * part",
        "None if epsilon is None else epsilon",
        SEVERAL,
    ),
    broken(
        "beside: each answer has the delta of a question",
        "query/price_several.py",
        "question_delta=policy.question_delta / count",
        "question_delta=policy.question_delta",
        SEVERAL,
    ),
    broken(
        "beside: each answer has the delta of all keys",
        "query/price_several.py",
        "    key_delta = policy.usual_key_delta / count if",
        "    key_delta = policy.usual_key_delta if",
        SEVERAL,
    ),
    broken(
        "beside: a question is free where its own part is",
        "query/price.py",
        "        return alone and all(each.free for each in self.beside)\n",
        "        return alone\n",
        SEVERAL,
        ANSWERS,
    ),
    broken(
        "beside: what is released beside is no part of what a question is",
        "curator/asking/question_operation.py",
        '        return {"several": [draws.describe() for _, draws in self._releases]}\n',
        "        return self.draws.describe()\n",
        ANSWERS,
    ),
    broken(
        "beside: a route answers the first question alone",
        "curator/session.py",
        "        alone = not prepared.question.beside and not self._holdings.served\n",
        "        alone = not self._holdings.served\n",
        ANSWERS,
    ),
]

JOINING = [
    broken(
        "joined answers: rows of private tables meet an answer",
        "query/select/joined_answers.py",
        "        if not table.table.public:\n            return None\n",
        "        if table.table.name == '':\n            return None\n",
        JOINED,
    ),
    broken(
        "joined answers: public rows come as the engine has them",
        "query/select/public_values.py",
        "    return tuple(sorted(rows, key=_sort))\n",
        "    return tuple(sorted(rows, key=_sort, reverse=True))\n",
        JOINED,
    ),
    broken(
        "joined answers: a row that stands there twice errs as two rows do",
        "curator/estimates/across.py",
        "    if question.finish.tables:\n",
        "    if question.finish.tables == ():\n",
        FINISHED,
    ),
    broken(
        "joined answers: a value of another answer has no noise",
        "plan/windows.py",
        '    return Joined(RELEASED, f"j{table}_{place}", type_, table, place, noisy)\n',
        '    return Joined(RELEASED, f"j{table}_{place}", type_, table, place, False)\n',
        FINISHED,
    ),
    broken(
        "joined answers: LIMIT inside is forgotten",
        "query/select/joined_answers.py",
        "        if finish.cuts:\n",
        "        if finish.having is not None:\n",
        JOINED,
    ),
]

ROWS = [
    broken(
        "EXISTS: a row with two partners counts twice",
        "query/select/where_clause.py",
        "    rows.add_match(Match(source, on, keep=anti))\n",
        "    rows.add_match(Match(block.source, tuple(pairs), keep=anti))\n",
        WHERE,
    ),
    broken(
        "EXISTS: equal values of others are partners",
        "query/select/where_clause.py",
        "    if not linked:\n",
        "    if not linked and not pairs:\n",
        WHERE,
    ),
    broken(
        "EXISTS: NOT is forgotten beside equal values",
        "query/select/where_clause.py",
        "    if anti:\n        rows.add_condition",
        "    if anti and not pairs:\n        rows.add_condition",
        WHERE,
    ),
    broken(
        "EXISTS: equal floats are keys",
        "query/select/where_clause.py",
        " or mine.type is Type.FLOAT or ",
        " or ",
        WHERE,
    ),
    broken(
        "LEFT JOIN: conditions inside drop rows",
        "query/select/from_clause.py",
        "        for each in conditions if not keep else ():\n",
        "        for each in conditions:\n",
        FROM,
    ),
    broken(
        "LEFT JOIN: of several partners those that fail stay",
        "query/select/from_clause.py",
        "    if lookup.fan_out > 1:\n        raise",
        "    if lookup.fan_out > 1000:\n        raise",
        FROM,
    ),
]

SHOWING = [
    broken(
        "beside: the noise of another answer is in no interval",
        "curator/estimates/finished.py",
        "                found = self.beside[part.part].bound_value(each)\n",
        "                found = (float(str(self.beside[part.part].value.value)),) * 2\n",
        FINISHED,
    ),
    broken(
        "beside: the value of another answer is not noisy",
        "curator/estimates/arithmetic.py",
        "    return isinstance(column, Attached) or (isinstance(column, Reference) and not _is_key(column))\n",
        "    return isinstance(column, Reference) and not _is_key(column)\n",
        FINISHED,
    ),
    broken(
        "beside: intervals at once forget the other answers",
        "curator/estimates/finished.py",
        "* each + others\n",
        "* each\n",
        FINISHED,
    ),
]

MUTATIONS = [*READING, *PUBLIC, *PAYING, *JOINING, *ROWS, *SHOWING]
