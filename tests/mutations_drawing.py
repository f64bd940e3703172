"""The rules of key selection and quantiles, each broken once: what `mutants.py` puts into a copy of the source."""

from __future__ import annotations

from mutations import broken

KEYS, QUANTILE = "tests/mechanisms/test_key_selection.py", "tests/mechanisms/test_quantile.py"

MUTATIONS = [
    broken(
        "drawing: a threshold forgets the rows of the unit itself",
        "mechanisms/key_threshold.py",
        "return self.rows + least_int(",
        "return 1 + least_int(",
        "tests/mechanisms/test_key_threshold.py",
    ),
    broken(
        "drawing: a threshold for one key is used for all groups",
        "mechanisms/key_threshold.py",
        "each = delta_each(self.delta, self.groups)",
        "each = self.delta",
        "tests/mechanisms/test_key_threshold.py",
    ),
    broken(
        "drawing: a key's delta is not divided by the groups",
        "mechanisms/key_selection.py",
        "return delta if groups == 1 else rounded_down(",
        "return delta if groups > 0 else rounded_down(",
        KEYS,
    ),
    broken(
        "drawing: a key's epsilon is not divided by the groups",
        "mechanisms/key_selection.py",
        "own, small = ratio_down(epsilon, groups), ",
        "own, small = epsilon, ",
        KEYS,
    ),
    broken(
        "drawing: keys are always kept one unit too early",
        "mechanisms/key_selection.py",
        "rise + floor_of(end) + 1)",
        "rise + floor_of(end))",
        KEYS,
    ),
    broken(
        "drawing: the turn of the keys' law is off by one",
        "mechanisms/key_selection.py",
        "rise = 1 + floor_of(turn)",
        "rise = 2 + floor_of(turn)",
        KEYS,
    ),
    broken(
        "drawing: keys without units may be kept",
        "mechanisms/key_selection.py",
        "open_ = np.flatnonzero((counts > 0) & ~kept)",
        "counts = np.maximum(counts, 1)\n        open_ = np.flatnonzero((counts > 0) & ~kept)",
        KEYS,
    ),
    broken(
        "drawing: floats alone decide on keys",
        "mechanisms/key_selection.py",
        "kept[open_[index]] = self.toss_exactly(",
        "self.toss_exactly(",
        KEYS,
    ),
    broken(
        "drawing: quantiles forget how many rows a unit has",
        "mechanisms/quantile.py",
        "return self.rows * max(self._numerator, self._denominator - self._numerator)",
        "return max(self._numerator, self._denominator - self._numerator)",
        QUANTILE,
    ),
    broken(
        "drawing: quantiles take a range of 1 at every share",
        "mechanisms/quantile.py",
        "return self.rows * max(self._numerator, self._denominator - self._numerator)",
        "return max(1, self.rows * self._denominator // 2)",
        QUANTILE,
    ),
    broken(
        "drawing: a value counts below its own point",
        "mechanisms/quantile.py",
        "for side in (self.below[:-1], self.below[1:]))",
        "for side in (self.below[1:], self.below[1:]))",
        QUANTILE,
    ),
    broken(
        "drawing: the ends of an interval are aimed too near",
        "mechanisms/quantile.py",
        "sure = 1 - (1 - Fraction(self.confidence)) / self._side_draws",
        "sure = Fraction(1, 100)",
        QUANTILE,
    ),
    broken(
        "drawing: the ends of an interval are not paid for",
        "mechanisms/quantile.py",
        "return Exponential.calibrate(float_down(Fraction(self.epsilon) - spent), self.sensitivity)",
        "return Exponential.calibrate(float_down(Fraction(self.epsilon) - 0 * spent), self.sensitivity)",
        QUANTILE,
    ),
    broken(
        "drawing: nothing stands for the ranks below the grid",
        "mechanisms/quantile.py",
        "(min(target, 0), max(target, int(self.below[-1])))",
        "(0, max(target, int(self.below[-1])))",
        QUANTILE,
    ),
]
