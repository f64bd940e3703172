"""The rules of a census spec, each broken once: what is wrong is named before the charge."""

from __future__ import annotations

from mutants.mutant import broken

ALLOCATION = "tests/topdown/spec/test_allocation.py"
SHARES = "tests/topdown/spec/test_reading_shares.py"
SPINE = "tests/topdown/spec/test_spine.py"
GEOGRAPHY = "tests/topdown/spec/test_geography.py"
INVARIANTS = "tests/topdown/spec/test_reading_invariants.py"
PROPAGATION = "tests/topdown/spec/test_propagation.py"
BOUNDS = "tests/topdown/spec/test_bounds.py"
SCHEMA = "tests/topdown/spec/test_schema.py"

MUTATIONS = [
    broken(
        "census: invariants may give every count",
        "topdown/spec/reading_invariants.py",
        'if kind == "exact" and level == self.spine.geography.leaves.name and _tells_all(query):',
        "if False:",
        INVARIANTS,
    ),
    broken(
        "census: private files are public under another name",
        "topdown/spec/files.py",
        "any(os.path.samefile(path, each) for each in glob.iglob(str(place), recursive=True))",
        "False",
        "tests/topdown/spec/test_files.py",
    ),
    broken(
        "census: exact totals are taken where a person more makes a neighbour",
        "topdown/spec/reading_invariants.py",
        'if kinds == ["exact"] and self.neighbours is Neighbours.ADD_REMOVE:',
        "if False:",
        "tests/topdown/spec/test_reading.py",
    ),
    broken(
        "census: an allocation's shares may be less than 1 in all",
        "topdown/spec/allocation.py",
        "    if total != 1:\n",
        "    if total > 1:\n",
        ALLOCATION,
    ),
    broken(
        "census: an allocation's shares may be more than 1 in all",
        "topdown/spec/allocation.py",
        "    if total != 1:\n",
        "    if total < 1:\n",
        ALLOCATION,
    ),
    broken(
        "census: negative shares make room for others",
        "topdown/spec/allocation.py",
        "    if any(share < 0 for share in shares):\n",
        "    if False:\n",
        ALLOCATION,
    ),
    broken(
        "census: shares in a file need not add up",
        "topdown/spec/reading_shares.py",
        "    if total == 1:\n",
        "    if total:\n",
        SHARES,
    ),
    broken(
        "census: rho of an epsilon is rounded up",
        "topdown/spec/allocation.py",
        "rho = Fraction(int(STEPS_OF_RHO / (2 * sigma**2)), STEPS_OF_RHO)",
        "rho = Fraction(int(STEPS_OF_RHO / (2 * sigma**2)) + 1, STEPS_OF_RHO)",
        ALLOCATION,
        SHARES,
    ),
    broken(
        "census: an area of no whole is taken for one of its own",
        "topdown/spec/spine.py",
        "        if column.null_count:\n",
        "        if False:\n",
        SPINE,
    ),
    broken(
        "census: the whole may have several parts without a parent",
        "topdown/spec/spine.py",
        "    if len(names[0]) > 1:\n",
        "    if False:\n",
        SPINE,
    ),
    broken(
        "census: a smallest area may be in two rows",
        "topdown/spec/spine.py",
        "    if smallest.max() > 1:\n",
        "    if False:\n",
        SPINE,
    ),
    broken(
        "census: an area may have two parents",
        "topdown/spec/spine.py",
        "        if len(torn):\n",
        "        if False:\n",
        SPINE,
    ),
    broken(
        "census: a stand-in may have the name of a real area",
        "topdown/spec/spine.py",
        "        both = np.intersect1d(rank[gaps], rank[~gaps])\n",
        "        both = rank[:0]\n",
        SPINE,
    ),
    broken(
        "census: parents without children are accepted",
        "topdown/spec/geography.py",
        "if not np.array_equal(np.unique(parents), np.arange(len(above))):",
        "if False:",
        GEOGRAPHY,
    ),
    broken(
        "census: areas that the geography does not have are left out",
        "topdown/spec/reading_invariants.py",
        "    if len(missing):\n",
        "    if False:\n",
        INVARIANTS,
    ),
    broken(
        "census: the last of two numbers for one answer counts",
        "topdown/spec/reading_invariants.py",
        "        if times.max(initial=0) > 1:\n",
        "        if False:\n",
        INVARIANTS,
    ),
    broken(
        "census: exact numbers that are missing are 0",
        "topdown/spec/reading_invariants.py",
        'if kind == "exact" and not times[~silent].all():',
        "if False:",
        INVARIANTS,
    ),
    broken(
        "census: what is known of children is not known of parents",
        "topdown/spec/propagation.py",
        "            below = [each.add_up(starts) for each in sharp]\n",
        "            below = []\n",
        PROPAGATION,
    ),
    broken(
        "census: bounds are added up over some children only",
        "topdown/spec/bounds.py",
        "        low = np.add.reduceat(self.low, starts, axis=0)\n",
        "        low = self.low[starts]\n",
        PROPAGATION,
    ),
    broken(
        "census: children of which nothing is known have nobody",
        "topdown/spec/bounds.py",
        "return AnswerBounds(self.query, low, np.where(unknown, NO_MOST, known), self.names)",
        "return AnswerBounds(self.query, low, known, self.names)",
        PROPAGATION,
    ),
    broken(
        "census: numbers may contradict one another by one person",
        "topdown/spec/bounds.py",
        "        wrong = np.argwhere(self.low > self.high)\n",
        "        wrong = np.argwhere(self.low > self.high + 1)\n",
        PROPAGATION,
    ),
    broken(
        "census: invariants do not sharpen one another",
        "topdown/spec/propagation.py",
        "sharp = sharpen([*merged, whole] if without else merged)",
        "sharp = [*merged, whole] if without else merged",
        PROPAGATION,
    ),
    broken(
        "census: public numbers may be where nobody can be",
        "topdown/spec/propagation.py",
        "    if possible.all():\n",
        "    if True:\n",
        PROPAGATION,
    ),
    broken(
        "census: zeros are forgotten",
        "topdown/spec/schema.py",
        "            found[np.ix_(*picks)] = True\n",
        "            found[np.ix_(*picks)] = False\n",
        SCHEMA,
    ),
    broken(
        "census: zeros may leave nothing",
        "topdown/spec/schema.py",
        "        if self.impossible.all():\n",
        "        if False:\n",
        SCHEMA,
    ),
    broken(
        "census: an implied upper bound is forgotten where it says more",
        "topdown/spec/bounds.py",
        "np.where((high != 0) & (high >= left), NO_MOST, high)",
        "np.where(high != 0, NO_MOST, high)",
        PROPAGATION,
        BOUNDS,
    ),
]
