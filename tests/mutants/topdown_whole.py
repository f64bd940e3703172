"""The rules of rounding to whole counts, each broken once: proven or searched, checked, told where rules break."""

from __future__ import annotations

from mutants.mutant import broken

ROUNDING = "tests/topdown/solve/test_rounding.py"
LAMINAR = "tests/topdown/solve/test_laminar.py"
FAILSAFE = "tests/topdown/solve/test_failsafe.py"
CHILDREN = "tests/topdown/solve/test_children.py"
CHECKING = "tests/topdown/solve/test_checking.py"

ROUND = "topdown/solve/rounding.py"

MUTATIONS = [
    broken(
        "census: whole counts of children need not add up",
        ROUND,
        "        rules.add_cells(people)\n",
        "        pass\n",
        ROUNDING,
    ),
    broken(
        "census: rounding drops the answers of queries",
        ROUND,
        "    for places in family:\n        rules.add_answers(places, parts)\n",
        "",
        ROUNDING,
    ),
    broken(
        "census: rounding drops public numbers",
        ROUND,
        "    for each in invariants:\n        rules.add_invariant(each)\n",
        "",
        ROUNDING,
    ),
    broken(
        "census: rounding drops public numbers that floors do not meet",
        ROUND,
        "        live = (least > 0) | (upper < most)\n",
        "        live = upper < most\n",
        ROUNDING,
    ),
    broken(
        "census: rounding drops public numbers that ceilings exceed",
        ROUND,
        "        live = (least > 0) | (upper < most)\n",
        "        live = least > 0\n",
        ROUNDING,
        CHILDREN,
    ),
    broken(
        "census: rules without a count to round are not looked at",
        ROUND,
        "    if rules.is_broken:\n",
        "    if False:\n",
        ROUNDING,
    ),
    broken(
        "census: what a solver returns is believed",
        ROUND,
        "or not _keeps(program, chosen)",
        "",
        ROUNDING,
    ),
    broken(
        "census: margins that overlap are called proven",
        ROUND,
        "    proven = find_crossing(rules.groupings) is None\n",
        "    proven = True\n",
        ROUNDING,
    ),
    broken(
        "census: a search does not state its gap",
        ROUND,
        "        return found.x, float(found.mip_gap or 0.0)\n",
        "        return found.x, 0.0\n",
        ROUNDING,
    ),
    broken(
        "census: sets that overlap are nested if they share much",
        "topdown/solve/laminar.py",
        "(shared < sizes[0]) & (shared < sizes[1])",
        "(shared < sizes[0] - 1) & (shared < sizes[1])",
        LAMINAR,
    ),
    broken(
        "census: only the first two groupings are looked at",
        "topdown/solve/laminar.py",
        "combinations(range(len(groupings)), 2)",
        "combinations(range(min(len(groupings), 2)), 2)",
        LAMINAR,
    ),
    broken(
        "census: contradictions lose people",
        "topdown/solve/failsafe.py",
        "    if solved.x is None or (people is not None and not np.array_equal(found.sum(axis=0), people)):\n",
        "    if solved.x is None:\n",
        FAILSAFE,
    ),
    broken(
        "census: invariants that are broken are not told",
        "topdown/solve/failsafe.py",
        "np.argwhere((given < low) | (given > high))",
        "np.argwhere(given < low)",
        FAILSAFE,
    ),
    broken(
        "census: people where nobody can be are not told",
        "topdown/solve/failsafe.py",
        "np.argwhere(impossible & (counts != 0))",
        "np.argwhere(impossible & (counts < 0))",
        FAILSAFE,
    ),
    broken(
        "census: more people are missing than need be",
        "topdown/solve/failsafe.py",
        "np.full(2 * height, PRICE)",
        "np.full(2 * height, 0.001)",
        FAILSAFE,
    ),
    broken(
        "census: the check does not add up",
        "topdown/solve/checking.py",
        "            cells = np.flatnonzero(total != own)\n",
        "            cells = np.flatnonzero(total < 0)\n",
        CHECKING,
    ),
    broken(
        "census: the check passes negative counts",
        "topdown/solve/checking.py",
        '            ("below 0", ~strange & (part < 0)),\n',
        "",
        CHECKING,
    ),
    broken(
        "census: the check passes people where nobody can be",
        "topdown/solve/checking.py",
        "        found |= np.all(",
        "        found &= np.all(",
        CHECKING,
    ),
    broken(
        "census: the check passes numbers above their bounds",
        "topdown/solve/checking.py",
        "        wrong = (low > given.T) | (high < given.T)\n",
        "        wrong = low > given.T\n",
        CHECKING,
    ),
]
