"""The rules of sums over units, each broken once: rows that units keep, functions, clipping, cost, failures."""

from __future__ import annotations

from mutants.mutant import broken

SUMS, WINGS = "tests/curator/door/test_sums.py", "tests/curator/door/test_sum_wings.py"
CLIPPING, FUNCTIONS = "tests/curator/door/test_clipping.py", "tests/curator/door/test_unit_functions.py"
STEPS, ROWS, COST = "tests/engines/test_steps.py", "tests/query/test_plan_rows.py", "tests/query/test_cost.py"
IDENTITY = "tests/plan/test_identity.py"

CLIPPED = [
    broken(
        "sums: a vector is not clipped",
        "curator/door/clipping.py",
        "    over = lengths > clip.steps\n",
        "    over = lengths < 0\n",
        CLIPPING,
        SUMS,
    ),
    broken(
        "sums: a clipped vector is not checked",
        "curator/door/clipping.py",
        "    if not bool(holds.all()):\n",
        "    if False:\n",
        CLIPPING,
    ),
    broken(
        "sums: lengths are rounded down",
        "curator/door/clipping.py",
        "    roots += roots * roots < squares\n",
        "",
        CLIPPING,
    ),
    broken(
        "sums: a float's root is believed",
        "curator/door/clipping.py",
        "    roots -= roots * roots > squares\n    roots += roots * roots < squares\n",
        "    roots = np.ceil(np.sqrt(squares.astype(np.float64))).astype(np.int64)\n",
        CLIPPING,
    ),
    broken(
        "sums: vectors are rounded instead of truncated",
        "curator/door/clipping.py",
        "np.trunc(scaled)",
        "np.round(scaled)",
        CLIPPING,
    ),
    broken(
        "sums: NaN is let through",
        "curator/door/clipping.py",
        "        scaled[~np.isfinite(scaled).all(axis=1)] = 0.0\n",
        "",
        CLIPPING,
        SUMS,
    ),
    broken(
        "sums: entries reach beyond what 64 bits hold",
        "curator/door/clipping.py",
        "    most = find_most_steps(vectors.shape[1])\n",
        "    most = 1 << 60\n",
        CLIPPING,
        SUMS,
    ),
    broken(
        "sums: a clip reaches beyond what 64 bits hold",
        "curator/door/sums.py",
        "    if clip.steps > find_most_steps(dimension):\n",
        "    if False:\n",
        SUMS,
    ),
    broken(
        "sums: Laplace noise is added to vectors clipped in L2",
        "curator/door/sums.py",
        "return Norm.L1 if isinstance(noise, Laplace) else Norm.L2",
        "return Norm.L2",
        SUMS,
    ),
    broken(
        "sums: totals are of 64 bits",
        "curator/door/sums.py",
        "np.zeros(dimension, dtype=object)",
        "np.zeros(dimension, dtype=np.int64)",
        SUMS,
    ),
]

CHARGED = [
    broken(
        "sums: replacing a unit costs as much as removing one",
        "curator/door/sums.py",
        "return plan.factor * clip.steps",
        "return clip.steps",
        SUMS,
        WINGS,
    ),
    broken(
        "sums: neighbours of rows are always add-remove",
        "query/plan_rows.py",
        "factor = 1 if catalog.policy.neighbours is Neighbours.ADD_REMOVE else 2",
        "factor = 1",
        ROWS,
    ),
    broken(
        "sums: Laplace noise on a vector costs one step",
        "query/cost.py",
        "return cost_counts(sensitivity, sensitivity**2, noise)",
        "return cost_counts(1, sensitivity**2, noise)",
        COST,
        SUMS,
    ),
    broken(
        "sums: Gaussian noise on a vector costs half",
        "query/cost.py",
        "return cost_counts(sensitivity, sensitivity**2, noise)",
        "return cost_counts(sensitivity, sensitivity**2 // 2, noise)",
        COST,
        SUMS,
    ),
    broken(
        "sums: noise on a grid is taken",
        "query/cost.py",
        "if not isinstance(noise, VectorNoise) or noise.grid is not None:",
        "if not isinstance(noise, VectorNoise):",
        COST,
        SUMS,
    ),
    broken(
        "sums: sum is not metered",
        "curator/door/desk.py",
        "self.__recorder.answer(call, cost, noise.loss(sensitivity, dim=dimension), draw)",
        "self.__recorder.answer(call, Charge(Fraction(0), 0.0), noise.loss(sensitivity, dim=dimension), draw)",
        SUMS,
        WINGS,
    ),
    broken(
        "sums: rows are read before the meter",
        "curator/door/desk.py",
        "        dimension, sensitivity = check_function(",
        "        self._hold(declared, plan).read()\n        dimension, sensitivity = check_function(",
        SUMS,
    ),
    broken(
        "sums: the schedule sees the loss of another sensitivity",
        "curator/door/desk.py",
        "noise.loss(sensitivity, dim=dimension)",
        "noise.loss(1, dim=dimension)",
        SUMS,
    ),
    broken(
        "sums: a plan of any kind is summed",
        "curator/door/desk.py",
        "        if not isinstance(plan, kind):\n",
        "        if False:\n",
        SUMS,
    ),
    broken(
        "sums: a journaled sum may have had another clip",
        "curator/door/desk.py",
        '            "clip": clip.describe(),\n',
        "",
        SUMS,
    ),
    broken(
        "sums: a journaled sum may have been of another function",
        "curator/door/desk.py",
        '            "function": function.describe(),\n',
        "",
        SUMS,
    ),
    broken(
        "sums: the form of a plan of rows forgets its limit",
        "plan/identity.py",
        'same_names("block units columns rows factor tables")',
        'same_names("block units columns factor tables")',
        IDENTITY,
    ),
]

