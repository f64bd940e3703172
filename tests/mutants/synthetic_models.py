"""The rules of what is said about a synthetic table, each broken once: intervals, and the two pages of the report."""

from __future__ import annotations

from mutants.mutant import broken

ESTIMATES = "tests/synthetic/intervals/test_estimates.py"
NOISE_SUMS = "tests/synthetic/intervals/test_noise_sums.py"
VIEWS = "tests/synthetic/intervals/test_views.py"
PAGE = "tests/synthetic/report/test_page.py"
PARTS = "tests/synthetic/report/test_parts.py"

MUTATIONS = [
    broken(
        "synthetic intervals: every step that was chosen by earlier noise has the whole miss",
        "synthetic/intervals/estimates.py",
        "step.find_ends(miss / used if last else miss / (used * (used + 1)))",
        "step.find_ends(miss)",
        ESTIMATES,
    ),
    broken(
        "synthetic intervals: every step is taken for the last",
        "synthetic/intervals/estimates.py",
        "last = place == len(steps) - 1",
        "last = True",
        ESTIMATES,
    ),
    broken(
        "synthetic intervals: steps are averaged as if all had been planned",
        "synthetic/intervals/estimates.py",
        "    for place, views in enumerate(steps):\n",
        "    for place, views in enumerate([[view for step in steps for view in step]]):\n",
        ESTIMATES,
    ),
    broken(
        "synthetic intervals: those that contradict each other leave nothing",
        "synthetic/intervals/estimates.py",
        "    if low > high:",
        "    if False:",
        ESTIMATES,
    ),
    broken(
        "synthetic intervals: all cells together miss as often as one",
        "synthetic/intervals/estimates.py",
        '(values.size if check.flag("together", together) else 1)',
        '(1 if check.flag("together", together) else 1)',
        ESTIMATES,
    ),
    broken(
        "synthetic intervals: a sum over other columns has the noise of one answer",
        "synthetic/intervals/views.py",
        "int(merged.sum()) * each)",
        "int(merged.sum()))",
        VIEWS,
    ),
    broken(
        "synthetic intervals: a set that cuts through a bin is the whole bin",
        "synthetic/intervals/views.py",
        "            if (some != np.logical_and.reduceat(sorted_cells, starts, axis=axis)).any():\n",
        "            if False:\n",
        VIEWS,
    ),
    broken(
        "synthetic intervals: a sum of noises misses twice as often",
        "synthetic/intervals/noise_sums.py",
        "return 1 - inside <= allowed",
        "return 1 - inside <= 2 * allowed",
        NOISE_SUMS,
    ),
    broken(
        "synthetic intervals: every draw of a sum has the whole miss",
        "synthetic/intervals/noise_sums.py",
        "_bound_each(terms, miss / draws)",
        "_bound_each(terms, miss)",
        NOISE_SUMS,
    ),
    broken(
        "synthetic report: the owner's part is on the public page",
        "synthetic/report/page.py",
        "    pages = {public: render_page(model)}\n",
        '    pages = {public: render_page(model) + ("" if owner is None else render_owner_page(model, owner))}\n',
        PAGE,
    ),
    broken(
        "synthetic report: anybody may read the owner's page",
        "synthetic/report/page.py",
        "0o644 if target == public else 0o600",
        "0o644",
        PAGE,
    ),
    broken(
        "synthetic report: the owner's page ends without its warning",
        "synthetic/report/owner_page.py",
        "        alarm,\n    ]\n",
        "    ]\n",
        PAGE,
    ),
    broken(
        "synthetic report: the owner's page has the title of the public one",
        "synthetic/report/owner_page.py",
        'f"NOT PRIVATE: synthetic model of',
        'f"Synthetic model of',
        PAGE,
    ),
    broken(
        "synthetic report: residuals are in deviations of the residuals",
        "synthetic/report/residuals.py",
        "(noisy - expected) / math.sqrt(reading.variance)",
        "(noisy - expected) / max(float(np.std(noisy - expected)), 1e-9)",
        PARTS,
    ),
    broken(
        "synthetic report: names may be tags",
        "answers/drawing.py",
        "return escape(to_one_line(text), quote=True)",
        "return to_one_line(text)",
        PAGE,
    ),
    broken(
        "synthetic report: labels may hold what turns a line around",
        "answers/drawing.py",
        "line = to_one_line(text) or '\"\"'",
        "line = text or '\"\"'",
        PAGE,
    ),
]
