"""The rules of what a census plan and a report say, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

READING = "tests/topdown/spec/test_reading.py"
COLUMNS = "tests/topdown/measure/test_columns.py"
PUBLIC = "tests/topdown/test_public_numbers.py"
SIZES = "tests/topdown/running/test_size_errors.py"
SUMS = "tests/topdown/running/test_error_sums.py"

MUTATIONS = [
    broken(
        "census plan: columns are not looked at by their keys",
        "topdown/affording.py",
        "    check_columns(spec, session.tables[spec.table])\n    asked",
        "    asked",
        COLUMNS,
    ),
    broken(
        "census plan: what a run is refused for is not told",
        "topdown/affording.py",
        "        return None, tuple(str(error).splitlines())\n",
        "        return None, ()\n",
        COLUMNS,
    ),
    broken(
        "census plan: a run that is refused is admitted",
        "topdown/planning/budget_outlook.py",
        "return self.fits is True and not self.refusals",
        "return self.fits is True",
        COLUMNS,
    ),
    broken(
        "census plan: one area that is public makes all of them public",
        "topdown/public_numbers.py",
        "and all(_leave_nothing(",
        "and any(_leave_nothing(",
        PUBLIC,
    ),
    broken(
        "census spec: public files are read where nobody knows which are private",
        "topdown/spec/reading.py",
        "    folder = None if policy is None else PublicFolder(path.parent, policy)\n",
        "    folder = PublicFolder(path.parent, policy)\n",
        READING,
    ),
    broken(
        "census spec: who lives beyond the bounds of a column is counted in the areas at them",
        "topdown/spec/reading_areas.py",
        "        if number in (column.lower, column.upper):\n",
        "        if False:\n",
        READING,
    ),
    broken(
        "census report: a bias is told from any number of replications",
        "topdown/running/size_errors.py",
        "    is_known = times >= LEAST_REPLICATIONS\n",
        "    is_known = True\n",
        SIZES,
    ),
    broken(
        "census report: cells of one replication err on their own",
        "topdown/running/error_sums.py",
        "        return cls(errors.signed**2, errors.signed * cells, cells**2)\n",
        "        return cls(errors.signed**2 / np.maximum(cells, 1), errors.signed * cells, cells**2)\n",
        SUMS,
    ),
]