APART = [
    broken(
        "sums: a unit's rows are not cut",
        "engines/limiting/unit_rows.py",
        "    kept = select_kept_rows(grouped, Limits(most, 1, most))\n",
        "    kept = whole\n",
        STEPS,
    ),
    broken(
        "sums: an engine that cuts nothing is believed",
        "engines/steps.py",
        "    if len(points) and int(np.diff(offsets).max()) > plan.rows:\n",
        "    if False:\n",
        STEPS,
    ),
    broken(
        "sums: rows of a unit lie as the engine left them",
        "engines/steps.py",
        "order = np.lexsort((*points.T[::-1], numbers))",
        'order = np.argsort(numbers, kind="stable")',
        STEPS,
    ),
    broken(
        "sums: a table without rows is a failure",
        "engines/steps.py",
        "    found = found.reshape(len(found), plan.units + len(plan.columns))  # also where there is no row at all\n",
        "",
        STEPS,
    ),
    broken(
        "sums: incomplete rows are kept",
        "engines/limiting/unit_rows.py",
        """complete = " AND ".join(f"{name} IS NOT NULL" for name in names)""",
        'complete = "TRUE"',
        STEPS,
    ),
    broken(
        "sums: the unit is a column",
        "query/plan_rows.py",
        "    if column.unit or column.expression is None:\n",
        "    if column.expression is None:\n",
        ROWS,
    ),
    broken(
        "sums: rows of one unit count as several units",
        "query/plan_rows.py",
        "    if not units and limits.rows > 1:\n",
        "    if False:\n",
        ROWS,
    ),
    broken(
        "sums: whatever derives from the closed list is on it",
        "curator/door/unit_functions.py",
        "    if isinstance(function, BATCH) and type(function) in BATCH:\n",
        "    if isinstance(function, BATCH):\n",
        FUNCTIONS,
    ),
    broken(
        "sums: a gradient is a matrix product",
        "curator/door/unit_functions.py",
        "        for place, weight in enumerate(self.weights):\n            scores += rows[:, place] * weight\n",
        "        scores += np.ascontiguousarray(rows[:, :-1]) @ np.array(self.weights)\n",
        FUNCTIONS,
    ),
    broken(
        "sums: a function sees the rows of all units",
        "curator/door/unit_functions.py",
        "rows[first:last].copy())",
        "rows)",
        FUNCTIONS,
    ),
    broken(
        "sums: any shape is a vector",
        "curator/door/unit_functions.py",
        '    if array.shape != (dimension,) or array.dtype.kind not in "biuf":\n',
        '    if array.dtype.kind not in "biuf":\n',
        FUNCTIONS,
        WINGS,
    ),
    broken(
        "sums: a function's own errors are shown",
        "curator/door/unit_functions.py",
        "        raise FailedError(",
        "        raise type(trouble)(",
        FUNCTIONS,
        WINGS,
    ),
    broken(
        "sums: a wing may hide that a draw failed",
        "curator/door/performance.py",
        "        if desk.failure is not None:\n",
        "        if False:\n",
        WINGS,
    ),
    broken(
        "sums: a cancelled run goes on drawing",
        "curator/door/recorder.py",
        "            self._check()\n",
        "",
        WINGS,
    ),
    broken(
        "sums: a desk goes on after a failure",
        "curator/door/recorder.py",
        "        if self.failure is not None:\n            raise self.failure\n",
        "",
        SUMS,
    ),
]

MUTATIONS = [*CLIPPED, *CHARGED, *APART]
