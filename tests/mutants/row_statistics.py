"""Rules of robust statistics at a desk and in the wing."""

from __future__ import annotations

from mutants.mutant import broken

DESK = "tests/curator/door/test_statistics.py"
WING = "tests/robust/estimators/test_estimators.py"
TRIMMED = "tests/mechanisms/robust/test_trimmed_mean.py"

MUTATIONS = [
    broken(
        "statistics: a mechanism made for fewer rows than a unit has",
        "curator/door/statistics.py",
        'if getattr(made, "rows", None) != rows:',
        'if getattr(made, "rows", None) is None:',
        DESK,
    ),
    broken(
        "statistics: a mechanism made for other neighbours",
        "curator/door/statistics.py",
        'if getattr(made, "neighbours", relation) != relation:',
        "if relation is None:",
        DESK,
    ),
    broken(
        "statistics: the number of values is taken to be public",
        "curator/door/statistics.py",
        "statistic.statistic.public_size and not public_size:",
        "not public_size and statistic.statistic.rows == 0:",
        DESK,
    ),
    broken(
        "statistics: replacing a unit moves one unit's ranks",
        "curator/door/statistics.py",
        "wanted = rows if relation is Neighbours.ADD_REMOVE else 2 * rows",
        "wanted = rows",
        DESK,
    ),
    broken(
        "statistics: what groups say is brought together as if one value came or went",
        "curator/door/statistics.py",
        "_check_column(statistic.together, 1, Neighbours.REPLACE, public_size=True)",
        "_check_column(statistic.together, 1, Neighbours.ADD_REMOVE, public_size=True)",
        DESK,
    ),
    broken(
        "statistics: rows of one unit go into several groups",
        "curator/door/statistics.py",
        "np.repeat(noise.uniform_int(self.groups, rows.units), np.diff(rows.offsets))",
        "noise.uniform_int(self.groups, len(rows.points))",
        DESK,
    ),
    broken(
        "statistics: groups follow the order of units",
        "curator/door/statistics.py",
        "np.repeat(noise.uniform_int(self.groups, rows.units), np.diff(rows.offsets))",
        "np.repeat(np.arange(rows.units) % self.groups, np.diff(rows.offsets))",
        DESK,
    ),
    broken(
        "statistics: a function sees the order of units",
        "curator/door/statistics.py",
        "ordered = points[np.lexsort(points.T[::-1])]",
        "ordered = points[::-1]",
        DESK,
    ),
    broken(
        "statistics: a function that fails fails the run",
        "curator/door/statistics.py",
        "        except Exception:\n            number = math.nan\n",
        "        except ZeroDivisionError:\n            number = math.nan\n",
        DESK,
    ),
    broken(
        "statistics: a release costs nothing",
        "curator/door/statistics.py",
        "    return statistic.mechanism.loss()\n",
        "    return Quantile(Fraction(1, 2), 2, 1e-9).loss()\n",
        DESK,
    ),
    broken(
        "statistics: a refusal is not recorded",
        "robust/releasing.py",
        "return json.dumps(desk.release_statistic(self.plan, self.statistic)).encode()",
        "told = desk.release_statistic(self.plan, self.statistic)\n        return json.dumps(told or [0]).encode()",
        WING,
    ),
    broken(
        "statistics: confidence is looked at after the charge",
        "robust/estimators/estimators.py",
        'wanted, sure = check_share("share", share), float(check.confidence(confidence))',
        'wanted, sure = check_share("share", share), float(confidence)',
        WING,
    ),
    broken(
        "a trimmed mean of replaced units whose number is taken to be public",
        "mechanisms/robust/trimmed_mean.py",
        "lost = 0 if self.public_size else",
        "lost = 0 if self.public_size or self.neighbours == Neighbours.REPLACE else",
        TRIMMED,
    ),
]

RESAMPLES = "tests/curator/door/test_resampling.py"
BOOTSTRAP = "tests/robust/intervals/test_bootstrap.py"

