"""The rules of neighbour replay, each broken once: what is compared, what is said again, and what is a finding."""

from __future__ import annotations

from mutants.mutant import broken

REPLAYING = "tests/audit/graybox/test_replaying.py"
DESKS = "tests/audit/graybox/test_desks.py"
LOCAL = "tests/audit/graybox/test_local.py"
NEIGHBOURS = "tests/audit/graybox/test_neighbours.py"
AUDITING = "tests/cli/test_auditing.py"

JUDGE = "audit/graybox/judging.py"
TAPE = "audit/graybox/tape.py"
TAPS = "audit/graybox/taps.py"
REPLAY = "audit/graybox/replaying.py"
DISTANCES = "audit/graybox/distances.py"

MUTATIONS = [
    broken(
        "replay: lists are kept, and what they hold may still change",
        TAPE,
        "        return copy.deepcopy(value)\n",
        "        return copy.copy(value)\n",
        REPLAYING,
    ),
    broken(
        "replay: who is told may change what was told",
        TAPE,
        "return keep_value(entry.told) if isinstance(entry.told, np.ndarray | list | dict) else entry.told",
        "return entry.told",
        REPLAYING,
    ),
    broken(
        "replay: what moves with nothing declared is called sound",
        "audit/graybox/report.py",
        "self.refused is None and not self.undeclared",
        "self.refused is None",
        "tests/audit/graybox/test_replaying.py",
    ),
    broken(
        "replay: what moves too far is no finding",
        JUDGE,
        "        if moved.exceeds:\n            self.find(",
        "        if moved.exceeds and False:\n            self.find(",
        REPLAYING,
    ),
    broken(
        "replay: twice what is declared is allowed",
        "audit/graybox/report.py",
        "self.observed > self.declared",
        "self.observed > 2 * self.declared",
        REPLAYING,
    ),
    broken(
        "replay: calls with other parameters are the same",
        TAPE,
        "(self.name, self.parameters, self.shape) == (other.name, other.parameters, other.shape)",
        "(self.name, self.shape) == (other.name, other.shape)",
        REPLAYING,
    ),
    broken(
        "replay: vectors of another length are the same call",
        TAPE,
        "(self.name, self.parameters, self.shape) == (other.name, other.parameters, other.shape)",
        "(self.name, self.parameters) == (other.name, other.parameters)",
        REPLAYING,
    ),
    broken(
        "replay: one call more or less is no finding",
        JUDGE,
        "        if ended and len(before) != len(after):\n",
        "        if False:\n",
        REPLAYING,
    ),
    broken(
        "replay: results are not compared",
        REPLAY,
        "            if differs is not None:\n",
        "            if False:\n",
        REPLAYING,
    ),
    broken(
        "replay: an error on a neighbour is no finding",
        REPLAY,
        "        elif after.trouble is not None:\n            judge.find(",
        "        elif after.trouble is not None and judge.moved:\n            judge.find(",
        REPLAYING,
    ),
    broken(
        "replay: an operation that fails everywhere is reported as if nothing were found",
        "audit/graybox/report.py",
        "return not self.findings and self.refused is None",
        "return not self.findings",
        REPLAYING,
    ),
    broken(
        "replay: what is no number passes",
        JUDGE,
        "            if not is_told_well(each.fresh):\n",
        "            if not is_told_well(each.told):\n",
        REPLAYING,
    ),
    broken(
        "replay: what hangs is no finding",
        REPLAY,
        "        if after.hangs:\n",
        "        if False:\n",
        REPLAYING,
    ),
    broken(
        "replay: times are not compared",
        REPLAY,
        "        if timed.tells:\n",
        "        if False:\n",
        REPLAYING,
    ),
    broken(
        "replay: one slow run is a finding",
        "audit/graybox/clock.py",
        "        found = Timed(min(found.base, base()), min(found.other, other()))\n",
        "        found = Timed(0.0, 1.0)\n",
        REPLAYING,
    ),
    broken(
        "replay: what was said before is not said again",
        TAPE,
        "entry.told = earlier.told if known and earlier is not None else entry.fresh",
        "entry.told = entry.fresh",
        REPLAYING,
    ),
    broken(
        "replay: losses are not added up",
        REPLAY,
        "spent = functools.reduce(operator.add, losses)",
        "spent = losses[0]",
        REPLAYING,
    ),
    broken(
        "replay: taps are left in place",
        TAPS,
        "            if _listeners == 0:\n                _untap_all()\n",
        "            if _listeners == 0 and False:\n                _untap_all()\n",
        REPLAYING,
    ),
    broken(
        "replay: L2 distances are taken for L1",
        DISTANCES,
        "    if isinstance(noise, ROUND):\n",
        "    if False:\n",
        f"{REPLAYING}::test_what_is_wrong_is_found",
        DESKS,
    ),
    broken(
        "replay: a desk's vector has no price",
        JUDGE,
        "        self._move(measure_vector(mine, theirs, _find_paid(mine.asked, one.cost), one.name))\n",
        "        self._move(measure_vector(mine, theirs, None, one.name))\n",
        DESKS,
    ),
    broken(
        "replay: measures of a question are not compared in L1",
        JUDGE,
        '                self._move(Moved(call, "L1", Fraction(plan.l1(measure)), Fraction(l1)))\n',
        '                self.moved.append(Moved(call, "L1", Fraction(plan.l1(measure)), Fraction(0)))\n',
        f"{DESKS}::test_limits_that_are_declared_and_not_enforced_are_found",
    ),
    broken(
        "replay: measures of a question are not compared in L2",
        JUDGE,
        "Fraction(plan.l2_squared(measure)), Fraction(l2_squared)",
        "None, Fraction(l2_squared)",
        f"{DESKS}::test_limits_that_are_declared_and_not_enforced_are_found",
    ),
    broken(
        "replay: rows of other units may change",
        JUDGE,
        '            self._move(Moved(one.name, "units", Fraction(1), Fraction(units)))\n',
        "",
        DESKS,
    ),
    broken(
        "replay: a unit may have more rows than it keeps",
        JUDGE,
        "Fraction(plan.rows), Fraction(max([*gone, *come], default=0))",
        "None, Fraction(max([*gone, *come], default=0))",
        DESKS,
    ),
    broken(
        "replay: a desk's call without a rule passes",
        JUDGE,
        "            if rule is None:\n                self.find(",
        "            if rule is None:\n                return\n                self.find(",
        DESKS,
    ),
    broken(
        "replay: databases of the same people may differ",
        JUDGE,
        "        if self._relation is PairRelation.SAME:\n",
        "        if False:\n",
        DESKS,
    ),
    broken(
        "replay: a report may be as long as its value",
        JUDGE,
        "        if sizes[0] != sizes[1]:\n",
        "        if False:\n",
        LOCAL,
    ),
    broken(
        "replay: clients' reports are not heard",
        TAPS,
        '        for name in ("randomise", "recall"):\n',
        "        for name in ():\n",
        LOCAL,
    ),
    broken(
        "replay: a unit is removed from one of its tables only",
        "audit/graybox/neighbours.py",
        "            found[each.name] = table.take(pa.array(kept, pa.int64()))\n",
        "            found = {each.name: table.take(pa.array(kept, pa.int64()))}\n",
        NEIGHBOURS,
    ),
    broken(
        "replay: nobody is over the limits",
        "audit/graybox/neighbours.py",
        "    return min(HEAVY * limit + 7, 5_000)\n",
        "    return limit\n",
        NEIGHBOURS,
    ),
    broken(
        "replay: findings do not end the program with a code",
        "cli/auditing.py",
        "        if wrong:\n",
        "        if False:\n",
        AUDITING,
    ),
]
