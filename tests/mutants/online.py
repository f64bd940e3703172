"""The rules of questions that arrive one by one, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

ROUTE = "tests/synthetic/online/test_route.py"
BOOK = "tests/synthetic/online/test_book.py"
INFERENCE = "tests/synthetic/online/test_inference.py"
CUT = "tests/query/test_cut_first.py"

MUTATIONS = [
    broken(
        "online: units are cut by what each question reads",
        "engines/rows.py",
        " | {each.name: get_stored_type(each) for each in scan.content}",
        "",
        CUT,
        ROUTE,
    ),
    broken(
        "online: questions with tighter limits are combined",
        "synthetic/online/reading.py",
        "or plan.selects(0) or not cuts_nothing(frame.scan, plan)",
        "or plan.selects(0)",
        ROUTE,
    ),
    broken(
        "online: versions of the data are combined",
        "synthetic/online/frame.py",
        'return f"{hash_plan(self.plan)} {version}"',
        "return hash_plan(self.plan)",
        ROUTE,
    ),
    broken(
        "online: intervals forget that cells were chosen after a look",
        "synthetic/online/counts.py",
        "bound_equal_sum(noise, count, share + weight)",
        "bound_equal_sum(noise, count, math.log(miss))",
        BOOK,
    ),
    broken(
        "online: a histogram is bought for what it costs",
        "synthetic/online/book.py",
        "return spent / PATIENCE - paid",
        "return spent - paid",
        BOOK,
    ),
    broken(
        "online: a histogram that is wider than a direct answer is used",
        "synthetic/online/book.py",
        "return (number, each) if widest <= width else None",
        "return (number, each)",
        BOOK,
    ),
    broken(
        "online: what does not fit into the asker's cap is used",
        "synthetic/online/ways.py",
        "    if inference is not None and fits(",
        "    if inference is not None and bool(",
        ROUTE,
    ),
    broken(
        "online: the policy's most is not held",
        "synthetic/online/route.py",
        " or not self._is_allowed(asked.frame.table, bought)",
        "",
        ROUTE,
    ),
    broken(
        "online: factors are left as floats made them",
        "synthetic/online/inference.py",
        "    for at, place in enumerate(base):\n",
        "    return [(int(used[at]), Fraction(float(factors[used[at]]))) for at in range(len(used))]\n"
        "    for at, place in enumerate(base):\n",
        INFERENCE,
    ),
]
