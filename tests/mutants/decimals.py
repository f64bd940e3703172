"""The rules of exact decimals, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

DECIMALS, LOWERING, SCALES = "tests/query/test_decimals.py", "tests/plan/test_lowering.py", "tests/plan/test_scales.py"
ON_DUCKDB, SOURCES = "tests/engines/duck/test_decimals.py", "tests/engines/test_sources.py"

MUTATIONS = [
    broken(
        "decimal: one large value fails the run on DuckDB",
        "engines/duck/forms_math.py",
        "    if digits <= 18 < digits + scale:\n",
        "    if False:\n",
        DECIMALS,
        ON_DUCKDB,
    ),
    broken(
        "decimal: a constant beyond all digits fails the run for some rows",
        "plan/lowering.py",
        "    if abs(number) < BEYOND:\n",
        "    if True:\n",
        LOWERING,
        DECIMALS,
    ),
    broken(
        "decimal: digits behind the point are dropped in comparisons",
        "plan/lowering.py",
        "    return value if factor == 1 else Call",
        "    return value if factor >= 1 else Call",
        LOWERING,
        DECIMALS,
    ),
    broken(
        "decimal: sums have a grid that is coarser than their last place",
        "query/bounding/measures.py",
        "unit = Fraction(1, 10 ** find_scale(argument))",
        "unit = Fraction(1)",
        DECIMALS,
    ),
    broken(
        "decimal: sums inside one unit have a coarse grid",
        "query/bounding/measures.py",
        "step, remarks = self._step(argument, found, FINEST)",
        "step, remarks = self._step(argument, found)",
        DECIMALS,
    ),
    broken(
        "decimal: a rounded sum inside one unit is not told",
        "query/bound.py",
        "    remarks += _list_inner_remarks(question.block, facts)\n",
        "",
        DECIMALS,
    ),
    broken(
        "decimal: products that may overflow are not held",
        "plan/functions.py",
        "return made.function in HELD and _count_bits(made, {}) > MOST_BITS",
        "return False",
        ON_DUCKDB,
        DECIMALS,
    ),
    broken(
        "decimal: a subquery's whole numbers are taken for columns",
        "plan/lowering.py",
        "return replace(expression, digits=(WIDEST, 0))",
        "return expression",
        LOWERING,
    ),
    broken(
        "decimal: products keep the digits of one side",
        "plan/scales.py",
        "return sum(find_scale(each) for each in arguments)",
        "return max(find_scale(each) for each in arguments)",
        SCALES,
        DECIMALS,
    ),
    broken(
        "decimal: columns are read as floats though their digits are known",
        "engines/sources.py",
        "        if name in self.digits:\n",
        "        if False:\n",
        SOURCES,
    ),
    broken(
        "decimal: halves go to the even neighbour in casts to whole numbers",
        "plan/lowering.py",
        'return Call("as_integer", (_drop_digits(lower(made.arguments[0]), scale, scale),), Type.INTEGER)',
        'return Call("as_integer", (to_float(made.arguments[0]),), Type.INTEGER)',
        ON_DUCKDB,
    ),
    broken(
        "decimal: floats inside one unit are rounded twice",
        "engines/rows.py",
        "if step.numerator >= 1 << 53 or step.denominator >= 1 << 53:",
        "if True:",
        DECIMALS,
    ),
]
