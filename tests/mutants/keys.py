"""Broken rules about which keys there are: what narrows them, what lists them, and which go together."""

from __future__ import annotations

from mutants.mutant import Mutant, broken

CONDITIONS, JOINT, MOMENTS = (
    "tests/query/bounding/test_conditions.py",
    "tests/query/bounding/test_joint_keys.py",
    "tests/query/bounding/test_moments.py",
)
GIVEN, STATEMENT, BOUNDED = (
    "tests/query/test_given_keys.py",
    "tests/engines/limiting/test_statement.py",
    "tests/plan/test_bounded.py",
)
IDENTITY, ASKED = "tests/plan/test_identity.py", "tests/curator/asking/test_keys.py"

MUTATIONS: list[Mutant] = [
    broken(
        "keys: rows without names follow SELECT or GROUP BY, whichever",
        "query/given_keys.py",
        "    return shown == sorted(shown)\n",
        "    return True\n",
        GIVEN,
    ),
    broken(
        "keys: a condition under OR narrows",
        "query/bounding/conditions.py",
        'if isinstance(condition, Call) and condition.function == "and":',
        'if isinstance(condition, Call) and condition.function in ("and", "or"):',
        CONDITIONS,
        JOINT,
    ),
    broken(
        "keys: one side of OR is a domain",
        "query/bounding/conditions.py",
        "return None if None in parts else tuple(dict.fromkeys(value for part in parts for value in part or ()))",
        "return tuple(dict.fromkeys(value for part in parts for value in part or ()))",
        CONDITIONS,
        JOINT,
    ),
    broken(
        "keys: NOT IN is a domain",
        "query/bounding/conditions.py",
        'if name in ("and", "is_true"):',
        'if name in ("and", "is_true", "not"):',
        CONDITIONS,
        JOINT,
    ),
    broken(
        "keys: the ON of a LEFT JOIN narrows",
        "query/bounding/public_facts.py",
        "        if isinstance(join, Lookup) and not join.keep:\n",
        "        if isinstance(join, Lookup):\n",
        JOINT,
    ),
    broken(
        "keys: a FILTER narrows",
        "query/bound.py",
        "PublicFacts.narrowed(question.block, catalog)",
        "PublicFacts.narrowed(Block(question.block.source, question.block.joins, next((each.argument.arguments[0] for "
        'each in question.aggregates if getattr(each.argument, "function", "") == "case"), None)), catalog)',
        JOINT,
    ),
    broken(
        "keys: only the first branch of CASE has values",
        "query/bounding/public_facts.py",
        "        for condition, value in zip(key.arguments[:-1:2], key.arguments[1:-1:2], strict=True):\n",
        "        for condition, value in zip(key.arguments[:1], key.arguments[1:2], strict=True):\n",
        JOINT,
    ),
    broken(
        "keys: a condition on other columns narrows",
        "query/bounding/public_facts.py",
        "alone = [term for term in alone if set(find_columns(term)) == {given}]",
        "alone = [term for term in alone if given in set(find_columns(term))]",
        JOINT,
    ),
    broken(
        "keys: rows for which a condition is NULL count",
        "engines/duck/evaluate.py",
        'condition = "" if where is None else f" WHERE {write(where)}"',
        'condition = "" if where is None else f" WHERE ({write(where)}) IS NOT FALSE"',
        "tests/engines/duck/test_evaluate.py",
    ),
    broken(
        "keys: rows without a partner have no key of their own",
        "query/bounding/joint_keys.py",
        "given.append((tuple(found), (*rows, (None,) * len(found))))",
        "given.append((tuple(found), rows))",
        JOINT,
    ),
    broken(
        "keys: NaN of a public table is compared as NULL",
        "query/bounding/joint_keys.py",
        "terms = [term for term in component.terms if doubtful.isdisjoint(find_columns(term))]",
        "terms = list(component.terms)",
        JOINT,
    ),
    broken(
        "keys: whole numbers beyond 64 bits are listed",
        "query/bounding/conditions.py",
        "            if abs(number) >= WIDEST:\n                return None\n",
        "",
        CONDITIONS,
    ),
    broken(
        "keys: decimals are listed beside floats that several of them equal",
        "query/bounding/conditions.py",
        "    if target.type is Type.DECIMAL and any(each.type is Type.FLOAT for each in arguments):\n",
        "    if False:\n",
        CONDITIONS,
    ),
    broken(
        "keys: decimals are listed beyond their last place",
        "query/bounding/conditions.py",
        "found += [Fraction(value)] if has_places(Fraction(value), find_scale(target)) else []",
        "found += [Fraction(value)]",
        CONDITIONS,
    ),
    broken(
        "keys: decimals are handed in beyond their last place",
        "query/given_keys.py",
        "        if has_places(number, scale):\n",
        "        if True:\n",
        GIVEN,
    ),
    broken(
        "keys: what is below an end is taken to be above it",
        "query/bounding/conditions.py",
        "one, other, name = other, one, FLIPPED[name]",
        "one, other = other, one",
        CONDITIONS,
    ),
    broken(
        "keys: differences of dates go from the first to the first",
        "query/bounding/moments.py",
        "({1: one[1], 2: other[0]}, {1: one[0], 2: other[1]})",
        "({1: one[0], 2: other[0]}, {1: one[1], 2: other[1]})",
        MOMENTS,
    ),
    broken(
        "keys: duplicates are handed in",
        "query/given_keys.py",
        "        if row in seen:\n",
        "        if False:\n",
        GIVEN,
        ASKED,
    ),
    broken(
        "keys: NULL is handed in as a key",
        "query/given_keys.py",
        '        raise QueryError(f"keys has a missing value for {name}, and NULL is no key; leave it out")\n',
        "        return None\n",
        GIVEN,
    ),
    broken(
        "keys: values of another type are handed in",
        "query/given_keys.py",
        "if found.type is not kind or _is_too_large(found):",
        "if _is_too_large(found):",
        GIVEN,
    ),
    broken(
        "keys: floats are handed in",
        "query/given_keys.py",
        "        if key.type is Type.FLOAT:\n",
        "        if False:\n",
        GIVEN,
    ),
    broken(
        "keys: what is handed in is no part of the question",
        "plan/identity.py",
        'Key: ("key", same_names("expression domain")),',
        'Key: ("key", same_names("expression")),',
        IDENTITY,
        ASKED,
    ),
    broken(
        "keys: combinations are no part of the plan",
        "plan/identity.py",
        'JointKeys: ("joint keys", same_names("keys rows")),',
        'JointKeys: ("joint keys", same_names("keys")),',
        IDENTITY,
    ),
    broken(
        "keys: rows with other combinations are in some group",
        "engines/limiting/statement.py",
        "numbers = [each * size + row[place] for each, row in zip(numbers, joint.rows, strict=True)]",
        "numbers = [each + row[place] for each, row in zip(numbers, joint.rows, strict=True)]",
        STATEMENT,
    ),
    broken(
        "keys: combinations overflow",
        "engines/limiting/statement.py",
        "cast = dialect.bigint if most < 1 << 62 else dialect.whole",
        "cast = dialect.bigint",
        STATEMENT,
    ),
    broken(
        "keys: those that go together are counted as a product",
        "plan/bounded.py",
        "            found.append((joined[place].keys, joined[place].rows))\n",
        "            found.append(((place,), [(value,) for value in keys[place].domain or ()]))\n",
        BOUNDED,
    ),
]
