"""Computing on what was released, each rule broken once: only released values are read, and intervals are right."""

from __future__ import annotations

from mutants.mutant import broken

WINDOWS = "tests/query/select/test_windows.py"
WRAPPING = "tests/query/select/test_wrapping.py"
ACROSS = "tests/curator/estimates/test_across.py"
DECLARED = "tests/curator/estimates/test_declared_order.py"

READING = [
    broken(
        "declared order: rows are shown with one another's numbers",
        "curator/estimates/values.py",
        "                return sorted(listed, key=lambda each: self._rank(places, each[1]))\n",
        "                return enumerate(sorted((each for _, each in listed), key=lambda x: self._rank(places, x)))\n",
        DECLARED,
    ),
    broken(
        "windows: those over rows are answered with whatever was released",
        "query/build.py",
        '        if not self.select.args.get("group") and not has_aggregate(self.select):\n',
        '        if self.select.args.get("where"):\n',
        WINDOWS,
    ),
    broken(
        "windows: a column of rows inside is refused in other words",
        "query/select/windows.py",
        "            raise explain_refusal(window) from None\n",
        "            raise\n",
        WINDOWS,
    ),
    broken(
        "windows: HAVING sees them",
        "query/select/finishing.py",
        "    if having is not None and any(each.name in names for each in find_computed([having])):\n",
        "    if having is None and names == set():\n",
        WINDOWS,
    ),
    broken(
        "windows: HAVING chooses after them",
        "query/select/finishing.py",
        "stages=(*finish.stages, Stage(having, columns)))",
        "stages=(*finish.stages, Stage(None, columns)))",
        WINDOWS,
    ),
    broken(
        "windows: keys are chosen by scores although values are shown",
        "query/select/picking.py",
        "    if finish.stages or len(question.aggregates) != 1",
        "    if len(question.aggregates) != 1",
        WRAPPING,
    ),
    broken(
        "windows: a function at its second meeting is another column",
        "query/select/windows.py",
        "            if known.made == made:\n",
        "            if known.made.function == made.function:\n",
        WINDOWS,
    ),
    broken(
        "windows: FILTER is forgotten",
        "curator/release/finish_sql.py",
        '    kept = f" FILTER (WHERE {write_sql(made.where)})" if made.where is not None else ""\n',
        '    kept = ""\n',
        WINDOWS,
        WRAPPING,
    ),
    broken(
        "windows: GROUP BY ALL groups by them",
        "query/spelling.py",
        "if not each.find(exp.AggFunc, exp.Window)]",
        "if isinstance(each.unalias(), exp.Window) or not each.find(exp.AggFunc)]",
        WINDOWS,
    ),
    broken(
        "answers again: MODE is aggregated",
        "query/select/wrapping.py",
        "        if self.inner.pick is not None and before:\n",
        "        if self.inner.pick is not None and not before:\n",
        WRAPPING,
    ),
    broken(
        "answers again: LIMIT inside cuts after WHERE outside",
        "query/select/wrapping.py",
        "            inner = replace(inner, having=None, limit=None, offset=0, stages=(*inner.stages, cut))\n",
        "            inner = replace(inner, stages=(*inner.stages, replace(cut, limit=None, offset=0)))\n",
        WRAPPING,
        "tests/query/select/test_finishing.py",
    ),
    broken(
        "answers again: ARG_MAX forgets windows and cuts inside",
        "query/select/wrapping.py",
        "        if inner.limit is not None or inner.offset or inner.stages:\n",
        "        if inner.limit is not None or inner.offset:\n",
        WRAPPING,
    ),
    broken(
        "answers again: clamped counts are added to groups",
        "query/bounding/clamping.py",
        "    if columns and question.finish.grouped:\n",
        "    if columns and question.finish.limit == -1:\n",
        "tests/query/bounding/test_clamping.py",
    ),
]

INTERVALS = [
    broken(
        "across: noise that chose the rows does not matter",
        "curator/estimates/across.py",
        "    if any(is_noisy(each) for each in made.find_choices()):\n",
        "    if any(is_noisy(each) for each in ()):\n",
        ACROSS,
    ),
    broken(
        "across: only the order and parts of a window count as choices",
        "plan/windows.py",
        "        yield from self.chosen\n",
        "",
        ACROSS,
    ),
    broken(
        "across: noisy groups are chosen by nothing",
        "query/select/windows.py",
        "partition=keys, where=where, grouped=True",
        "partition=(), where=where, grouped=True",
        ACROSS,
    ),
    broken(
        "across: a cut by noisy values chooses nothing",
        "plan/windows.py",
        "        return (*kept, *(term.by for term in self.order if cut))\n",
        "        return (*kept, *(term.by for term in self.order if not cut))\n",
        ACROSS,
    ),
    broken(
        "across: HAVING before windows chooses nothing",
        "query/select/finishing.py",
        "    chosen = () if having is None else (having,)\n",
        "    chosen: tuple[Expression, ...] = ()\n",
        ACROSS,
    ),
    broken(
        "across: keys from the data are all there are",
        "curator/estimates/across.py",
        "    if priced.selection is not None:\n",
        "    if priced.choice is not None:\n",
        ACROSS,
    ),
    broken(
        "across: means of groups that may be empty have intervals",
        "curator/estimates/arithmetic.py",
        "    return kind in COUNTS or kind in SUMS\n",
        "    return True\n",
        ACROSS,
    ),
    broken(
        "across: a total errs as one row does",
        "curator/estimates/totals.py",
        "    if count <= 1:\n",
        "    if count <= 1000:\n",
        "tests/curator/estimates/test_totals.py",
    ),
    broken(
        "across: an average errs as its total does",
        "curator/estimates/across.py",
        '                width = width / rows if column.made.function == "avg" else width\n',
        "",
        ACROSS,
    ),
    broken(
        "across: a deviation grows with every value",
        "curator/estimates/across.py",
        'BOUNDED = ("sum", "avg", "min", "max", *SINGLE)\n',
        'BOUNDED = ("sum", "avg", "min", "max", "stddev_samp", *SINGLE)\n',
        ACROSS,
    ),
    broken(
        "across: what is computed twice has an interval",
        "curator/estimates/across.py",
        "    if any(isinstance(each, Computed) for each in find_columns(made.arguments[0])):\n",
        "    if made.grouped and made.where is not None:\n",
        ACROSS,
    ),
    broken(
        "across: the note about groups left out is not given",
        "curator/estimates/assemble.py",
        "        notes.append(ACROSS)\n",
        "        pass\n",
        ACROSS,
    ),
]

SHOWN = [
    broken(
        "windows: rows of equal order come as they like",
        "curator/release/finish_sql.py",
        '    if made.function in BY_ROW or made.frame.startswith("ROWS"):\n        terms += numbers\n',
        '    if made.function in BY_ROW or made.frame.startswith("ROWS"):\n        terms.append(f"{NUMBER} DESC")\n',
        WINDOWS,
    ),
]

MUTATIONS = [*READING, *INTERVALS, *SHOWN]
