"""Every solve of a census estimate beside Clarabel's: a generated state, all levels, all parents.

    python3 -m venv .venv-clarabel && .venv-clarabel/bin/pip install -r bench/clarabel.txt
    .venv/bin/python bench/topdown_clarabel.py .venv-clarabel/bin/python 400

Each program is written out anew from what is public and read: the precision of an area as a dense matrix, multiplied
out by its blocks, and the invariants as they are known of the areas. Nothing of the solver's own is in it: neither its
regions nor its restricted precisions, nor the rows of its rounding. *Nearest* are the real counts, compared by the sum
of squares over all cells; *whole* is the linear program of their rounding, compared by the L1 distance.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.noise.coin import Bools
from discreet.topdown.estimate.area_matrices import AreaMatrices
from discreet.topdown.example.state import make_state
from discreet.topdown.planning.noise import plan_noise
from discreet.topdown.running.counts import SparseCounts
from discreet.topdown.running.estimating import fit_held, model_readings, open_job
from discreet.topdown.running.held_readings import HeldReading, simulate_readings
from discreet.topdown.running.problem import make_problem
from discreet.topdown.running.solving import SolveBasis, SolveJob
from discreet.topdown.solve.children import Solution, solve_children, solve_root
from discreet.topdown.solve.rounding import WHOLE
from discreet.topdown.spec.invariants import NO_MOST, Invariant
from discreet.topdown.spec.reading import read_spec
from timing import markdown

PEOPLE = 450_000 / 9_900
"""For each block."""


@dataclass(frozen=True, eq=False)
class Solve:
    """One solve: what it was given, and what was found."""

    level: int
    areas: slice
    parent: Ints | None
    targets: Floats
    known: list[Invariant]
    found: Solution
    seconds: float


def draw_job(folder: Path, blocks: int) -> SolveJob:
    """Return the estimate of a generated state's tree, from one draw of the settings of 2020."""
    sizes = (blocks, max(2, blocks * 300 // 9900), max(2, blocks * 100 // 9900), max(1, blocks * 10 // 9900))
    state = make_state(folder, *sizes, round(blocks * PEOPLE))
    spec = read_spec(state.spec)
    leaves = SparseCounts.of_dense(state.people.count_cells().astype(np.int64))
    levels = spec.geography.levels
    truth = [leaves.add_up(spec.geography.ancestors[place], len(level)) for place, level in enumerate(levels)]
    plans = [HeldReading(each.level, each.query, each.variance, each.sigma, Path()) for each in plan_noise(spec).draws]
    readings = simulate_readings(plans, truth, folder, np.random.default_rng(1))
    problem = make_problem(spec)
    model = model_readings(problem, readings)
    return open_job(SolveBasis(problem, model), fit_held(problem, model, readings).inner, readings)


def solve_all(job: SolveJob) -> Iterator[Solve]:
    """Yield all solves from the top down, as a run makes them."""
    counts: Ints = np.zeros((0, 0), dtype=np.int64)
    for level, areas in enumerate(job.problem.geography.levels):
        found = []
        bounds = [0, 1] if level == 0 else areas.bound_children(len(counts)).tolist()
        for place, (first, last) in enumerate(pairwise(bounds)):
            some = slice(first, last)
            parent = None if level == 0 else counts[place]
            targets = job.find_targets(level, some)
            known = [_cut(each, some) for each in job.problem.known[level]]
            given: dict[str, Any] = {
                "impossible": job.basis.impossible,
                "invariants": known,
                "family": job.problem.families[level],
            }
            precision = job.basis.find_table(level).take(some)
            start = time.process_time()
            solved = (
                solve_root(targets, precision, **given)
                if parent is None
                else solve_children(parent, targets, precision, **given)
            )
            yield Solve(level, some, parent, targets, known, solved, time.process_time() - start)
            found.append(solved.counts)
        counts = np.concatenate(found)


def _cut(invariant: Invariant, some: slice) -> Invariant:
    most = None if invariant.most is None else invariant.most[some]
    return Invariant(invariant.name, invariant.level, invariant.query, invariant.values[some], invariant.exact, most)


def list_bounds(known: Sequence[Invariant]) -> Iterator[tuple[int, Bools, int, int]]:
    """Yield every bound of an answer: the child, the cells in it, the least and the most."""
    for each in known:
        for child, answer in np.ndindex(*each.values.shape):
            low = int(each.values[child, answer])
            high = low if each.exact else NO_MOST
            if each.most is not None:
                high = min(high, int(each.most[child, answer]))
            if low > 0 or high < NO_MOST:
                yield child, each.query.places == answer, low, high


class DensePrecisions:
    """The matrices of a level written out, one for each kind of area."""

    def __init__(self, matrices: AreaMatrices, cells: int) -> None:
        self.kinds = matrices.kinds
        self._matrices, self._cells = matrices, cells
        self._found: dict[int, Floats] = {}

    def write(self, kind: int) -> Floats:
        """Return a kind's matrix, multiplied out column by column."""
        if kind not in self._found:
            area = int(np.flatnonzero(self.kinds == kind)[0])
            unit = np.eye(self._cells)
            self._found[kind] = self._matrices.apply(unit, np.full(self._cells, area))
        return self._found[kind]


def write_nearest(path: Path, solve: Solve, impossible: Bools, dense: DensePrecisions) -> None:
    """Write the quadratic program of a solve: counts of cells that may be, in deviations from their targets."""
    children, width = solve.targets.shape
    allowed = np.broadcast_to(~impossible, (children, width)).copy()
    if solve.parent is not None:
        allowed &= solve.parent > 0
    bounds = list(list_bounds(solve.known))
    for child, members, _, high in bounds:
        if high == 0:
            allowed[child, members] = False
    rows = [each for each in bounds if each[3] > 0]
    outside = np.where(allowed, 0.0, -solve.targets)
    kinds, which = np.unique(dense.kinds[solve.areas], return_inverse=True)
    weighed = np.stack([dense.write(int(kinds[kind])) @ row for kind, row in zip(which, outside, strict=True)])
    cells = np.flatnonzero(allowed.any(axis=0))
    given: dict[str, Any] = {} if solve.parent is None else {"people": solve.parent[cells]}
    np.savez(
        path,
        allowed=allowed[:, cells],
        which=which,
        matrices=np.stack([dense.write(int(kind))[np.ix_(cells, cells)] for kind in kinds]),
        targets=solve.targets[:, cells],
        linear=2 * weighed[:, cells],
        constant=float((outside * weighed).sum()),
        row_children=np.array([child for child, _, _, _ in rows], dtype=np.int64),
        row_members=np.array([members[cells] for _, members, _, _ in rows], dtype=bool).reshape(len(rows), len(cells)),
        row_lower=np.array([low for _, _, low, _ in rows], dtype=np.float64),
        row_upper=np.array([np.inf if high == NO_MOST else high for _, _, _, high in rows], dtype=np.float64),
        **given,
    )


def write_whole(path: Path, solve: Solve, family: Sequence[Any]) -> bool:
    """Write the linear program of a rounding, from its definition; say whether there was anything to round."""
    real = solve.found.continuous
    real = np.where(np.abs(real - np.rint(real)) <= WHOLE, np.rint(real), real)
    base = np.floor(real)
    parts = real - base
    children, cells = np.nonzero(parts)
    if not len(children):
        return False
    columns = np.full(real.shape, -1)
    columns[children, cells] = np.arange(len(children))
    cost = list(1 - 2 * parts[children, cells])
    constant = float(parts.sum())
    rows: list[tuple[list[int], int | None, float, float]] = []
    if solve.parent is not None:
        for cell in np.unique(cells):
            left = float(solve.parent[cell] - base[:, cell].sum())
            rows.append((columns[columns[:, cell] >= 0, cell].tolist(), None, left, left))
    total = np.zeros(real.shape[1], dtype=np.int64)
    for places in [total, *(query.places for query in family if query.size > 1)]:
        for child in np.unique(children):
            for answer in np.unique(places[cells[children == child]]):
                members = columns[child, (places == answer) & (columns[child] >= 0)].tolist()
                share = float(parts[child, places == answer].sum())
                floor = np.rint(share) if abs(share - np.rint(share)) <= 10 * WHOLE else np.floor(share)
                ceiling = None
                if share - floor > 10 * WHOLE:
                    ceiling = len(cost)
                    cost.append(1 - 2 * (share - floor))
                    constant += share - floor
                rows.append((members, ceiling, floor, floor))
    for child, inside, low, high in list_bounds(solve.known):
        members = columns[child, inside & (columns[child] >= 0)].tolist()
        there = float(base[child, inside].sum())
        if members:
            rows.append((members, None, low - there, np.inf if high == NO_MOST else high - there))
    entries = [
        (place, column, 1.0 if column != ceiling else -1.0)
        for place, (members, ceiling, _, _) in enumerate(rows)
        for column in [*members, *([] if ceiling is None else [ceiling])]
    ]
    places_, columns_, values = zip(*entries, strict=True)
    np.savez(
        path,
        cost=np.array(cost),
        constant=constant,
        rows=np.array(places_),
        columns=np.array(columns_),
        entries=np.array(values),
        lower=np.array([low for _, _, low, _ in rows]),
        upper=np.array([high for _, _, _, high in rows]),
    )
    return True


def compare(python: str, blocks: int) -> None:
    """Print, for each level, how far objectives are apart over all solves."""
    with tempfile.TemporaryDirectory(prefix="clarabel-") as name:
        folder = Path(name)
        programs = folder / "programs"
        programs.mkdir()
        job = draw_job(folder / "state", blocks)
        names = [level.name for level in job.problem.geography.levels]
        ours: dict[str, tuple[int, float, float, float]] = {}
        others = 0
        dense = None
        for solve in solve_all(job):
            if solve.areas.start == 0:
                dense = DensePrecisions(job.basis.model.upward[solve.level].precision, job.problem.schema.cells)
            assert dense is not None
            key = f"{solve.level}-{solve.areas.start:06}"
            write_nearest(programs / f"nearest-{key}.npz", solve, job.basis.impossible, dense)
            minimum = solve.found.minimum
            ours[f"nearest-{key}"] = solve.level, minimum.objective, minimum.gap, solve.seconds
            if solve.found.rounded.method != "linear program":
                others += 1
            elif write_whole(programs / f"whole-{key}.npz", solve, job.problem.families[solve.level]):
                ours[f"whole-{key}"] = solve.level, solve.found.rounded.distance, 0.0, 0.0
        subprocess.run([python, str(Path(__file__).with_name("peer_clarabel.py")), str(programs)], check=True)
        told = json.loads((programs / "found.json").read_text(encoding="utf-8"))
    print(f"{blocks:,} blocks, Clarabel {told['version']}; roundings by other than a linear program: {others}")
    rows = [
        row
        for kind in ("nearest", "whole")
        for level, name in enumerate(names)
        if (row := tell(kind, level, name, ours, told["found"])) is not None
    ]
    header = ["what", "level", "solves", "least and largest objective", "largest difference", "beside the objective"]
    header += ["ours larger by at most", "certified gap", "not solved by Clarabel"]
    print(markdown([*header, "processor seconds, ours with rounding", "Clarabel's"], rows))


def tell(kind: str, level: int, name: str, ours: dict[str, Any], found: dict[str, Any]) -> list[str] | None:
    """Return the line of a level: differences as they are, and beside Clarabel's objective, or 1 where that is larger.

    The objective holds a constant that no count changes, which may be most of it: so look at the differences too.
    """
    keys = [key for key, given in ours.items() if key.startswith(kind) and given[0] == level]
    if not keys:
        return None
    solved = [key for key in keys if found[key]["status"] == "Solved"]
    sizes = [max(1.0, abs(found[key]["objective"])) for key in keys]
    off = [ours[key][1] - found[key]["objective"] for key in keys]
    beside = [abs(each) / size for each, size in zip(off, sizes, strict=True)]
    objectives = [found[key]["objective"] for key in keys]
    gaps = [ours[key][2] / size for key, size in zip(keys, sizes, strict=True)]
    return [
        kind,
        name,
        str(len(keys)),
        f"{min(objectives):.0f} to {max(objectives):.0f}",
        f"{max(map(abs, off)):.1e}",
        f"{max(beside):.1e}",
        f"{max(off):.1e}",
        f"{max(gaps):.1e}" if kind == "nearest" else "-",
        str(len(keys) - len(solved)),
        f"{sum(ours[key][3] for key in keys):.1f}" if kind == "nearest" else "-",
        f"{sum(found[key]['seconds'] for key in keys):.1f}",
    ]


def main() -> None:
    if len(sys.argv) < 2:
        raise SystemExit("usage: bench/topdown_clarabel.py PYTHON_WITH_CLARABEL [BLOCKS]")
    compare(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 400)


if __name__ == "__main__":
    main()
