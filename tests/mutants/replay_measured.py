"""The rules of replay about what a desk measures, each broken once: sums, what goes into noise, and what both cost."""

from __future__ import annotations

from mutants.mutant import broken

DESKS = "tests/audit/graybox/comparing/test_desks.py"
FAULTS = "tests/audit/graybox/comparing/test_measured.py"

MEASURED = "audit/graybox/comparing/measured.py"
EXACT = "audit/graybox/comparing/exact.py"
DESK_RULES = "audit/graybox/comparing/desk_rules.py"
TAPE = "audit/graybox/recording/tape.py"

MUTATIONS = [
    broken(
        "replay: measures of a question are not compared in L1",
        MEASURED,
        'Moved(call, "L1", Fraction(plan.l1(measure)), l1)',
        'Moved(call, "L1", None, l1)',
        f"{DESKS}::test_limits_that_are_declared_and_not_enforced_are_found",
    ),
    broken(
        "replay: measures of a question are not compared in L2",
        MEASURED,
        "Fraction(plan.l2_squared(measure)), l2_squared",
        "None, l2_squared",
        f"{DESKS}::test_limits_that_are_declared_and_not_enforced_are_found",
    ),
    broken(
        "replay does not miss noise that was declared",
        MEASURED,
        "            if times and not asked[name]:\n",
        "            if False:\n",
        DESKS,
    ),
    broken(
        "replay: a mechanism may be asked twice for one price",
        MEASURED,
        "            elif times != asked[name]:\n",
        "            elif times > asked[name]:\n",
        FAULTS,
    ),
    broken(
        "replay: noise may be added to some of the numbers alone",
        MEASURED,
        "wanted.numbers[name] != sizes[name]",
        "wanted.numbers[name] < sizes[name]",
        FAULTS,
    ),
    broken(
        "replay: a choice may ask no mechanism",
        EXACT,
        "        found.times[repr(draws.choice.pick)] += draws.choice.parts\n",
        "        found.times[repr(draws.choice.pick)] += 0\n",
        FAULTS,
    ),
    broken(
        "replay: what goes into noise is not compared",
        MEASURED,
        "            moved[repr(mine.asked)] += _measure_input(mine, theirs)\n",
        "            moved[repr(mine.asked)] += 0\n",
        FAULTS,
    ),
    broken(
        "replay: what goes into noise under keys of the data is not compared",
        MEASURED,
        "        _judge_keyed_inputs(verdicts, pair)\n",
        "        pass\n",
        FAULTS,
    ),
    broken(
        "replay: an epsilon that is charged is not compared",
        MEASURED,
        'Moved(pair.name, "epsilon", cost.epsilon, lost.epsilon)',
        'Moved(pair.name, "epsilon", None, lost.epsilon)',
        FAULTS,
    ),
    broken(
        "replay: a rho that is charged is not compared",
        MEASURED,
        'Moved(pair.name, "rho", cost.rho, lost.rho)',
        'Moved(pair.name, "rho", None, lost.rho)',
        FAULTS,
    ),
    broken(
        "replay: keys of the data need no delta",
        MEASURED,
        'Moved(pair.name, "delta", cost.delta, lost.delta)',
        'Moved(pair.name, "delta", None, lost.delta)',
        FAULTS,
    ),
    broken(
        "replay: drawn quantiles cost nothing",
        MEASURED,
        "            epsilon = l1 * Fraction(noise.epsilon) / noise.rows\n",
        "            epsilon = Fraction(0)\n",
        FAULTS,
    ),
    broken(
        "replay: several keys are kept by what was said of others",
        TAPE,
        "len(earlier.told) == len(entry.fresh)",
        "len(earlier.told) >= 0",
        FAULTS,
    ),
    broken(
        "replay does not count the values of a statistic at a desk",
        DESK_RULES,
        "            self._move(replace(moved, declared=rows) if moved.declared is None else moved)\n",
        "            self.moved = moved\n",
        DESKS,
        FAULTS,
    ),
    broken(
        "replay: groups of a statistic may count twice",
        DESK_RULES,
        "            if values != groups:\n",
        "            if values < groups:\n",
        FAULTS,
    ),
    broken(
        "replay: what a statistic is charged is not compared",
        DESK_RULES,
        "        if not fits_within(lost, one.cost):\n",
        "        if False:\n",
        FAULTS,
    ),
    broken(
        "replay: steps of a compiled descent may have any noise",
        DESK_RULES,
        "            if drawn != [wanted] * steps:\n",
        "            if False:\n",
        "tests/audit/graybox/compiled/test_descents.py",
    ),
    broken(
        "replay: noise of resamples may be added to anything",
        DESK_RULES,
        "                if [list(each.value) for each in entry.inner] != summed:\n",
        "                if False:\n",
        f"{DESKS}::test_resamples_whose_noise_is_added_to_something_else_are_found",
    ),
]
