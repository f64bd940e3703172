"""The rules of rounding, grids and wide sums, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

MUTATIONS = [
    broken(
        "rounding up rounds down",
        "base/rounding.py",
        "    return -down(-value) + 0.0",
        "    return down(value) + 0.0",
        "tests/base/test_rounding.py",
    ),
    broken(
        "sums wrap at int64",
        "base/wide.py",
        "held: Ints = np.clip(value + bounded, -LIMIT, LIMIT)",
        "held: Ints = 4 * value + 4 * bounded",
        "tests/base/test_wide.py",
    ),
    broken(
        "values beyond the limit are not held",
        "base/wide.py",
        "return np.clip(array.astype(np.int64), -LIMIT, LIMIT)",
        "return array.astype(np.int64)",
        "tests/base/test_wide.py",
    ),
    broken(
        "error messages quote data",
        "base/errors.py",
        'kind = getattr(data, "dtype", None)',
        "kind = repr(data)",
        "tests/base/test_wide.py",
        "tests/base/test_errors.py",
    ),
    broken(
        "reals are rounded down to the grid",
        "base/grid.py",
        "floats / float(self.step) + 0.5",
        "floats / float(self.step)",
        "tests/base/test_grid.py",
    ),
    broken(
        "near a half, floats decide the grid point",
        "base/grid.py",
        "return np.floor(shifted - error), np.floor(shifted + error)",
        "return np.floor(shifted), np.floor(shifted)",
        "tests/base/test_grid.py",
    ),
    broken(
        "NaN is not replaced by the public value",
        "base/grid.py",
        "floats = np.where(np.isnan(floats), self.missing, floats)",
        "floats = np.nan_to_num(floats, nan=1.0, posinf=np.inf, neginf=-np.inf)",
        "tests/base/test_grid.py",
    ),
]
