"""The rules of intervals of true counts, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

INTERVALS = "topdown/running/intervals.py"
HELD = "tests/topdown/running/test_intervals.py"

MUTATIONS = [
    broken(
        "census intervals: ends are rounded inward, as if noise were not rounded",
        INTERVALS,
        "np.rint(least + scale * below)",
        "np.ceil(least + scale * below)",
        HELD,
    ),
    broken(
        "census intervals: next to the bound less is accepted",
        INTERVALS,
        "CONFIDENCE = 0.95\n",
        "CONFIDENCE = 0.93\n",
        HELD,
    ),
    broken(
        "census intervals: an estimate below the bound proves that nobody is there",
        INTERVALS,
        "np.where(u >= 0, u + Z, np.interp(u, ends.lower, ends.truths))",
        "np.maximum(u + Z, 0.0)",
        HELD,
    ),
    broken(
        "census intervals: deviations count from 0 and not from the public least",
        INTERVALS,
        "(estimates - least) / scale",
        "estimates / scale",
        HELD,
    ),
    broken(
        "census intervals: a public answer that lies across others is the least of each",
        INTERVALS,
        "inside = touches * (touches.sum(axis=1, keepdims=True) == 1)",
        "inside = touches",
        HELD,
    ),
    broken(
        "census intervals: an answer that public ones only touch is shut where one of them is",
        INTERVALS,
        "@ touches > 0",
        "@ touches > 99",
        HELD,
    ),
]
