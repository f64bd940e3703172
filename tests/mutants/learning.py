"""The rules of private learning, each broken once: exact gradients, clips, charges and what is public."""

from __future__ import annotations

from mutants.mutant import broken

SUMS = "tests/gradients/test_sums.py"
ENCODING = "tests/gradients/test_encoding.py"
RESIDUALS = "tests/gradients/test_residuals.py"
DESK = "tests/curator/door/test_gradients.py"
DESCENT = "tests/learn/test_descent.py"
ALLOWANCE = "tests/learn/test_allowance.py"
TABLE = "tests/learn/test_from_table.py"
ARRAYS = "tests/learn/estimators/test_arrays.py"
ESTIMATORS = "tests/learn/estimators/test_linear.py"

GRADIENTS = [
    broken(
        "learning: a unit's gradient is not clipped",
        "gradients/sums.py",
        "    allowed = np.minimum(sizes, clip // lengths) if offsets is None else _share_out(sizes, lengths, offsets, "
        "clip)\n",
        "    allowed = sizes\n    clip = 1 << 62\n",
        SUMS,
    ),
    broken(
        "learning: rows of one unit are clipped each on its own",
        "gradients/sums.py",
        "    single = single and len(offsets) == len(rows) + 1\n",
        "    single = True\n",
        SUMS,
    ),
    broken(
        "learning: a unit that is too long after all counts",
        "gradients/sums.py",
        "    if failed.any():\n        residuals = np.where(failed[:, None], 0, residuals)\n",
        "",
        SUMS,
    ),
    broken(
        "learning: lengths are rounded down",
        "gradients/encoding.py",
        "    roots += roots * roots < squares\n    return roots\n",
        "    return roots\n",
        ENCODING,
    ),
    broken(
        "learning: the intercept is left out of a row's length",
        "gradients/encoding.py",
        "        squares = FEATURE_STEPS**2 * (len(placed) + 1) +",
        "        squares = FEATURE_STEPS**2 * len(placed) +",
        ENCODING,
    ),
    broken(
        "learning: numbers beyond their bounds count as they are",
        "gradients/encoding.py",
        "        held = np.clip(points, self.lower, self.upper)\n        if self.centred:\n",
        "        held = np.clip(points, -(1 << 45), 1 << 45)\n        if self.centred:\n",
        ENCODING,
    ),
    broken(
        "learning: weights may be too large for exact scores",
        "gradients/sums.py",
        "        if FEATURE_STEPS * max(sum(map(abs, column)) for column in weights.T.tolist()) >= MOST_EXACT:\n",
        "        if False:\n",
        SUMS,
    ),
    broken(
        "learning: a residual may be longer than it says",
        "gradients/residuals.py",
        "        return RESIDUAL_STEPS * 3 // 2\n",
        "        return RESIDUAL_STEPS\n",
        RESIDUALS,
    ),
    broken(
        "learning: an unknown label teaches",
        "gradients/residuals.py",
        "        found[~known] = 0\n",
        "",
        SUMS,
    ),
]

CHARGED = [
    broken(
        "learning: under replace a gradient moves by one clip",
        "curator/door/gradients.py",
        "    return plan.factor * gradients.clip\n",
        "    return gradients.clip\n",
        DESK,
    ),
    broken(
        "learning: gradients may be of a class of one's own",
        "curator/door/gradients.py",
        "    if type(gradients) is not LinearGradients:\n",
        "    if not isinstance(gradients, LinearGradients):\n",
        DESK,
    ),
    broken(
        "learning: Laplace noise protects a length in L2",
        "curator/door/gradients.py",
        "    if isinstance(noise, Laplace) or not isinstance(noise, VectorNoise):\n",
        "    if not isinstance(noise, VectorNoise):\n",
        DESK,
    ),
    broken(
        "learning: other weights are the same call",
        "curator/door/desk.py",
        '            "weights": hash_bytes(weights.astype("<i8").tobytes()),\n',
        "",
        DESK,
    ),
    broken(
        "learning: another clip is the same call",
        "gradients/sums.py",
        '"residual": self.residual.describe(), "clip": self.clip}',
        '"residual": self.residual.describe()}',
        DESK,
    ),
    broken(
        "learning: rows of one encoding serve another",
        "engines/held.py",
        "        if self._encoded is None or self._encoded[0] != encoding:\n",
        "        if self._encoded is None:\n",
        DESK,
    ),
    broken(
        "learning: noise is scaled by the number of steps",
        "learn/descent.py",
        "    part = allowance.take(Fraction(1, settings.steps))\n",
        "    part = allowance\n",
        DESCENT,
    ),
    broken(
        "learning: rows are counted for free",
        "learn/source.py",
        "        return self.count(allowance.take(COUNT_SHARE)), allowance.take(1 - COUNT_SHARE)\n",
        "        return self.count(allowance.take(COUNT_SHARE)), allowance\n",
        DESCENT,
    ),
    broken(
        "learning: noise in memory forgets the neighbours",
        "learn/source.py",
        "        noise = allowance.make_noise(self.factor * gradients.clip)\n",
        "        noise = allowance.make_noise(gradients.clip)\n",
        DESCENT,
    ),
    broken(
        "learning: an epsilon is spent without its delta",
        "learn/allowance.py",
        "    return GaussianAllowance(1 / (2 * Fraction(sigma) ** 2))\n",
        "    return GaussianAllowance(1 / Fraction(sigma) ** 2)\n",
        ALLOWANCE,
    ),
    broken(
        "learning: the unit is a feature",
        "learn/features.py",
        "    if name == resolved.table.unit:\n        raise",
        "    if False:\n        raise",
        TABLE,
    ),
    broken(
        "learning: classes are taken from the labels",
        "learn/estimators/linear.py",
        "        declared = check_classes(self.classes)\n",
        "        declared = check_classes(sorted(set(y)) if self.classes is None else self.classes)\n",
        ESTIMATORS,
    ),
]

APART = [
    broken(
        "learning: how many rows a unit may have is taken from the rows",
        "learn/source.py",
        "        self.most_rows, self.factor = most_rows, factor\n",
        "        self.most_rows, self.factor = int(np.diff(self._offsets).max(initial=1)), factor\n",
        ARRAYS,
    ),
    broken(
        "learning: one label changes the type of all",
        "learn/estimators/arrays.py",
        '    found = array_of("y", given)\n',
        "    found = np.asarray(given)\n",
        ESTIMATORS,
    ),
    broken(
        "learning: a unit keeps rows by their place in the table",
        "learn/estimators/arrays.py",
        "    order = np.lexsort((*points.T[::-1], unit))\n",
        "    order = np.argsort(unit, kind='stable')\n",
        ARRAYS,
    ),
    broken(
        "learning: one unit's rows may take any time",
        "learn/training.py",
        "        source.check_time()\n",
        "",
        TABLE,
    ),
    broken(
        "learning: numbers of other kinds wrap a price",
        "gradients/encoding.py",
        "    object.__setattr__(holder, name, check.integer(name, getattr(holder, name), least=least, most=most))\n",
        "    check.integer(name, getattr(holder, name), least=least, most=most)\n",
        DESK,
    ),
]

TIMED = [
    broken(
        "learning: a person with two rows makes every step longer",
        "gradients/sums.py",
        "    single = single and len(offsets) == len(rows) + 1",
        "    single = len(offsets) == len(rows) + 1",
        f"{SUMS}::test_units_of_one_row_are_summed_the_same_way_unless_all_must_be",
    ),
]

MUTATIONS = [*GRADIENTS, *CHARGED, *APART, *TIMED]