MUTATIONS += [
    broken(
        "resampling: a unit is charged as if it counted once",
        "curator/door/resampling.py",
        "[weight * each for weight in range(MOST_WEIGHT + 1)]",
        "[min(weight, 1) * each for weight in range(MOST_WEIGHT + 1)]",
        RESAMPLES,
    ),
    broken(
        "resampling: one resample is charged for all",
        "curator/door/resampling.py",
        "weights) * resamples",
        "weights)",
        RESAMPLES,
        BOOTSTRAP,
    ),
    broken(
        "resampling: units that replace others are admitted",
        "curator/door/resampling.py",
        "if plan.factor != 1:",
        "if plan.factor > 2:",
        RESAMPLES,
    ),
    broken(
        "resampling: all units count equally often",
        "curator/door/resampling.py",
        "weigh(last - first)[:, None]",
        "weigh(1)[:, None]",
        RESAMPLES,
    ),
    broken(
        "resampling: the same weights in every resample",
        "curator/door/resampling.py",
        "        for place in range(resamples):\n",
        "        weigh = lambda units, drawn=draw_weights(last - first): drawn\n"
        "        for place in range(resamples):\n",
        RESAMPLES,
    ),
    broken(
        "bootstrap: the asymptotic price is taken for the certified one",
        "robust/intervals/bootstrap.py",
        "        if certified <= epsilon:\n",
        "        if noise:\n",
        BOOTSTRAP,
    ),
    broken(
        "bootstrap: the noise's part of the spread is taken out twice",
        "robust/intervals/bootstrap_ends.py",
        "np.minimum(np.maximum(upper - noisy, 0.0), known)",
        "np.minimum(np.maximum(spread - 2 * noisy, 0.0), known)",
        BOOTSTRAP,
    ),
]

COINPRESS = "tests/robust/estimators/test_coinpress.py"
FUNCTIONS = "tests/curator/door/test_unit_functions.py"

MUTATIONS += [
    broken(
        "coinpress: a step spends all of rho",
        "robust/estimators/coinpress.py",
        "noise = make_noise(self.rho * share,",
        "noise = make_noise(self.rho,",
        COINPRESS,
    ),
    broken(
        "coinpress: people are clipped to the public ball in every step",
        "robust/estimators/coinpress.py",
        "            radius = min(reach,",
        "            radius = max(reach,",
        COINPRESS,
    ),
    broken(
        "sums: offsets from a center mix units",
        "curator/door/unit_functions.py",
        "offsets: Floats = rows - np.array(self.center)",
        "offsets: Floats = rows - rows.mean(axis=0)",
        FUNCTIONS,
    ),
]

MUTATIONS += [
    broken(
        "statistics: what is written beside a mechanism's fields decides its noise",
        "curator/door/desk.py",
        "        own = renew(statistic)\n",
        "        own = statistic\n",
        DESK,
    ),
    broken(
        "statistics: a number of somebody's own sees all values",
        "curator/door/statistics.py",
        "if any(type(each) is not int for each in numbers):",
        "if any(not isinstance(each, int) for each in numbers):",
        DESK,
    ),
    broken(
        "a trim in so many parts that whole numbers end at some number of people",
        "mechanisms/robust/trimmed_mean.py",
        "MOST_PARTS = 1_000",
        "MOST_PARTS = 10**16",
        TRIMMED,
    ),
    broken(
        "resampling: one unit adds to as many numbers as somebody likes",
        "curator/door/resampling.py",
        "most=min(MOST_RESAMPLES, MOST_NUMBERS // dimension)",
        "most=MOST_RESAMPLES",
        RESAMPLES,
    ),
]

MUTATIONS += [
    broken(
        "unbounded: NULL and NaN count as the farthest value",
        "robust/estimators/unbounded.py",
        'known = f"CASE WHEN SIGN({value}) IS NOT NULL THEN {held} END"',
        "known = held",
        WING,
    ),
]
