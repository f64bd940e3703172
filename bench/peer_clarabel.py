"""Solve the programs that `topdown_clarabel.py` wrote with Clarabel: run by a Python that has it, and not discreet.

`python bench/peer_clarabel.py FOLDER` writes `found.json` there: for each file what Clarabel says of it.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

clarabel: Any = importlib.import_module("clarabel")

TOLERANCE = 1e-11
"""Asked of gaps and residuals: an interior point method errs by a little more."""


def solve(curvature: Any, cost: Any, matrix: Any, lower: Any, upper: Any) -> dict[str, Any]:
    """Minimise x'Cx / 2 + cost'x with lower <= matrix x <= upper; rows with equal bounds are equations."""
    same = lower == upper
    above, below = ~same & np.isfinite(lower), ~same & np.isfinite(upper)
    rows = sparse.vstack([matrix[same], -matrix[above], matrix[below]], format="csc")
    bounds = np.concatenate([lower[same], -lower[above], upper[below]])
    cones = [clarabel.ZeroConeT(int(same.sum())), clarabel.NonnegativeConeT(int(above.sum() + below.sum()))]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TOLERANCE
    settings.max_iter = 500
    start = time.process_time()
    solver = clarabel.DefaultSolver(sparse.triu(curvature, format="csc"), cost, rows, bounds, cones, settings)
    found = solver.solve()
    return {
        "status": str(found.status),
        "objective": float(found.obj_val),
        "dual": float(found.obj_val_dual),
        "seconds": time.process_time() - start,
    }


def read_quadratic(file: Any) -> tuple[Any, ...]:
    """Return the nearest counts' program, in deviations of the counts that may be, child by child."""
    allowed, which, matrices = file["allowed"], file["which"], file["matrices"]
    blocks = [2 * matrices[kind][np.ix_(mask, mask)] for kind, mask in zip(which, allowed, strict=True)]
    columns = np.zeros(allowed.shape, dtype=np.int64)
    columns[allowed] = np.arange(allowed.sum())
    width = int(allowed.sum())
    parts, lower, upper = [sparse.eye_array(width)], [-file["targets"][allowed]], [np.full(width, np.inf)]
    if "people" in file:
        children, cells = np.nonzero(allowed)
        places = cells, columns[children, cells]
        parts.append(sparse.csr_array((np.ones(width), places), shape=(allowed.shape[1], width)))
        left = file["people"] - (file["targets"] * allowed).sum(axis=0)
        lower, upper = [*lower, left], [*upper, left]
    for child, members, low, high in zip(
        file["row_children"], file["row_members"], file["row_lower"], file["row_upper"], strict=True
    ):
        cells = np.flatnonzero(members & allowed[child])
        row = sparse.csr_array((np.ones(len(cells)), (np.zeros(len(cells)), columns[child, cells])), shape=(1, width))
        off = file["targets"][child, cells].sum()
        parts, lower, upper = [*parts, row], [*lower, np.array([low - off])], [*upper, np.array([high - off])]
    cost = file["linear"][allowed]
    matrix = sparse.vstack(parts, format="csr")
    return sparse.block_diag(blocks, format="csc"), cost, matrix, np.concatenate(lower), np.concatenate(upper)


def read_linear(file: Any) -> tuple[Any, ...]:
    """Return the rounding's linear program."""
    width = len(file["cost"])
    matrix = sparse.csr_array((file["entries"], (file["rows"], file["columns"])), shape=(len(file["lower"]), width))
    matrix = sparse.vstack([matrix, sparse.eye_array(width)], format="csr")
    lower = np.concatenate([file["lower"], np.zeros(width)])
    upper = np.concatenate([file["upper"], np.ones(width)])
    return sparse.csc_array((width, width)), file["cost"], matrix, lower, upper


def main() -> None:
    folder, found = Path(sys.argv[1]), {}
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as file:
            arrays = dict(file)
        read = read_quadratic if path.name.startswith("nearest") else read_linear
        told = solve(*read(arrays))
        for name in ("objective", "dual"):
            told[name] += float(arrays["constant"])
        found[path.stem] = told
    told = {"version": clarabel.__version__, "found": found}
    (folder / "found.json").write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main()
