"""The rules of estimating a census and of going on with a run, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

FIT = "tests/topdown/estimate/test_tree_fit.py"
MODEL = "tests/topdown/estimate/test_tree_model.py"
KINDS = "tests/topdown/estimate/test_kinds.py"
ESTIMATING = "tests/topdown/running/test_estimating.py"
SOLVING = "tests/topdown/running/test_solving.py"
FOLDER = "tests/topdown/running/test_run_folder.py"
PROBLEM = "tests/topdown/running/test_problem.py"

TREE = "topdown/estimate/tree_model.py"

MUTATIONS = [
    broken(
        "census: variances leave out what the parent is unsure of",
        TREE,
        "exact = covariance - share @ covariance + gain @ around @ gain.swapaxes(1, 2)",
        "exact = covariance - share @ covariance",
        FIT,
    ),
    broken(
        "census: variances forget what the parent tells",
        TREE,
        "exact = covariance - share @ covariance + gain @ around @ gain.swapaxes(1, 2)",
        "exact = covariance",
        FIT,
    ),
    broken(
        "census: what is measured below is not carried up",
        TREE,
        "precision = each.precision + sum_precision",
        "precision = each.precision + 0 * sum_precision",
        FIT,
    ),
    broken(
        "census: what nothing determines has a variance",
        TREE,
        "        found[model.unknown.evaluate(query) > NEAR * cells] = np.inf\n",
        "",
        FIT,
        MODEL,
    ),
    broken(
        "census: areas with several children know what their parent knows",
        TREE,
        "np.where(children == 1, inherited, frame.unseen)",
        "np.where(children >= 1, inherited, frame.unseen)",
        FIT,
    ),
    broken(
        "census: what is measured above is not carried down",
        "topdown/estimate/tree_fit.py",
        "return np.asarray(upward + model.downward[level].gain.multiply(missing, areas))",
        "return upward",
        FIT,
    ),
    broken(
        "census: readings of other queries are fitted by the same model",
        "topdown/estimate/tree_fit.py",
        "    if tuple((each.level, each.query, each.variance) for each in readings) != model.measured:\n",
        "    if False:\n",
        FIT,
    ),
    broken(
        "census: public numbers may contradict one another in a smallest area",
        "topdown/estimate/tree_fit.py",
        "    if sum(each.variance == 0 for each in fit.values[last].readings) > 1:\n",
        "    if False:\n",
        FIT,
    ),
    broken(
        "census: all readings weigh the same",
        "topdown/estimate/level_frame.py",
        "sum((gram[place] / each.variance for gram, each in noisy), nothing)",
        "sum((gram[place] for gram, each in noisy), nothing)",
        FIT,
    ),
    broken(
        "census: trees with other numbers of children are known alike",
        "topdown/estimate/kinds.py",
        "of[area] = kinds.setdefault(children.tobytes(), len(kinds))",
        "of[area] = kinds.setdefault(b'', 0)",
        KINDS,
        FIT,
    ),
    broken(
        "census: a run that goes on forgets its levels",
        "topdown/running/estimating.py",
        "        if kept is not None and kept.exists():\n",
        "        if False:\n",
        ESTIMATING,
    ),
    broken(
        "census: levels are not kept",
        "topdown/running/estimating.py",
        "            keep_level(kept, solved)\n",
        "            pass\n",
        ESTIMATING,
    ),
    broken(
        "census: margins and levels of other measurements are gone on with",
        "topdown/running/run_folder.py",
        '        if known.get("measured") != measured:\n',
        "        if False:\n",
        FOLDER,
    ),
    broken(
        "census: a finished release of other measurements stays finished",
        "topdown/running/run_folder.py",
        "            (self.path / FINISHED).unlink(missing_ok=True)\n",
        "",
        FOLDER,
    ),
    broken(
        "census: a folder of another spec is gone on with",
        "topdown/running/run_folder.py",
        "    if known is not None and not _is_own(known, own) and not _is_unused(path, known, own):\n",
        "    if False:\n",
        FOLDER,
    ),
    broken(
        "census: two processes work in one folder",
        "topdown/running/run_folder.py",
        "        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)\n",
        "        pass\n",
        FOLDER,
    ),
    broken(
        "census: a task's parents are the first ones",
        "topdown/running/solving.py",
        "children = slice(int(bounds[first + place]), int(bounds[first + place + 1]))",
        "children = slice(int(bounds[place]), int(bounds[place + 1]))",
        SOLVING,
    ),
    broken(
        "census: every parent keeps the public numbers of the first one's children",
        "topdown/running/solving.py",
        "return replace(invariant, values=invariant.values[children], most=most)",
        "return replace(invariant, values=invariant.values[: children.stop - children.start], most=most)",
        SOLVING,
        ESTIMATING,
    ),
    broken(
        "census: people are put where nobody can be",
        "topdown/running/solving.py",
        "        return self.problem.schema.impossible.reshape(-1)\n",
        "        return np.zeros(self.problem.schema.cells, dtype=bool)\n",
        ESTIMATING,
    ),
    broken(
        "census: least numbers are taken for exact ones",
        "topdown/running/problem.py",
        "for each in self.stated if each.exact]",
        "for each in self.stated]",
        PROBLEM,
    ),
    broken(
        "census: a family of queries crosses what is public",
        "topdown/running/problem.py",
        "all(_are_nested(query, other) for other in [*chosen, *fixed])",
        "all(_are_nested(query, other) for other in chosen)",
        PROBLEM,
    ),
    broken(
        "census: rules that were broken are not told",
        "topdown/running/solving.py",
        "        for each in found.violations\n",
        "        for each in found.violations[:0]\n",
        SOLVING,
    ),
    broken(
        "census: answers are rounded without their family",
        "topdown/running/solving.py",
        "            family=job.problem.families[level],\n",
        "",
        SOLVING,
    ),
]
