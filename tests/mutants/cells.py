"""The rules of counts by cell at the desk, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

CELLS = "tests/curator/door/test_cells.py"

MUTATIONS = [
    broken(
        "cells: a family's own bound is believed",
        "curator/door/cells.py",
        "    return check_family(family)\n",
        "    return family\n",
        CELLS,
    ),
    broken(
        "cells: scores see a family's own code",
        "curator/door/cells.py",
        '        object.__setattr__(self, "family", check_family(self.family))\n',
        "",
        CELLS,
    ),
    broken(
        "cells: two scores move apart by what one moves",
        "curator/door/cells.py",
        "return sum(nlargest(2, moves))",
        "return max(moves)",
        CELLS,
    ),
    broken(
        "cells: weights do not count in the spread",
        "curator/door/cells.py",
        "            weight * self.grain * self.family",
        "            self.grain * self.family",
        CELLS,
    ),
    broken(
        "cells: one row of a unit is paid for",
        "curator/door/cells.py",
        "return bound.bound_l1(unit.rows, unit.factor), bound.bound_l2_squared(unit.rows, unit.factor)",
        "return bound.bound_l1(1, unit.factor), bound.bound_l2_squared(1, unit.factor)",
        CELLS,
    ),
    broken(
        "cells: a choice of groups is not metered",
        "curator/door/desk.py",
        "self.__recorder.answer(call, cost_pick(spreads, pick), lose_pick(spreads, pick), draw)",
        "self.__recorder.answer(call, cost_pick(Spreads(0, 0), pick), lose_pick(spreads, pick), draw)",
        CELLS,
    ),
    broken(
        "cells: counts are not metered",
        "curator/door/desk.py",
        "cost, loss = cost_counts(l1, l2_squared, noise), lose_counts(l1, l2_squared, noise)",
        "cost, loss = cost_counts(0, 0, noise), lose_counts(l1, l2_squared, noise)",
        CELLS,
    ),
    broken(
        "cells: discrete Gaussian noise is accounted at half its cost",
        "query/cost.py",
        "    return ZcdpLoss(cost.rho)\n",
        "    return ZcdpLoss(cost.rho / 2)\n",
        CELLS,
    ),
    broken(
        "cells: another group is the same call",
        "curator/door/desk.py",
        '            "group": group,\n            "noise": describe_mechanism(noise),\n',
        '            "noise": describe_mechanism(noise),\n',
        CELLS,
    ),
    broken(
        "cells: a caller's arrays see exact numbers",
        "curator/door/cells.py",
        "np.array(numbers, copy=True, subok=False)",
        "np.array(numbers, copy=True, subok=True)",
        CELLS,
    ),
    broken(
        "cells: weights are what a caller says each time",
        "curator/door/cells.py",
        "object.__setattr__(self, name, tuple(getattr(self, name)))",
        "object.__setattr__(self, name, getattr(self, name))",
        CELLS,
    ),
    broken(
        "cells: one row makes sums long numbers",
        "curator/door/cells.py",
        "    if known.bound_row(group).l1 > LARGEST_ROW:\n",
        "    if False:\n",
        CELLS,
    ),
]
