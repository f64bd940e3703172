"""The rules of moments and grouped sums, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

SCALED = "tests/gradients/test_scaled.py"
MOMENTS = "tests/gradients/test_moments.py"
GROUPS = "tests/gradients/test_groups.py"
DESK = "tests/curator/door/test_moments.py"
REGRESSION = "tests/learn/test_regression.py"
CLUSTERS = "tests/learn/test_clusters.py"
STUMPS = "tests/learn/test_stumps.py"
BAYES = "tests/learn/test_naive_bayes.py"
ESTIMATORS = "tests/learn/estimators/test_moment_estimator.py"

MUTATIONS = [
    broken(
        "moments: long rows are not scaled",
        "gradients/scaled.py",
        "over = np.flatnonzero(lengths > limits)",
        "over = np.flatnonzero(lengths > LONGEST)",
        SCALED,
    ),
    broken(
        "moments: a row is scaled by its length rounded down",
        "gradients/scaled.py",
        "lengths = round_roots_up(_square(numbers, ones, counted))",
        "lengths = round_roots_up(_square(numbers, ones, counted)) - 1",
        SCALED,
        MOMENTS,
    ),
    broken(
        "moments: places count as nothing in a row's length",
        "gradients/scaled.py",
        "counted = len(rows.places) + 1",
        "counted = 1",
        SCALED,
    ),
    broken(
        "moments: a unit's rows do not share its clip",
        "gradients/moments.py",
        "find_longest(self.clip // many)",
        "find_longest(self.clip // min(many, 1))",
        MOMENTS,
    ),
    broken(
        "moments: a pair counts as half of what it moves",
        "gradients/moments.py",
        "(square**2 + min(square, MOMENT_STEPS) * square + 1) // 2",
        "(square**2 + min(square, MOMENT_STEPS) * square + 1) // 4",
        MOMENTS,
    ),
    broken(
        "moments: the label is longer than a feature",
        "gradients/moments.py",
        "if self.labelled and max(-label.low, label.high) > FEATURE_STEPS:",
        "if self.labelled and max(-label.low, label.high) > 2 * FEATURE_STEPS:",
        MOMENTS,
    ),
    broken(
        "groups: a unit's rows do not share its clip",
        "gradients/groups.py",
        "find_limits(offsets, lambda many: self.clip // many)",
        "find_limits(offsets, lambda many: self.clip)",
        GROUPS,
    ),
    broken(
        "groups: squares are not part of a row's bound",
        "gradients/groups.py",
        "squares * numbers * quarter)",
        "0 * numbers * quarter)",
        GROUPS,
    ),
    broken(
        "groups: a row without a class counts in the last one",
        "gradients/groups.py",
        "rows.labels, -1)",
        "rows.labels, self.count - 1)",
        GROUPS,
    ),
    broken(
        "moments: a replaced unit moves them once",
        "curator/door/moments.py",
        "return plan.factor * moments.clip",
        "return moments.clip",
        DESK,
    ),
    broken(
        "moments: a caller's own kind is summed",
        "curator/door/moments.py",
        "if type(moments) not in (FeatureMoments, FeatureSums, PredictionErrors):",
        "if not isinstance(moments, (FeatureMoments, FeatureSums, PredictionErrors)):",
        DESK,
    ),
    broken(
        "moments: Laplace noise on what is bounded in L2",
        "curator/door/moments.py",
        "if isinstance(noise, Laplace) or not isinstance(noise, VectorNoise):",
        "if not isinstance(noise, VectorNoise):",
        DESK,
    ),
    broken(
        "moments: the journal does not tell clips apart",
        "curator/door/desk.py",
        '"moments": moments.describe(),',
        '"moments": moments.encoding.describe(),',
        DESK,
    ),
    broken(
        "moments: a replaced unit moves sums in memory once",
        "learn/source.py",
        "noise = allowance.make_noise(self.factor * moments.clip)",
        "noise = allowance.make_noise(moments.clip)",
        BAYES,
    ),
    broken(
        "moments: corrections of a regression cost nothing",
        "learn/regression.py",
        "part = allowance.take((1 - MOMENT_SHARE) / corrections)",
        "part = allowance.take((1 - MOMENT_SHARE))",
        REGRESSION,
    ),
    broken(
        "moments: a regression's moments cost nothing",
        "learn/regression.py",
        "first = allowance.take(MOMENT_SHARE) if corrections else allowance",
        "first = allowance",
        REGRESSION,
    ),
    broken(
        "moments: intervals leave the noise out",
        "learn/regression.py",
        "covariance = spread + error**2",
        "covariance = 0 * spread + error**2",
        REGRESSION,
    ),
    broken(
        "moments: each of Lloyd's steps costs the whole",
        "learn/clusters.py",
        "part = allowance.take(Fraction(1, rounds))",
        "part = allowance.take(Fraction(2, rounds))",
        CLUSTERS,
    ),
    broken(
        "moments: bins are counted for nothing",
        "learn/stumps.py",
        "rest = allowance.take(1 - COUNT_SHARE)",
        "rest = allowance.take(Fraction(1))",
        STUMPS,
    ),
    broken(
        "moments: how many rows a unit may have is taken from the rows",
        "learn/estimators/estimator.py",
        "    return MemorySource(kept, offsets, factor, most)\n",
        "    return MemorySource(kept, offsets, factor, int(np.diff(offsets).max(initial=1)))\n",
        ESTIMATORS,
    ),
    broken(
        "moments: a unit's rows may take any time",
        "curator/door/unit_time.py",
        "if plan.rows > most:",
        "if plan.rows > 1 << 60:",
        DESK,
    ),
]
