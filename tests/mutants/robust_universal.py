"""Rules of estimators without bounds, of spanning trees, and of what is refused before the charge, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

UNIVERSAL = "tests/mechanisms/robust/test_universal.py"
PARTS = "tests/mechanisms/robust/test_universal_parts.py"
TREES = "tests/mechanisms/robust/test_spanning_tree.py"
REFUSALS = "tests/robust/test_refusals.py"
DOOR = "tests/curator/door/test_statistics.py"

MUTATIONS = [
    broken(
        "universal: a radius has noise for one row",
        "mechanisms/robust/universal_parts.py",
        "ratio_up(rows, Fraction(epsilon) * share)",
        "ratio_up(1, Fraction(epsilon) * share)",
        PARTS,
    ),
    broken(
        "universal: threshold and questions of a radius cost all of epsilon each",
        "mechanisms/robust/universal_parts.py",
        "for share in (THRESHOLD, 1 - THRESHOLD)]",
        "for share in (1, 1)]",
        PARTS,
    ),
    broken(
        "universal: a scale has noise for a pair that counts once",
        "mechanisms/robust/universal_parts.py",
        "SparseVector.calibrate(epsilon, 1, EIGHTH * rows)",
        "SparseVector.calibrate(epsilon, 1, rows)",
        PARTS,
    ),
    broken(
        "universal: few may be beyond a radius as the data say",
        "mechanisms/robust/universal_parts.py",
        "if run.decide(-beyond, -few):",
        "if run.decide(-beyond, -few - len(ordered)):",
        PARTS,
    ),
    broken(
        "universal: values are paired in their order",
        "mechanisms/robust/universal_parts.py",
        "mixed = values[draw_order(len(values))]",
        "mixed = values",
        PARTS,
    ),
    broken(
        "universal: orders with words that are alike stand",
        "mechanisms/robust/universal_parts.py",
        "if np.all(np.diff(words[order]) > 0):",
        "if np.all(np.diff(words[order]) >= 0):",
        PARTS,
    ),
    broken(
        "universal: noise that cannot be drawn is refused after the charge",
        "mechanisms/robust/universal.py",
        "            self._make_all()\n",
        "            pass\n",
        UNIVERSAL,
    ),
    broken(
        "universal: a replaced value moves a median by one",
        "mechanisms/robust/universal.py",
        "return self.rows if self.neighbours == Neighbours.ADD_REMOVE else 2 * self.rows",
        "return self.rows",
        UNIVERSAL,
    ),
    broken(
        "universal: a sum has noise for the widest value that is there",
        "mechanisms/robust/universal.py",
        "_add_noise(sum(around.tolist()), self.moved * radius, adding)",
        "_add_noise(sum(around.tolist()), self.moved * max([1, *abs(around).tolist()]), adding)",
        UNIVERSAL,
    ),
    broken(
        "universal: values beyond the radius count as they are",
        "mechanisms/robust/universal.py",
        "around = (held - center).clip(-radius, radius)",
        "around = held - center",
        UNIVERSAL,
    ),
    broken(
        "universal: squares beyond the radius count as they are",
        "mechanisms/robust/universal.py",
        "for each in distances.clip(0, radius).tolist())",
        "for each in distances.tolist())",
        UNIVERSAL,
    ),
    broken(
        "universal: a count is free",
        "mechanisms/robust/universal.py",
        "count = _add_noise(len(distances), self.rows, counting)",
        "count = len(distances)",
        UNIVERSAL,
    ),
    broken(
        "universal: quartiles cost half of epsilon each beside what came before",
        "mechanisms/robust/universal.py",
        "(*[Fraction(1, 12)] * 4, Fraction(1, 3), Fraction(1, 3))",
        "(*[Fraction(1, 12)] * 4, Fraction(1, 2), Fraction(1, 2))",
        UNIVERSAL,
    ),
    broken(
        "universal: a desk takes one that was made for other units",
        "curator/door/statistics.py",
        "        _check_made_for(statistic, plan.rows, relation)\n        return statistic.loss()",
        "        return statistic.loss()",
        DOOR,
    ),
    broken(
        "spanning tree: the smooth bound is that of these weights alone",
        "mechanisms/robust/spanning_tree.py",
        "parts = [(0, last, 0, self.keep(edge, last))] if last else []",
        "parts = [(0, last, 0, 0)] if last else []",
        TREES,
    ),
    broken(
        "spanning tree: cuts have one edge fewer",
        "mechanisms/robust/spanning_tree.py",
        "SmoothBound(Fraction(top), self.base, cut),",
        "SmoothBound(Fraction(top), self.base, cut + 1),",
        TREES,
    ),
    broken(
        "spanning tree: a fall to nothing is left out",
        "mechanisms/robust/spanning_tree.py",
        "SmoothBound(Fraction(top), self.base, cut),",
        "SmoothBound(Fraction(0), self.base, cut),",
        TREES,
    ),
    broken(
        "spanning tree: weights that reach a threshold are lighter than it",
        "mechanisms/robust/spanning_tree.py",
        "weight < self.levels[level]",
        "weight <= self.levels[level]",
        TREES,
    ),
    broken(
        "spanning tree: weights beyond the bound count as they are",
        "mechanisms/robust/spanning_tree.py",
        "return [max(0, min(self.bound, int(each))) for each in found]",
        "return [int(each) for each in found]",
        TREES,
    ),
    broken(
        "robust: groups that the policy does not declare are charged",
        "robust/measuring.py",
        '    check_declared(session.tables[people.table], f"a group of {by}", by, groups)\n',
        "",
        REFUSALS,
    ),
    broken(
        "robust: conditions with values that the policy does not declare are charged",
        "robust/people.py",
        "    check_comparisons(session.tables[people.table], name, found, people.parameters)\n",
        "",
        REFUSALS,
    ),
    broken(
        "robust: what is the same for everybody by its bounds is charged",
        "robust/people.py",
        "    if _is_constant(session, people, found):",
        "    if False:",
        REFUSALS,
    ),
]
