"""The rules of time and of floors, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

WORK, FLOORS, DOOR_FLOORS = "tests/query/test_work.py", "tests/query/test_floors.py", "tests/curator/test_floors.py"
SOURCES, ONCE, CLOCK = "tests/engines/test_sources.py", "tests/engines/duck/test_once.py", "tests/hostile/test_clock.py"

MUTATIONS = [
    broken(
        "work: the bound is not enforced by the price",
        "query/price.py",
        "    check_work(bounded.plan, policy)\n",
        "",
        DOOR_FLOORS,
    ),
    broken(
        "work: operations of wings are not bounded",
        "curator/session.py",
        "            check_work(plan, self._holdings.policy)\n",
        "            pass\n",
        DOOR_FLOORS,
    ),
    broken(
        "work: letters are counted without rows",
        "query/work.py",
        "return self.rows * (self.steps * rates.step + self.letters * rates.letter)",
        "return self.rows * self.steps * rates.step + self.letters * rates.letter",
        WORK,
    ),
    broken(
        "work: Spark is as quick as DuckDB",
        "query/work.py",
        "EngineKind.SPARK: Rates(step=6, letter=40)",
        "EngineKind.SPARK: Rates(step=1, letter=20)",
        WORK,
    ),
    broken(
        "work: PostgreSQL is as quick as DuckDB",
        "query/work.py",
        "EngineKind.POSTGRES: Rates(step=7, letter=40)",
        "EngineKind.POSTGRES: Rates(step=1, letter=20)",
        WORK,
    ),
    broken(
        "work: a power is a usual function",
        "plan/efforts.py",
        '    "pow": 400,\n',
        "",
        WORK,
    ),
    broken(
        "work: joins do not multiply rows",
        "query/work.py",
        "return find_partners(keys, join).count_rows(rows, others, join.keep)",
        "return rows + others",
        WORK,
    ),
    broken(
        "work: memory is not bounded",
        "query/work.py",
        "    if time <= MOST_TIME and held <= MOST_BYTES:\n",
        "    if time <= MOST_TIME:\n",
        WORK,
    ),
    broken(
        "work: rows that are read by their unit are computed for nothing",
        "query/work.py",
        "    counted.compute(rows, expressions, times=WRITTEN)\n    counted.found",
        "    counted.found",
        WORK,
    ),
    broken(
        "work: one grouping counts for all",
        "query/work.py",
        "    for chosen in plan.sets:\n",
        "    for chosen in plan.sets[:1]:\n",
        WORK,
    ),
    broken(
        "work: a limit of the question lessens what is read",
        "query/bound.py",
        "    rows = 0 if table.public else declare_unit_rows(table).total\n",
        "    rows = 0\n",
        WORK,
    ),
    broken(
        "work: texts that are joined are as long as one",
        "plan/efforts.py",
        '    if name in ("join", "concat"):\n        return sum(given)\n',
        "",
        WORK,
    ),
    broken(
        "work: upper and lower case take as long on Spark as on DuckDB",
        "plan/efforts.py",
        '"reverse", "lower", "upper"), reading(5)',
        '"reverse", "lower", "upper"), reading(2)',
        "tests/plan/test_efforts.py",
    ),
    broken(
        "work: patterns are never half found",
        "plan/efforts.py",
        "    return max(_count_chain(pattern), _count_chain(pattern[::-1]))\n",
        "    return 1\n",
        WORK,
    ),
    broken(
        "values that no float holds are asked about",
        "query/bounding/measures.py",
        "        if max(abs(found.lower), abs(found.upper)) > WIDE or (narrow and differs):",
        "        if narrow and differs:",
        "tests/curator/test_session.py",
    ),
    broken(
        "squares that floats cannot tell apart are summed",
        "query/bounding/measures.py",
        "    if step**2 < NARROW:\n",
        "    if False:\n",
        "tests/curator/test_session.py",
    ),
    broken(
        "floor: rho has none",
        "query/floors.py",
        "return Floors(policy.least_share * policy.epsilon, policy.least_share * rho)",
        "return Floors(policy.least_share * policy.epsilon, 0 * rho)",
        FLOORS,
    ),
    broken(
        "floor: epsilon has none",
        "query/floors.py",
        "return Floors(policy.least_share * policy.epsilon, policy.least_share * rho)",
        "return Floors(0 * policy.epsilon, policy.least_share * rho)",
        FLOORS,
    ),
    broken(
        "floor: it is charged without the noise for it",
        "query/floors.py",
        "    while made.charge.rho < floors.rho:\n",
        "    while False:\n",
        FLOORS,
    ),
    broken(
        "floor: rho is charged without the noise for it",
        "query/price.py",
        "make(max(rho, floors.rho))",
        "make(rho)",
        FLOORS,
    ),
    broken(
        "floor: operations of wings have none",
        "curator/session.py",
        "        charge = find_floors(shared.policy).raise_charge(declared.charge)\n",
        "        charge = declared.charge\n",
        DOOR_FLOORS,
    ),
    broken(
        "floor: a small rho is refused in words about epsilon",
        "query/price.py",
        '            if wrong.name == "rho":\n',
        "            if wrong.name:\n",
        FLOORS,
    ),
]
